import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { widgetProtocol } from '@callkite/contract';
import { type WebSocket, WebSocketServer } from 'ws';
import type { BinarySocket } from '../calls/speech.ts';
import type { CarrierWebhooks } from '../channels/phone/carrier-webhooks.ts';
import type { WebCalls } from '../channels/web/web-calls.ts';
import type { HttpRequest, HttpResponse } from '../kernel/http.ts';
import { servesPath } from './handler.ts';
import { fromNode, type MountOptions, namesSeveralHosts, targetBelow } from './node-handler.ts';

/** What the sockets need of Callkite. */
export interface SocketMount {
  readonly carriers: Pick<CarrierWebhooks, 'upgrade'>;
  readonly webCalls: Pick<WebCalls, 'upgrade'>;
}

type Decision = { readonly accept: (socket: BinarySocket) => void } | { readonly refuse: HttpResponse };

/** One kind of socket: who decides about it, and within which bounds it is held. */
interface Door {
  readonly sockets: WebSocketServer;
  readonly pingMs: number;
  decide(request: HttpRequest): Promise<Decision>;
}

const carrierPath = /^\/carriers\/([\w-]{1,64})\/([^?]*)/;
const widgetPath = /^\/widget\/socket(\?|$)/;
const maximumCarrierBytes = 64 * 1024;
const maximumWidgetBytes = 16 * 1024;
const carrierPingMs = 20_000;
const widgetPingMs = 15_000;

/**
 * Lets carriers and visitors of web pages open WebSockets, below `/carriers` and at `/widget/socket`, on a server.
 * Upgrades of other paths are left to the host; without another listener for them they are refused. A request that would
 * rather speak another protocol, such as HTTP/2, is answered as if it had not asked (RFC 9110, 7.8).
 * @returns takes the listener off and drops the sockets
 */
export function attachSockets(
  server: Server,
  callkite: SocketMount,
  { basePath = '' }: MountOptions = {},
): () => void {
  const carrierSockets = new WebSocketServer({
    noServer: true,
    maxPayload: maximumCarrierBytes,
    perMessageDeflate: false,
  });
  const widgetSockets = new WebSocketServer({
    noServer: true,
    maxPayload: maximumWidgetBytes,
    perMessageDeflate: false,
    // What else is offered holds the visitor's token, which is not to be sent back.
    handleProtocols: (offered) => offered.has(widgetProtocol) && widgetProtocol,
  });

  function doorOf(target: string): Door | null {
    if (widgetPath.test(target)) {
      return {
        sockets: widgetSockets,
        pingMs: widgetPingMs,
        decide: (request) => callkite.webCalls.upgrade(request),
      };
    }
    const carrier = carrierPath.exec(target);
    return (
      carrier && {
        sockets: carrierSockets,
        pingMs: carrierPingMs,
        decide: (request) => callkite.carriers.upgrade(carrier[1] ?? '', carrier[2] ?? '', request),
      }
    );
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const target = targetBelow(basePath, request.url ?? '/');
    const isAlone = server.listenerCount('upgrade') === 1;
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      if (isAlone || (target !== null && servesPath(target)))
        answerWithoutUpgrade(server, request, socket, head);
      return;
    }
    const door = target === null ? null : doorOf(target);
    if (target === null || !door) {
      if (isAlone) refuse(socket, { status: 404, headers: {}, body: null });
      return;
    }
    if (namesSeveralHosts(request)) {
      refuse(socket, { status: 400, headers: {}, body: null });
      return;
    }
    const ignore = () => undefined;
    socket.on('error', ignore);
    door.decide(fromNode(request, target)).then(
      (decision) => {
        if ('refuse' in decision) {
          refuse(socket, decision.refuse);
          return;
        }
        socket.off('error', ignore);
        door.sockets.handleUpgrade(request, socket, head, (accepted) => {
          keepAlive(accepted, door.pingMs);
          decision.accept(mixedSocket(accepted, socket));
        });
      },
      () => refuse(socket, { status: 500, headers: {}, body: null }),
    );
  }

  server.on('upgrade', onUpgrade);
  return () => {
    server.off('upgrade', onUpgrade);
    for (const sockets of [carrierSockets, widgetSockets]) {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    }
  };
}

/** Headers that are about the protocol that is not taken up. */
const ofUpgrade = new Set(['upgrade', 'http2-settings']);

/** Node has let go of the connection: it is given it back, with the request as it would be without its wish. */
function answerWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(index, index + 2);
    if (ofUpgrade.has(name.toLowerCase())) continue;
    const kept =
      name.toLowerCase() === 'connection'
        ? value.split(',').filter((option) => !ofUpgrade.has(option.trim().toLowerCase()))
        : [value];
    if (kept.length > 0) lines.push(`${name}: ${kept.join(',')}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
}

/** A peer that vanished without a word is noticed by its missing pong. */
function keepAlive(socket: WebSocket, pingMs: number): void {
  let alive = true;
  socket.on('pong', () => {
    alive = true;
  });
  const timer = setInterval(() => {
    if (!alive) {
      socket.terminate();
      return;
    }
    alive = false;
    socket.ping();
  }, pingMs).unref();
  socket.once('close', () => clearInterval(timer));
}

function mixedSocket(socket: WebSocket, connection: Duplex): BinarySocket {
  const gather = gatherWrites(connection);
  let onBytes: ((bytes: Uint8Array) => void) | undefined;
  // A broken connection emits `close` as well, which is what listeners wait for.
  socket.on('error', () => undefined);
  return {
    send(text) {
      gather();
      socket.send(text);
    },
    sendBytes(bytes) {
      gather();
      socket.send(bytes);
    },
    close: (code, reason) => socket.close(code, reason),
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    onMessage(listener) {
      socket.on('message', (data, isBinary) => {
        if (!isBinary) listener(data.toString());
        else if (onBytes && Buffer.isBuffer(data)) onBytes(data);
        else socket.close(1003, 'text only');
      });
    },
    onBytes(listener) {
      onBytes = listener;
    },
    onClose(listener) {
      socket.once('close', listener);
    },
  };
}

/** So much is not held back for more: a long answer that comes in one go flows on while the rest of it is read. */
const gatheredBytes = 2 * 1024;

/**
 * To be called before writing: what is written one after the other then leaves in one go. Handing a frame of sound to the
 * network costs more than everything else that is done about it.
 */
function gatherWrites(connection: Duplex): () => void {
  let isGathering = false;
  function letGo(): void {
    isGathering = false;
    connection.uncork();
  }
  return () => {
    if (!isGathering) {
      isGathering = true;
      connection.cork();
      process.nextTick(letGo);
    } else if (connection.writableLength >= gatheredBytes) {
      connection.uncork();
      connection.cork();
    }
  };
}

function refuse(socket: Duplex, { status, headers, body }: HttpResponse): void {
  const bytes = Buffer.from(body ?? '');
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': bytes.length });
  socket.end(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 ${status} Refused\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
      ),
      bytes,
    ]),
  );
}
