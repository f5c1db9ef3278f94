import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CarrierIngress } from '../calls/carrier-ingress.ts';
import type { HttpResponse } from '../ports/http.ts';
import type { TextSocket } from '../ports/speech.ts';
import { fromNode, type MountOptions, targetBelow } from './node-handler.ts';

/** What the sockets need of Callkite. */
export interface SocketMount {
  readonly carriers: Pick<CarrierIngress, 'upgrade'>;
}

const carrierPath = /^\/carriers\/([\w-]{1,64})\/([^?]*)/;
const maximumMessageBytes = 64 * 1024;
const pingMs = 20_000;

/**
 * Lets carriers open WebSockets, below `/carriers`, on a server. Upgrades of other paths are left to the host; without
 * another listener for them they are refused.
 * @returns takes the listener off and drops the sockets
 */
export function attachSockets(
  server: Server,
  callkite: SocketMount,
  { basePath = '' }: MountOptions = {},
): () => void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maximumMessageBytes,
    perMessageDeflate: false,
  });

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const target = targetBelow(basePath, request.url ?? '/');
    const carrier = target === null ? null : carrierPath.exec(target);
    if (target === null || !carrier) {
      if (server.listenerCount('upgrade') === 1) refuse(socket, { status: 404, headers: {}, body: null });
      return;
    }
    const ignore = () => undefined;
    socket.on('error', ignore);
    callkite.carriers.upgrade(carrier[1] ?? '', carrier[2] ?? '', fromNode(request, target)).then(
      (decision) => {
        if ('refuse' in decision) {
          refuse(socket, decision.refuse);
          return;
        }
        socket.off('error', ignore);
        sockets.handleUpgrade(request, socket, head, (accepted) => {
          keepAlive(accepted);
          decision.accept(textSocket(accepted));
        });
      },
      () => refuse(socket, { status: 500, headers: {}, body: null }),
    );
  }

  server.on('upgrade', onUpgrade);
  return () => {
    server.off('upgrade', onUpgrade);
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
  };
}

/** A peer that vanished without a word is noticed by its missing pong. */
function keepAlive(socket: WebSocket): void {
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

function textSocket(socket: WebSocket): TextSocket {
  // A broken connection emits `close` as well, which is what listeners wait for.
  socket.on('error', () => undefined);
  return {
    send: (text) => socket.send(text),
    close: (code, reason) => socket.close(code, reason),
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    onMessage(listener) {
      socket.on('message', (data, isBinary) => {
        if (isBinary) socket.close(1003, 'text only');
        else listener(data.toString());
      });
    },
    onClose(listener) {
      socket.once('close', listener);
    },
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
