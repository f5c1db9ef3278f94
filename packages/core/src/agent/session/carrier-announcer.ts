/** The carrier's own voice on a live call, for when the model has none. */
export interface CarrierAnnouncer {
  /**
   * Takes the call away from its channel, which closes, and has the carrier say this. Then it hangs up, or opens a new
   * channel. Rejects when the carrier cannot be told.
   */
  say(text: string, then: 'hang-up' | 'converse'): Promise<void>;
}
