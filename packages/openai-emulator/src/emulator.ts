import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from './api-error.ts';
import { type CompletionContext, complete } from './completion.ts';
import { steer } from './control.ts';
import { authenticate, type Exchange, sendJson } from './exchange.ts';
import { type FaultSettings, faultPlan } from './faults.ts';
import { liveEndpoint } from './live/endpoint.ts';
import { modelCatalog } from './model-catalog.ts';
import { realtimeEndpoint } from './realtime/endpoint.ts';
import { newId } from './reply.ts';
import { type RequestRecord, requestLog } from './request-log.ts';
import { responseMemory } from './response-memory.ts';
import { type ScriptedReply, type ScriptReport, script } from './script.ts';
import type { SpeechContext } from './speech/connection.ts';
import { type ConnectionRecord, connectionLog } from './speech/connection-log.ts';
import { type SpeechPace, speechPace } from './speech/pace.ts';
import { speechSockets } from './speech/sockets.ts';

const MAX_REQUEST_RECORDS = 1000;
const MAX_STORED_RESPONSES = 1000;
const MAX_CONNECTION_RECORDS = 200;

/** Limits the headers speak of; only the rate-limit fault enforces any. */
const RATE_LIMIT_HEADERS = {
  'x-ratelimit-limit-requests': '10000',
  'x-ratelimit-limit-tokens': '2000000',
  'x-ratelimit-remaining-requests': '9999',
  'x-ratelimit-remaining-tokens': '1999000',
  'x-ratelimit-reset-requests': '6ms',
  'x-ratelimit-reset-tokens': '30ms',
};

export interface OpenAiEmulatorOptions {
  /** @default 0, any free port */
  port?: number | undefined;
  /** @default '127.0.0.1' */
  host?: string | undefined;
  /** Accepted bearer keys. @default any non-empty key */
  apiKeys?: string[] | undefined;
  /** Model names accepted besides the built-in list. @default [] */
  models?: string[] | undefined;
  /** Milliseconds before the first token. @default 0 */
  firstTokenMs?: number | undefined;
  /** Speed of generation. @default unlimited */
  tokensPerSecond?: number | undefined;
  /** How fast the speech models are. @default see {@link SpeechPace} */
  speech?: Partial<SpeechPace> | undefined;
  /** Faults that are on from the start. @default none */
  faults?: FaultSettings | undefined;
  /** Exact replies, in order, in place of the model's. @default the model answers */
  script?: ScriptedReply[] | undefined;
  /** Keep request bodies in `requests()`, and events in `connections()`. @default false */
  keepBodies?: boolean | undefined;
  /** Called for each request once its status is known. */
  onRequest?: ((record: RequestRecord) => void) | undefined;
}

/** What can be changed while the emulator runs; a field that is left out stays as it is. */
export interface EmulatorConfiguration {
  /** Replaces all faults: one that is not named is switched off. */
  faults?: FaultSettings | undefined;
  /** Starts a new script; null gives the answers back to the model. */
  script?: ScriptedReply[] | null | undefined;
}

export interface OpenAiEmulator {
  /** Base URL for clients, with `/v1`. */
  url: string;
  /** @throws ZodError when the configuration is not valid */
  configure(configuration: EmulatorConfiguration): void;
  /** The newest 1000 requests, oldest first. */
  requests(): RequestRecord[];
  /** The newest 200 sockets to speech models, oldest first, and the events received on each. */
  connections(): ConnectionRecord[];
  scriptReport(): ScriptReport;
  /**
   * Ends all connections and stops listening. Idempotent.
   * Rejects, after it has stopped, when a script has replies left or was asked for more than it had.
   */
  close(): Promise<void>;
}

/** Starts a server that speaks the OpenAI text and speech APIs over the rule-based model. @throws ZodError for invalid options */
export async function startOpenAiEmulator(options: OpenAiEmulatorOptions = {}): Promise<OpenAiEmulator> {
  const apiKeys = options.apiKeys && new Set(options.apiKeys);
  const log = requestLog(MAX_REQUEST_RECORDS);
  const connections = connectionLog(MAX_CONNECTION_RECORDS);
  const plan = faultPlan(options.faults ?? {});
  const shared = {
    catalog: modelCatalog(options.models ?? []),
    script: script(options.script),
    keepBodies: options.keepBodies ?? false,
  };
  const context: CompletionContext = {
    ...shared,
    faults: plan.on('text'),
    memory: responseMemory(MAX_STORED_RESPONSES),
    pacing: { firstTokenMs: options.firstTokenMs ?? 0, tokensPerSecond: options.tokensPerSecond },
  };
  const speech: SpeechContext = {
    ...shared,
    faults: plan.on('speech'),
    pace: speechPace.parse(options.speech ?? {}),
  };

  async function route(exchange: Exchange): Promise<void> {
    const { path, request } = exchange;
    const invalidUrl = new ApiError(`Invalid URL (${request.method} ${path})`, { status: 404 });
    if (path.startsWith('/_emulator/')) {
      if (await steer(exchange, { faults: plan, script: shared.script, log, connections })) return;
      throw invalidUrl;
    }
    authenticate(exchange, apiKeys);
    const completions = path === '/v1/chat/completions' || path === '/v1/responses';
    if (!completions && path !== '/v1/models' && !path.startsWith('/v1/models/')) throw invalidUrl;
    if (request.method !== (completions ? 'POST' : 'GET')) {
      throw new ApiError(`Not allowed to ${request.method} on ${path}.`, {
        status: 405,
        code: 'method_not_supported',
      });
    }
    if (completions) return complete(exchange, path === '/v1/responses' ? 'responses' : 'chat', context);
    const modelId = decodeURIComponent(path.slice('/v1/models/'.length));
    sendJson(exchange, 200, path === '/v1/models' ? context.catalog.list() : context.catalog.get(modelId));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = newId('req_');
    const gone = new AbortController();
    response.once('close', () => {
      record.cut = !response.writableEnded;
      gone.abort();
    });
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const record: RequestRecord = {
      id,
      method: request.method ?? '',
      path,
      status: null,
      model: null,
      stream: false,
      retryCount: Number(request.headers['x-stainless-retry-count'] ?? 0),
      cut: false,
    };
    const exchange: Exchange = {
      request,
      response,
      path,
      record,
      headers: { 'x-request-id': id, 'openai-version': '2020-10-01', ...RATE_LIMIT_HEADERS },
      signal: gone.signal,
      settle(status) {
        record.status = status;
        if (!path.startsWith('/_emulator/')) log.add(record);
        options.onRequest?.(record);
      },
    };
    try {
      await route(exchange);
    } catch (error) {
      if (gone.signal.aborted) return;
      if (response.headersSent) {
        response.destroy();
        throw error;
      }
      const failure =
        error instanceof ApiError
          ? error
          : new ApiError('The emulator failed: see its output for the cause.', {
              status: 500,
              type: 'server_error',
            });
      sendJson(exchange, failure.status, { error: failure.body }, failure.headers);
      if (failure !== error) throw error;
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error('openai-emulator: a request failed by a defect of the emulator', error);
    });
  });
  const sockets = speechSockets({
    endpoints: { '/v1/realtime': realtimeEndpoint(speech), '/v1/live/sessions': liveEndpoint(speech) },
    apiKeys,
    context: speech,
    connections,
    onRequest(record) {
      log.add(record);
      options.onRequest?.(record);
    },
  });
  server.on('upgrade', sockets.upgrade);
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  const { address, family, port } = server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]` : address;

  let closing: Promise<void> | undefined;
  async function stop(): Promise<void> {
    const closed = once(server, 'close');
    sockets.close();
    server.close();
    server.closeAllConnections();
    await closed;
    const { unconsumed, unexpectedRequests } = shared.script.report();
    if (unconsumed.length === 0 && unexpectedRequests === 0) return;
    throw new Error(
      `The emulator's script did not fit: ${unconsumed.length} replies were never asked for and ${unexpectedRequests} requests came after its end.`,
    );
  }

  return {
    url: `http://${host}:${port}/v1`,
    configure({ faults, script: replies }) {
      if (faults !== undefined) plan.configure(faults);
      if (replies !== undefined) shared.script.load(replies ?? undefined);
    },
    requests: () => log.list(),
    connections: () => connections.list(),
    scriptReport: () => shared.script.report(),
    close() {
      closing ??= stop();
      return closing;
    },
  };
}
