import { percentile, rounded, table } from './figures.ts';
import { startLiveCalls } from './live-calls.ts';

interface Turn {
  totalMs: number;
  modelMs: number;
}

/** What a relay turn costs over the model's own time to its first token, with one call and with many. */
export async function benchTurns(): Promise<void> {
  const rows = [];
  for (const { atOnce, rounds, speed } of [
    { atOnce: 1, rounds: 10, speed: 20 },
    { atOnce: 200, rounds: 1, speed: 2 },
  ]) {
    const live = await startLiveCalls(speed);
    // The first calls warm up.
    for (let warmUp = 0; warmUp < 2; warmUp += 1) {
      await live.place(1);
      await live.ended();
    }
    await live.server.ask<Turn[]>('turns');
    for (let round = 0; round < rounds; round += 1) {
      await live.place(atOnce);
      await live.ended();
    }
    const turns = await live.server.ask<Turn[]>('turns');
    const overheads = turns.map(({ totalMs, modelMs }) => totalMs - modelMs);
    rows.push({
      'calls at once': atOnce,
      turns: overheads.length,
      'p50 ms': rounded(percentile(overheads, 0.5), 2),
      'p99 ms': rounded(percentile(overheads, 0.99), 2),
    });
    await live.stop();
  }
  table(rows);
}
