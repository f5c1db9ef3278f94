import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay, setImmediate as nextLoop } from 'node:timers/promises';

/** One server-sent event; `event` is left out where the API sends only data. */
export interface StreamFrame {
  event?: string;
  /** An object to send as JSON, or a literal such as `[DONE]`. */
  data: object | string;
  /** Whether the frame carries a token, which is what pacing and mid-stream faults count. */
  isToken?: boolean;
}

/** When tokens appear. */
export interface Pacing {
  /** Milliseconds before the first token. */
  firstTokenMs: number;
  /** Undefined for as fast as possible. */
  tokensPerSecond: number | undefined;
}

/** A break in the middle of an answer. */
export interface StreamBreak {
  afterTokens: number;
  /** The frame to end with; without one the socket is destroyed. */
  errorFrame?: ((framesSent: number) => StreamFrame) | undefined;
}

export interface StreamOptions {
  response: ServerResponse;
  headers: Record<string, string>;
  frames: Iterable<StreamFrame>;
  pacing: Pacing;
  breakAt: StreamBreak | undefined;
  /** Aborted when the client has gone or the emulator closes. */
  signal: AbortSignal;
}

/** Waits until a point of the monotonic clock, and takes no timer when that is now. */
async function waitUntil(dueMs: number, signal: AbortSignal): Promise<void> {
  const waitMs = dueMs - performance.now();
  if (waitMs >= 1) await delay(waitMs, undefined, { signal });
}

/** The point of the monotonic clock at which the nth token is due. */
function tokenDueMs(startMs: number, pacing: Pacing, index: number): number {
  return (
    startMs + pacing.firstTokenMs + (pacing.tokensPerSecond ? (index * 1000) / pacing.tokensPerSecond : 0)
  );
}

/** Waits as long as an answer of so many tokens takes that is sent in one piece. */
export async function waitForAnswer(pacing: Pacing, tokens: number, signal: AbortSignal): Promise<void> {
  await waitUntil(tokenDueMs(performance.now(), pacing, tokens), signal);
}

function encode(frame: StreamFrame): string {
  const data = typeof frame.data === 'string' ? frame.data : JSON.stringify(frame.data);
  return frame.event === undefined ? `data: ${data}\n\n` : `event: ${frame.event}\ndata: ${data}\n\n`;
}

/**
 * Sends frames as a server-sent event stream, each flushed by itself, at the given pace.
 * Rejects with an AbortError when the signal fires.
 */
export async function sendEventStream(options: StreamOptions): Promise<void> {
  const { response, pacing, breakAt, signal } = options;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...options.headers,
  });
  const startMs = performance.now();
  let tokens = 0;
  let framesSent = 0;
  for (const frame of options.frames) {
    if (frame.isToken) {
      if (breakAt && tokens >= breakAt.afterTokens) break;
      await waitUntil(tokenDueMs(startMs, pacing, tokens), signal);
      tokens += 1;
    }
    signal.throwIfAborted();
    if (!response.write(encode(frame))) await once(response, 'drain', { signal });
    framesSent += 1;
    // Writes of one turn of the event loop leave in one packet; a turn per frame keeps them apart.
    await nextLoop(undefined, { signal });
  }
  if (breakAt && !breakAt.errorFrame) {
    response.destroy();
    return;
  }
  response.end(breakAt?.errorFrame ? encode(breakAt.errorFrame(framesSent)) : undefined);
}
