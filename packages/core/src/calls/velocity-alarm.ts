/**
 * Live calls and transfers of an organization suddenly go to numbers it has never called before, as they do when a key was
 * stolen. Told by the dial that makes it so, and so by one process, and once for a prefix: the twentieth within an hour of
 * the first.
 */
export interface VelocityAlarm {
  /** What the numbers have in common: E.164 without the last four digits. */
  readonly prefix: string;
  readonly dials: number;
}
