import { rounded, table } from './figures.ts';
import { startLiveCalls } from './live-calls.ts';
import type { Usage } from './server-process.ts';

const measuredMs = 15_000;

/** Memory of a live relay call, and how many calls one core would hold at the processor time they take. */
export async function benchDensity(): Promise<void> {
  const live = await startLiveCalls();
  await live.place(20);
  const before = await live.server.ask<Usage>('usage');
  const rows = [];
  let placed = 20;
  for (const target of [100, 300]) {
    await live.place(target - placed);
    placed = target;
    const start = await live.server.ask<Usage>('usage');
    await new Promise((resolve) => setTimeout(resolve, measuredMs));
    const end = await live.server.ask<Usage>('usage');
    const share = ((end.cpuSeconds - start.cpuSeconds) * 1000) / (end.atMs - start.atMs);
    const perCall = (now: number, then: number) => rounded((now - then) / 1024 / (placed - 20), 0);
    rows.push({
      'live calls': placed,
      'KiB heap a call': perCall(end.heapUsed, before.heapUsed),
      'KiB resident a call': perCall(end.rss, before.rss),
      'of one core': `${rounded(share * 100)} %`,
      'calls a core': rounded(placed / share, 0),
    });
  }
  table(rows);
  await live.stop();
}
