/** Lets through so much at once and so much per second, on average. */
export function tokenBucket({ perSecond, atOnce }: { perSecond: number; atOnce: number }) {
  let tokens = atOnce;
  let filledAtMs = performance.now();
  return {
    /** @returns whether there was enough */
    take(amount: number): boolean {
      const now = performance.now();
      tokens = Math.min(atOnce, tokens + ((now - filledAtMs) / 1000) * perSecond);
      filledAtMs = now;
      if (tokens < amount) return false;
      tokens -= amount;
      return true;
    },
  };
}
