import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { ApiError } from '../api-error.ts';
import { authenticate } from '../exchange.ts';
import { strikeRequestError } from '../faults.ts';
import { newId } from '../reply.ts';
import type { RequestRecord } from '../request-log.ts';
import { type Connection, runSession, type SpeechContext, type SpeechSession } from './connection.ts';
import type { ConnectionLog } from './connection-log.ts';

/** The longest frame: what 15 MiB of sound make as base64, and something around it. */
const MAX_FRAME_BYTES = 21 * 1024 * 1024;

/** A path that sockets are opened at. */
export interface SpeechEndpoint {
  /** Checks the query and gives the model it names; null when the client will name it later. @throws ApiError */
  readModel(query: URLSearchParams): string | null;
  open(connection: Connection): SpeechSession;
}

export interface SpeechSocketsOptions {
  endpoints: Record<string, SpeechEndpoint>;
  apiKeys: ReadonlySet<string> | undefined;
  context: SpeechContext;
  connections: ConnectionLog;
  /** Called for each request once its status is known. */
  onRequest(record: RequestRecord): void;
}

export interface SpeechSockets {
  /** Takes a request to upgrade a connection to a socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Breaks all sockets. */
  close(): void;
}

function refuse(socket: Duplex, requestId: string, error: ApiError): void {
  const body = JSON.stringify({ error: error.body });
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    'x-request-id': requestId,
    ...error.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  );
}

/** Opens sockets to speech models: checks who asks and for what, and runs a session on each. */
export function speechSockets(options: SpeechSocketsOptions): SpeechSockets {
  const { apiKeys, connections, context } = options;
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES });
  const waiting = new Set<Duplex>();

  function admit(
    request: IncomingMessage,
    path: string,
    query: URLSearchParams,
  ): SpeechEndpoint & { model: string | null } {
    authenticate({ request }, apiKeys);
    const endpoint = options.endpoints[path];
    if (!endpoint) throw new ApiError(`Invalid URL (${request.method} ${path})`, { status: 404 });
    if (request.headers['openai-beta'] !== undefined) {
      throw new ApiError("The beta protocol is no longer available: leave the 'OpenAI-Beta' header out.", {
        code: 'beta_api_shape_disabled',
      });
    }
    const model = endpoint.readModel(query);
    const failure = strikeRequestError(context.faults, model ?? 'this model');
    if (failure) throw failure;
    return { ...endpoint, model };
  }

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      const url = new URL(request.url ?? '/', 'http://emulator');
      const id = newId('req_');
      const note = (status: number | null, model: string | null) => {
        const record: RequestRecord = {
          id,
          method: request.method ?? '',
          path: url.pathname,
          status,
          model,
          stream: true,
          retryCount: 0,
          cut: false,
        };
        options.onRequest(record);
        return record;
      };
      let admitted: ReturnType<typeof admit>;
      try {
        admitted = admit(request, url.pathname, url.searchParams);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        note(error.status, url.searchParams.get('model'));
        refuse(socket, id, error);
        return;
      }
      const { model, open } = admitted;
      if (context.faults.strike('connectHang')) {
        const record = note(null, model);
        waiting.add(socket);
        // Who leaves is noticed only by reading on.
        socket.once('end', () => socket.destroy()).resume();
        socket.once('close', () => {
          record.cut = true;
          waiting.delete(socket);
        });
        return;
      }
      server.handleUpgrade(request, socket, head, (opened: WebSocket) => {
        note(101, model);
        const record = connections.open({ id, path: url.pathname, model });
        runSession(opened, record, context.keepBodies, open);
      });
    },
    close() {
      for (const socket of waiting) socket.destroy();
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}
