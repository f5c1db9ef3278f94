import { eventually } from '../embedded.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { percentile, rounded, table } from './figures.ts';
import { placeCalls } from './place-calls.ts';
import { type ServerProcess, type Spent, startServerProcess, type Usage } from './server-process.ts';
import { startCarrier } from './voice/carrier.ts';
import { MediaLine } from './voice/media-line.ts';
import { type SpeechModelServer, startSpeechModel } from './voice/speech-model.ts';
import { stopwatch } from './voice/tagged-sound.ts';

const fewStreams = 4;
const streams = 40;
const windowMs = 20_000;
/** What runs for days is measured warm: after two windows of talking. */
const warmUpWindows = 2;
/** A frame in a hundred is late in bursts: one window tells too little of it. */
const delayWindows = { [fewStreams]: 6, [streams]: 2 };
const costWindows = 6;
const interruptedEveryMs = 4_000;
/** More calls are put on one process until a frame in a hundred takes longer. */
const longestFrameDelayMs = 20;
const moreStreams = 20;
const settlesWithinMs = 8_000;

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

type Figures = Awaited<ReturnType<typeof measure>>;
type WarmFigures = Figures & { readonly outboundP99s: readonly string[]; readonly heapUsed: number };

async function measure(bridge: Bridge) {
  const { server, model, watches, truth } = bridge;
  watches.inbound.take();
  watches.outbound.take();
  const knownCuts = model.cuts.length;
  const before = await server.ask<Spent>('spent');
  // One after the other: people do not speak up all at once.
  const timer = setInterval(() => model.interruptNext(), interruptedEveryMs / model.sessions);
  await new Promise((resolve) => setTimeout(resolve, windowMs));
  clearInterval(timer);
  const after = await server.ask<Spent>('spent');
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  const errors = model.cuts.slice(knownCuts).flatMap(({ itemId, heardMs, sentInFull }) => {
    const cut = truth.get(itemId);
    return cut
      ? [{ errorMs: Math.abs(heardMs - cut.heardMs), clearDelayMs: cut.clearDelayMs, sentInFull }]
      : [];
  });
  return {
    cpuPerCallMinute: cpuSeconds / ((model.sessions * (after.atMs - before.atMs)) / 60_000),
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
  for (const [name, start] of Object.entries({ splice: startSplice, callkite: startCallkite })) {
    const bridge = await start();
    const few = await measureWarm(bridge, fewStreams);
    rows.push({ bridge: name, streams: fewStreams, ...rowOf(few) });
    const figures = await measureWarm(bridge, streams);
    const perCall = (figures.heapUsed - few.heapUsed) / 1024 / (streams - fewStreams);
    rows.push({ bridge: name, streams, ...rowOf(figures), 'KiB heap a call': rounded(perCall, 0) });
    if (name === 'callkite') await fill(bridge, figures);
    await bridge.stop();
  }
  console.log(
    `  in real time, warm, each stream interrupted every ${interruptedEveryMs / 1000} s; ms are p50 / p99, and p99 of each ${windowMs / 1000} s`,
  );
  table(rows);
  await compareCosts();
}

/** Side by side: the same bridge costs a third more or less from one minute to the next, as the machine has it. */
async function compareCosts(): Promise<void> {
  const bridges = [await startSplice(), await startCallkite()];
  for (const bridge of bridges) await bridge.add(streams);
  const windows: number[][] = [];
  for (let window = 0; window < warmUpWindows + costWindows; window += 1) {
    const measured = await Promise.all(bridges.map(measure));
    windows.push(measured.map(({ cpuPerCallMinute }) => cpuPerCallMinute));
  }
  windows.splice(0, warmUpWindows);
  for (const bridge of bridges) await bridge.stop();
  const ratioOf = ([bare = Number.NaN, ours = Number.NaN]: readonly number[]) => ours / bare;
  const sums = bridges.map((_, at) => windows.reduce((sum, window) => sum + (window[at] ?? 0), 0));
  const means = sums.map((sum) => rounded(sum / costWindows, 3)).join(' and ');
  const each = windows.map((window) => rounded(ratioOf(window), 2)).join(', ');
  console.log(
    `  CPU s a call-minute, ${streams} streams each, side by side, warm: ${means}: ${rounded(ratioOf(sums), 2)} times the bare bridge (${each}; aim: 1.15)`,
  );
}

async function measureWarm(bridge: Bridge, count: keyof typeof delayWindows): Promise<WarmFigures> {
  await bridge.add(count - bridge.model.sessions);
  const windows: Figures[] = [];
  while (windows.length < warmUpWindows + delayWindows[count]) windows.push(await measure(bridge));
  windows.splice(0, warmUpWindows);
  const all = (name: 'inbound' | 'outbound' | 'clearDelays' | 'errors' | 'errorsSentInFull') =>
    windows.flatMap((window) => window[name]);
  return {
    cpuPerCallMinute: windows.reduce((sum, window) => sum + window.cpuPerCallMinute, 0) / windows.length,
    heapUsed: (await bridge.server.ask<Usage>('usage')).heapUsed,
    inbound: all('inbound'),
    outbound: all('outbound'),
    clearDelays: all('clearDelays'),
    errors: all('errors'),
    errorsSentInFull: all('errorsSentInFull'),
    outboundP99s: windows.map(({ outbound }) => p(outbound, 0.99)),
  };
}

const rowOf = (figures: WarmFigures) => ({
  'CPU s a call-minute': rounded(figures.cpuPerCallMinute, 3),
  'frame in ms': both(figures.inbound),
  'frame out ms': `${both(figures.outbound)} (${figures.outboundP99s.join(', ')})`,
  'speech to clear ms': both(figures.clearDelays),
  'cut error ms': both(figures.errors),
  'of answers sent in full': `${both(figures.errorsSentInFull)} (${figures.errorsSentInFull.length})`,
  'KiB heap a call': '',
});

const worstDelay = ({ inbound, outbound }: Figures) =>
  Math.max(percentile(inbound, 0.99), percentile(outbound, 0.99));

/** Adds calls until one process cannot keep in step. */
async function fill(bridge: Bridge, figures: Figures): Promise<void> {
  let kept = 0;
  let worst = worstDelay(figures);
  while (worst <= longestFrameDelayMs && bridge.model.sessions < 1000) {
    kept = bridge.model.sessions;
    await bridge.add(moreStreams);
    await new Promise((resolve) => setTimeout(resolve, settlesWithinMs));
    worst = worstDelay(await measure(bridge));
    console.log(`  ${bridge.model.sessions} calls: frame p99 ${rounded(worst, 1)} ms`);
  }
  const most = kept === 0 ? `fewer than ${streams}` : `${kept}`;
  console.log(
    `  calls with a frame p99 of at most ${longestFrameDelayMs} ms, load on the same 2 cores: ${most}`,
  );
}
