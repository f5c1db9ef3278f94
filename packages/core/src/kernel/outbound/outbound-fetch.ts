import { lookup as lookupName } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { buildConnector, Client, type Dispatcher, errors } from 'undici';
import { CallkiteError } from '../errors.ts';
import { createAddressRule } from './public-addresses.ts';
import { isHostName, isMetadataName, isPublicName } from './public-names.ts';

export interface OutboundFetchOptions {
  /** All addresses of a host name. Rejects with a `code` of `ENOTFOUND` when there is none. @default the system's resolver */
  lookup?: (hostname: string) => Promise<readonly string[]>;
  /** Opens TCP connections. @default `connect` of node:net */
  connect?: (options: TcpNetConnectOpts) => Socket;
  /** Allows private and loopback addresses, and plain HTTP. Only for development. @default false */
  allowPrivate?: boolean;
  /** Networks that may be reached although they are not public, in CIDR notation. @default none */
  allowRanges?: readonly string[];
  /** Networks that may not be reached although they look public, such as a NAT64 prefix, in CIDR notation. @default none */
  refuseRanges?: readonly string[];
  /** Certificate authorities to trust instead of Node's, PEM. */
  certificateAuthorities?: string | readonly string[];
  /** For one request, from the name look-up to the end of the answer. @default 30 000 */
  timeoutMs?: number;
  /** Bytes of an answer's body that are read; the rest is dropped. @default 65 536 */
  maximumResponseBytes?: number;
}

export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes, as UTF-8. */
  readonly body: string;
  /** Gives the request up early. */
  readonly signal?: AbortSignal;
}

/** Why there was no answer. */
export type OutboundFailure =
  | 'address refused'
  | 'host not found'
  | 'connection failed'
  | 'TLS failed'
  | 'invalid answer'
  | 'invalid request'
  | 'timeout'
  | 'given up';

/** A status means that the receiver answered, whatever became of the body behind it. */
export type OutboundAnswer =
  | { readonly status: number; readonly retryAfterSeconds: number | null; readonly error: null }
  | { readonly status: null; readonly retryAfterSeconds: null; readonly error: OutboundFailure };

/** Requests to addresses that customers supply: they reach public hosts over HTTPS and nothing else. */
export interface OutboundFetch {
  /** Judges an address by its text, at once. Throws `validation_failed` with the reason as its message. */
  check(url: string): void;
  /** As `check`, and by what the host name stands for now. A resolver in trouble is no reason to refuse. */
  checkResolved(url: string): Promise<void>;
  /**
   * Posts once. Every address the name stands for at that moment must be allowed; the connection goes to one of those
   * and to no other. Redirects are answers, never followed; nothing is decompressed; no connection, cookie or TLS
   * session is shared with another request; proxies of the environment are not used. Never rejects.
   */
  post(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Posts like `post`. @returns the answer's body; `null` when it is not a success, complete and within the limits */
  ask(request: OutboundRequest): Promise<string | null>;
}

const checkTimeoutMs = 3_000;
/** For one of several addresses, before the next is tried. */
const attemptTimeoutMs = 2_000;
const maximumHeaderBytes = 16 * 1024;

export function createOutboundFetch(options: OutboundFetchOptions = {}): OutboundFetch {
  const { allowPrivate = false, allowRanges = [], refuseRanges = [] } = options;
  const { lookup = resolveAll, connect = connectTcp, timeoutMs = 30_000 } = options;
  const { maximumResponseBytes = 64 * 1024 } = options;
  const rule = createAddressRule({
    allowRanges: allowPrivate ? ['0.0.0.0/0', '::/0'] : allowRanges,
    refuseRanges,
  });
  // A network of one's own has names of its own; what they stand for is checked in any case.
  const publicNamesOnly = !allowPrivate && allowRanges.length === 0;

  function parse(text: string): URL {
    if (text.length > 2048) refuse('is longer than 2048 characters');
    // The URL parser would drop or reinterpret these before anybody could see them.
    if (/[\p{Cc}\p{Cs}\s\\]/u.test(text)) refuse('contains spaces, control characters or a backslash');
    if (!URL.canParse(text)) refuse('is not a URL');
    const url = new URL(text);
    if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
      refuse('must begin with https://');
    }
    if (url.username || url.password) refuse('must not contain credentials');
    if (url.port === '0') refuse('has port 0');
    const host = hostOf(url);
    if (isIP(host) !== 0) {
      if (!rule.allows(host)) refuse('points to a private or reserved address');
    } else {
      if (!isHostName(host)) refuse('names no host: empty or overlong parts');
      const isForeign = publicNamesOnly ? !isPublicName(host) : !allowPrivate && isMetadataName(host);
      if (isForeign) refuse('names a host that is not on the public internet');
    }
    return url;
  }

  async function addressesOf(url: URL, signal: AbortSignal): Promise<readonly string[]> {
    const host = hostOf(url);
    const addresses = isIP(host) !== 0 ? [host] : await unlessAborted(lookup(host), signal);
    if (addresses.length === 0) throw new Refusal('host not found');
    if (!addresses.every((address) => rule.allows(address))) throw new Refusal('address refused');
    return addresses;
  }

  /** Connects to one of the checked addresses, and makes sure of it before a byte is sent. */
  function connectorTo(addresses: readonly string[], signal: AbortSignal): buildConnector.connector {
    const secure = buildConnector({
      timeout: 0,
      maxCachedSessions: 0,
      // Node's own default gives way to NODE_TLS_REJECT_UNAUTHORIZED=0.
      rejectUnauthorized: true,
      ...(options.certificateAuthorities === undefined
        ? {}
        : { ca: [options.certificateAuthorities].flat() as string[] }),
    });
    return ({ hostname, port, protocol, ...rest }, done) => {
      const socket = connect({
        host: hostname,
        port: Number(port || (protocol === 'https:' ? 443 : 80)),
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
        lookup: (_hostname, _options, found) =>
          found(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          ),
      });
      const abort = () => socket.destroy(new Refusal('given up'));
      signal.addEventListener('abort', abort, { once: true });
      socket.once('close', () => signal.removeEventListener('abort', abort));
      socket.once('error', fail);
      socket.once('connect', () => {
        // From here on whoever uses the socket handles its errors; one without any listener would end the process.
        socket.off('error', fail).on('error', () => undefined);
        if (!rule.allows(socket.remoteAddress ?? '')) {
          socket.destroy();
          done(new Refusal('address refused'), null);
        } else if (protocol === 'https:') {
          secure({ ...rest, hostname, port, protocol, httpSocket: socket }, done);
        } else {
          done(null, socket);
        }
      });
      function fail(error: Error) {
        done(error, null);
      }
    };
  }

  /** @param take reads the body of the answer while its connection is open */
  async function exchange<Taken>(
    request: OutboundRequest,
    signal: AbortSignal,
    take: (answer: Dispatcher.ResponseData) => Promise<Taken>,
  ): Promise<Taken> {
    signal.throwIfAborted();
    const url = parse(request.url);
    const addresses = await addressesOf(url, signal);
    const client = new Client(url.origin, {
      connect: connectorTo(addresses, signal),
      maxHeaderSize: maximumHeaderBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    try {
      const answer = await client.request({
        method: 'POST',
        path: url.pathname + url.search,
        headers: request.headers,
        body: request.body,
        reset: true,
        signal,
      });
      return await take(answer);
    } finally {
      await client.destroy();
    }
  }

  const signalsOf = (request: OutboundRequest) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    return { deadline, signal: request.signal ? AbortSignal.any([deadline, request.signal]) : deadline };
  };

  return {
    check(url) {
      parse(url);
    },
    async checkResolved(text) {
      const url = parse(text);
      try {
        await addressesOf(url, AbortSignal.timeout(checkTimeoutMs));
      } catch (error) {
        const failure = failureOf(error);
        if (failure === 'address refused') refuse('points to a private or reserved address');
        if (failure === 'host not found') refuse('names a host that does not exist');
      }
    },
    async post(request) {
      const { deadline, signal } = signalsOf(request);
      try {
        return await exchange(request, signal, async ({ statusCode, headers, body }) => {
          await read(body, maximumResponseBytes);
          return { status: statusCode, retryAfterSeconds: retryAfter(headers['retry-after']), error: null };
        });
      } catch (error) {
        const failure = deadline.aborted ? 'timeout' : signal.aborted ? 'given up' : failureOf(error);
        return { status: null, retryAfterSeconds: null, error: failure };
      }
    },
    async ask(request) {
      try {
        return await exchange(request, signalsOf(request).signal, async ({ statusCode, body }) => {
          const bytes = await read(body, maximumResponseBytes);
          return statusCode >= 200 && statusCode < 300 ? (bytes?.toString('utf8') ?? null) : null;
        });
      } catch {
        return null;
      }
    },
  };
}

/** Carries a failure through undici. */
class Refusal extends Error {
  readonly failure: OutboundFailure;
  constructor(failure: OutboundFailure) {
    super(failure);
    this.failure = failure;
  }
}

function refuse(reason: string): never {
  throw new CallkiteError('validation_failed', `the address ${reason}`);
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

async function resolveAll(hostname: string): Promise<readonly string[]> {
  const found = await lookupName(hostname, { all: true });
  return found.map(({ address }) => address);
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}

/** Lets the receiver finish its answer, within limits. @returns `null` when it did not, or was cut off */
async function read(body: AsyncIterable<Uint8Array>, maximumBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes >= maximumBytes) return null;
      chunks.push(chunk);
    }
  } catch {
    // By the receiver or by the deadline.
    return null;
  }
  return Buffer.concat(chunks);
}

function retryAfter(value: string | string[] | undefined): number | null {
  const text = [value].flat()[0]?.trim();
  if (!text) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (!text.endsWith(' GMT')) return null;
  const seconds = Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

function failureOf(error: unknown): OutboundFailure {
  if (error instanceof Refusal) return error.failure;
  if (CallkiteError.isInstance(error)) return 'address refused';
  if (error instanceof errors.InvalidArgumentError) return 'invalid request';
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return 'invalid answer';
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'host not found';
  return /^ERR_(TLS|SSL)_|CERT|^UNABLE_TO_/.test(code) ? 'TLS failed' : 'connection failed';
}
