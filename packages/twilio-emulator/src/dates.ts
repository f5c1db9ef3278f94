/** A date as the 2010 API and its webhooks write it: `Sat, 21 Nov 2026 05:32:57 +0000`. */
export function rfc2822(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000');
}

/** The same, or null. */
export function rfc2822OrNull(date: Date | undefined): string | null {
  return date ? rfc2822(date) : null;
}
