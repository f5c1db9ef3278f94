import { type IncomingMessage, validateHeaderValue } from 'node:http';
import type { CallkiteError } from '@callkite/core';
import { WebSocket } from 'ws';
import { answerFailure, codeOf, timeout, unavailable } from '../model-failure.ts';

/** Two minutes of sound: who is that far behind will not catch up. */
const MAXIMUM_BUFFERED_BYTES = 1024 * 1024;
const MAXIMUM_FRAME_BYTES = 16 * 1024 * 1024;
const MAXIMUM_ERROR_LENGTH = 16 * 1024;

export interface ModelSocketOptions {
  readonly url: URL;
  readonly apiKey: string;
  /** Longest time until `established`, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Time between pings, in milliseconds. */
  readonly keepAliveMs: number;
}

export interface ModelSocketListener {
  onOpen(): void;
  onFrame(frame: Buffer): void;
  /** Once, after everything else. `null` after `close` without an error. */
  onEnd(error: CallkiteError | null): void;
}

/** A WebSocket to the model that is open, or ends with the reason why it is not. */
export class ModelSocket {
  readonly #socket: WebSocket;
  readonly #listener: ModelSocketListener;
  readonly #deadline: NodeJS.Timeout;
  #keepAlive: NodeJS.Timeout | undefined;
  /** Whether anything came since the last ping. */
  #isAlive = true;
  /** Frames that wait until the session is established; `null` from then on. */
  #held: string[] | null = [];
  #isEnded = false;

  constructor(options: ModelSocketOptions, listener: ModelSocketListener) {
    this.#listener = listener;
    this.#deadline = setTimeout(() => this.close(timeout()), options.connectTimeoutMs);
    const socket = new WebSocket(options.url, {
      headers: { authorization: `Bearer ${options.apiKey}` },
      // Base64 of speech does not compress, but costs the processor.
      perMessageDeflate: false,
      maxPayload: MAXIMUM_FRAME_BYTES,
    });
    this.#socket = socket;
    socket.on('open', () => {
      this.#keepAlive = setInterval(() => this.#ping(), options.keepAliveMs);
      listener.onOpen();
    });
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('message', (data) => {
      this.#isAlive = true;
      // Frames come as buffers unless `binaryType` is set.
      if (!this.#isEnded) listener.onFrame(data as Buffer);
    });
    socket.on('unexpected-response', (_, response) => {
      void refusalOf(response).then((error) => this.close(error));
    });
    socket.on('error', () => this.close(unavailable('the connection to the model failed')));
    socket.on('close', () => this.close(unavailable('the model ended the session')));
  }

  get isEstablished(): boolean {
    return this.#held === null;
  }

  /** What there was to agree on is agreed on. */
  established(): void {
    clearTimeout(this.#deadline);
    const held = this.#held ?? [];
    this.#held = null;
    for (const frame of held) this.agree(frame);
  }

  /** Sends what leads to `established`, at once. */
  agree(frame: string): void {
    if (this.#isEnded) return;
    // Of bytes, which are ours alone, `ws` makes a frame in one piece; of text it makes two.
    this.#socket.send(Buffer.from(frame), { binary: false });
    if (this.#socket.bufferedAmount > MAXIMUM_BUFFERED_BYTES) {
      this.close(unavailable('the model takes sound more slowly than it is spoken'));
    }
  }

  /** Sends what waits until then, and is dropped after the end. */
  send(frame: string): void {
    if (this.#held === null) this.agree(frame);
    else this.#held.push(frame);
  }

  close(error: CallkiteError | null = null): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#deadline);
    clearInterval(this.#keepAlive);
    if (error === null && this.#socket.readyState === WebSocket.OPEN) this.#socket.close(1000);
    else this.#socket.terminate();
    // Not before the caller of `close` or `send` has done what it was doing.
    queueMicrotask(() => this.#listener.onEnd(error));
  }

  #ping(): void {
    if (this.#isAlive) this.#socket.ping();
    else this.close(unavailable('the model does not answer any more'));
    this.#isAlive = false;
  }
}

/** What the factories take of it. */
export interface SocketSettings {
  readonly apiKey: string;
  readonly baseURL?: string | undefined;
  readonly connectTimeoutMs?: number | undefined;
  readonly keepAliveMs?: number | undefined;
}

/**
 * @param path below that of the HTTP API
 * @throws TypeError for an address or a key that can never be used
 */
export function socketOptions(settings: SocketSettings, path: string): ModelSocketOptions {
  const { apiKey, baseURL = 'https://api.openai.com/v1' } = settings;
  validateHeaderValue('authorization', apiKey);
  const url = new URL(`${baseURL.replace(/\/+$/, '')}/${path}`);
  url.protocol = url.protocol.replace('http', 'ws');
  return {
    url,
    apiKey,
    connectTimeoutMs: settings.connectTimeoutMs ?? 10_000,
    keepAliveMs: settings.keepAliveMs ?? 5000,
  };
}

/** Why the upgrade was refused. */
async function refusalOf(response: IncomingMessage): Promise<CallkiteError> {
  let body = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      body += chunk;
      if (body.length > MAXIMUM_ERROR_LENGTH) break;
    }
  } catch {
    // The status says enough.
  }
  return answerFailure(response.statusCode ?? 0, codeIn(body), response.headers['retry-after']);
}

function codeIn(body: string): string | null {
  try {
    return codeOf(JSON.parse(body).error);
  } catch {
    return null;
  }
}
