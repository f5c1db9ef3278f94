import { eventually } from '../embedded.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { percentile, rounded, table } from './figures.ts';
import { placeCalls } from './place-calls.ts';
import { type ServerProcess, startServerProcess, type Usage } from './server-process.ts';
import { startCarrier } from './voice/carrier.ts';
import { MediaLine } from './voice/media-line.ts';
import { type SpeechModelServer, startSpeechModel } from './voice/speech-model.ts';
import { stopwatch } from './voice/tagged-sound.ts';

const streams = 40;
const measuredMs = 30_000;
const interruptedEveryMs = 4_000;
/** More calls are put on one process until a frame in a hundred takes longer. */
const longestFrameDelayMs = 20;

interface Bridge {
  readonly server: ServerProcess;
  readonly model: SpeechModelServer;
  readonly watches: { inbound: ReturnType<typeof stopwatch>; outbound: ReturnType<typeof stopwatch> };
  readonly truth: Map<string, { heardMs: number; clearDelayMs: number }>;
  /** Adds so many streams that talk. */
  add(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** The parts every bridge is measured with. */
async function startModel() {
  const watches = { inbound: stopwatch(), outbound: stopwatch() };
  const model = await startSpeechModel(watches);
  const truth: Bridge['truth'] = new Map();
  function onCut(piece: number, playedMs: number): void {
    const place = model.placeOf(piece);
    const interruptedAtMs = place && model.interruptedAtMs.get(place.itemId);
    if (place === undefined || interruptedAtMs === undefined) return;
    const clearDelayMs = performance.now() - interruptedAtMs;
    truth.set(place.itemId, { heardMs: place.fromMs + playedMs, clearDelayMs });
  }
  return { watches, model, truth, onCut };
}

async function startSplice(): Promise<Bridge> {
  const { watches, model, truth, onCut } = await startModel();
  const server = await startServerProcess('splice', { OPENAI_URL: model.url });
  const lines: MediaLine[] = [];
  return {
    server,
    model,
    watches,
    truth,
    async add(count) {
      const wanted = lines.length + count;
      while (lines.length < wanted) {
        const callSid = `CA${String(lines.length).padStart(32, '0')}`;
        const url = server.url.replace('http', 'ws');
        lines.push(new MediaLine({ url, callSid, authToken: 'none', watches, onCut }));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await eventually('the session of every stream', () => model.sessions === wanted, 60_000);
    },
    async stop() {
      for (const line of lines) line.stop();
      await server.stop();
      await model.stop();
    },
  };
}

async function startCallkite(): Promise<Bridge> {
  const { watches, model, truth, onCut } = await startModel();
  const carrier = await startCarrier({ watches, onCut });
  const database = await startPostgres();
  const server = await startServerProcess('callkite', {
    DATABASE_URL: database.url,
    TWILIO_URL: carrier.url,
    OPENAI_URL: model.url,
    VOICE_MODE: 'realtime',
  });
  const access = await server.ask<{ key: string; workflowId: string }>('access');
  let placed = 0;
  return {
    server,
    model,
    watches,
    truth,
    async add(count) {
      await placeCalls(server.url, access, placed, count);
      placed += count;
      await eventually('the session of every call', () => model.sessions === placed, 60_000);
    },
    async stop() {
      await server.stop();
      await carrier.stop();
      await model.stop();
      await database.stop();
    },
  };
}

async function measure(bridge: Bridge, forMs: number) {
  const { server, model, watches, truth } = bridge;
  watches.inbound.take();
  watches.outbound.take();
  const knownCuts = model.cuts.length;
  const before = await server.ask<Usage>('usage');
  const timer = setInterval(() => model.interruptAll(), interruptedEveryMs);
  await new Promise((resolve) => setTimeout(resolve, forMs));
  clearInterval(timer);
  const after = await server.ask<Usage>('usage');
  const cpuSeconds = (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1e6;
  const errors = model.cuts.slice(knownCuts).flatMap(({ itemId, heardMs, sentInFull }) => {
    const cut = truth.get(itemId);
    return cut
      ? [{ errorMs: Math.abs(heardMs - cut.heardMs), clearDelayMs: cut.clearDelayMs, sentInFull }]
      : [];
  });
  return {
    cpuPerCallMinute: cpuSeconds / ((model.sessions * (after.atMs - before.atMs)) / 60_000),
    rss: after.rss,
    inbound: watches.inbound.take(),
    outbound: watches.outbound.take(),
    clearDelays: errors.map(({ clearDelayMs }) => clearDelayMs),
    errors: errors.map(({ errorMs }) => errorMs),
    errorsSentInFull: errors.filter(({ sentInFull }) => sentInFull).map(({ errorMs }) => errorMs),
  };
}

const p = (values: readonly number[], share: number) => rounded(percentile(values, share), 2);
const both = (values: readonly number[]) => `${p(values, 0.5)} / ${p(values, 0.99)}`;

/** Calls whose sound goes through this process, against a bridge that does nothing else. */
export async function benchVoice(): Promise<void> {
  const rows = [];
  const costs: number[] = [];
  for (const [name, start] of Object.entries({ splice: startSplice, callkite: startCallkite })) {
    const bridge = await start();
    await bridge.add(2);
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const { rss: emptyRss } = await bridge.server.ask<Usage>('usage');
    await bridge.add(streams - 2);
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const figures = await measure(bridge, measuredMs);
    costs.push(figures.cpuPerCallMinute);
    rows.push({
      bridge: name,
      'CPU s a call-minute': rounded(figures.cpuPerCallMinute, 3),
      'KiB a call': rounded((figures.rss - emptyRss) / 1024 / (streams - 2), 0),
      'in ms p50 / p99': both(figures.inbound),
      'out ms p50 / p99': both(figures.outbound),
      'speech to clear ms': both(figures.clearDelays),
      'cut error ms': both(figures.errors),
      'of answers sent in full': `${both(figures.errorsSentInFull)} (${figures.errorsSentInFull.length})`,
    });
    if (name === 'callkite') await fill(bridge);
    await bridge.stop();
  }
  console.log(`  ${streams} streams in real time, each interrupted every ${interruptedEveryMs / 1000} s`);
  table(rows);
  const [bare = Number.NaN, ours = Number.NaN] = costs;
  console.log(`  CPU against the bare bridge: ${rounded(ours / bare, 2)} (aim: 1.15)`);
}

/** Adds calls until one process cannot keep in step. */
async function fill(bridge: Bridge): Promise<void> {
  let kept = bridge.model.sessions;
  for (;;) {
    await bridge.add(40);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const { inbound, outbound } = await measure(bridge, 10_000);
    const worst = Math.max(percentile(inbound, 0.99), percentile(outbound, 0.99));
    console.log(`  ${bridge.model.sessions} calls: frame p99 ${rounded(worst, 1)} ms`);
    if (worst > longestFrameDelayMs || bridge.model.sessions >= 1000) break;
    kept = bridge.model.sessions;
  }
  console.log(
    `  calls with a frame p99 of at most ${longestFrameDelayMs} ms, load on the same 2 cores: ${kept}`,
  );
}
