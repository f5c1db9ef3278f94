import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import net, { isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import RequestClient from 'twilio/lib/base/RequestClient.js';

/**
 * Longest time from the start of a placement to its first byte. A process that was frozen meanwhile must not write:
 * others may have concluded by then that it never will.
 */
const CONNECT_BUDGET_MS = 3000;
/** Longest time from the start of a placement to its result. */
const TOTAL_BUDGET_MS = 9500;

/**
 * Carries one request over a connection of its own, and knows whether any of it can have reached the other side:
 * the connection, with TLS, is complete before the request is begun.
 */
export class PlacementConnection extends RequestClient {
  #requestBegun = false;
  readonly #elapsedMs = stopwatch();

  /** `false`: certainly not a byte of the request was sent. */
  get requestBegun(): boolean {
    return this.#requestBegun;
  }

  override async request<TData>(options: RequestClient.RequestOptions<TData>) {
    const url = new URL(options.uri);
    const socket = await connect(url, AbortSignal.timeout(CONNECT_BUDGET_MS));
    try {
      const elapsedMs = this.#elapsedMs();
      if (elapsedMs > CONNECT_BUDGET_MS) throw new Error('too late to begin the request');
      this.#requestBegun = true;
      const deadline = AbortSignal.timeout(TOTAL_BUDGET_MS - elapsedMs);
      const response = await exchange(url, options, socket, deadline);
      const body = await text(response);
      return { statusCode: response.statusCode ?? 0, body: body as TData, headers: response.headers };
    } finally {
      socket.destroy();
    }
  }
}

async function connect(url: URL, signal: AbortSignal): Promise<net.Socket> {
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const socket = secure
    ? tls.connect({ host, port, servername: isIP(host) === 0 ? host : '', ALPNProtocols: ['http/1.1'] })
    : net.connect({ host, port });
  try {
    await once(socket, secure ? 'secureConnect' : 'connect', { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => {});
    socket.destroy();
    throw error;
  }
}

async function exchange<TData>(
  url: URL,
  options: RequestClient.RequestOptions<TData>,
  socket: net.Socket,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const body = formBody(options.data ?? {});
  const credentials = Buffer.from(`${options.username}:${options.password}`).toString('base64');
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    method: options.method.toUpperCase(),
    headers: {
      ...options.headers,
      authorization: `Basic ${credentials}`,
      'content-length': Buffer.byteLength(body),
    },
    createConnection: () => socket,
    signal,
  });
  // Also after the answer began: what goes wrong later fails the answer, and must not be an unhandled event here.
  request.on('error', () => {});
  request.end(body);
  const [response] = await once(request, 'response');
  return response;
}

function formBody(data: object): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(data)) {
    for (const each of Array.isArray(value) ? value : [value]) form.append(name, String(each));
  }
  return form.toString();
}

/** Whole milliseconds since now, by the clock that saw more of them: one stands still while the machine is suspended. */
function stopwatch(): () => number {
  const monotonicStart = performance.now();
  const wallStart = Date.now();
  return () => Math.ceil(Math.max(performance.now() - monotonicStart, Date.now() - wallStart));
}
