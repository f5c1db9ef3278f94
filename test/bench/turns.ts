import { percentile, rounded, table } from './figures.ts';
import { startLiveCalls } from './live-calls.ts';

/** What a relay turn costs over the model's own time to its first token, with one call and with many. */
export async function benchTurns(): Promise<void> {
  const rows = [];
  for (const concurrent of [1, 200]) {
    const live = await startLiveCalls();
    await live.place(concurrent);
    await new Promise((resolve) => setTimeout(resolve, 40_000));
    const turns = await live.server.ask<{ totalMs: number; modelMs: number }[]>('turns');
    const overheads = turns.map(({ totalMs, modelMs }) => totalMs - modelMs);
    rows.push({
      'calls at once': concurrent,
      turns: overheads.length,
      'p50 ms': rounded(percentile(overheads, 0.5), 2),
      'p99 ms': rounded(percentile(overheads, 0.99), 2),
    });
    await live.stop();
  }
  table(rows);
}
