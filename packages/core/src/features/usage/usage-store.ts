/**
 * What an organization's phone calls take of a UTC day, in minutes: legs of live calls and of their transfers that began
 * in it. A leg that ended counts the carrier's seconds from its answer, rounded up to minutes; an open one what it has
 * taken so far, but at least one. So what was never answered costs nothing in the end, and holds its minute until then.
 */
export interface DailyUsage {
  readonly usedMinutes: number;
  /** `null`: unlimited. */
  readonly limitMinutes: number | null;
}

export interface UsageAlarm {
  /** Share of the limit that was reached. */
  readonly percent: 80 | 100;
  readonly usedMinutes: number;
  readonly limitMinutes: number;
}

/**
 * What calls cost, to look at. The limit itself is kept by the steps that dial: `CallStore.claimNext` and
 * `TransferStore.proceed`.
 */
export interface UsageStore {
  /** @param defaultDailyMinutes the limit of organizations that have none of their own; `null`: unlimited */
  today(organizationId: string, defaultDailyMinutes: number | null): Promise<DailyUsage>;
  /**
   * The share of its limit that the organization's day has reached, if nobody was given this alarm or a higher one today:
   * of all who ask, one gets it.
   * @param defaultDailyMinutes as above
   */
  takeAlarm(organizationId: string, defaultDailyMinutes: number | null): Promise<UsageAlarm | null>;
}
