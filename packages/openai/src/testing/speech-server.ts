import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { SpeechModelEvent, SpeechSession, SpeechSessionRequest } from '@callkite/core';
import { vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';

const waiting = { timeout: 10_000, interval: 5 };

type Command = Record<string, unknown> & { type: string };

/** The server's end of one session, in the hands of a test. */
export interface ServerSide {
  readonly request: IncomingMessage;
  readonly socket: WebSocket;
  /** Frames as they came. */
  readonly frames: string[];
  /** The next command, which must be of this type. */
  expect(type: string): Promise<Command>;
  /** Whether every command so far was expected. */
  isUpToDate(): boolean;
  send(...events: object[]): void;
}

export interface SpeechServer {
  readonly baseURL: string;
  /** How many sessions were asked for. */
  readonly asked: number;
  /** The next session that a client opens. */
  session(): Promise<ServerSide>;
  /** Answers upgrades so, from now on. */
  refuse(status: number, body: object, headers?: Record<string, string>): void;
  /** Leaves upgrades without an answer, from now on. */
  hang(): void;
  close(): void;
}

/** A speech model's server that does what the test does with it, and nothing by itself. */
export async function startSpeechServer(): Promise<SpeechServer> {
  const server = createServer();
  const upgrades = new WebSocketServer({ noServer: true });
  const opened: ServerSide[] = [];
  const sockets = new Set<Socket>();
  let asked = 0;
  let answer: ((socket: Socket) => void) | null = null;
  server.on('connection', (socket) => sockets.add(socket));
  server.on('upgrade', (request, socket: Socket, head) => {
    asked += 1;
    if (answer !== null) answer(socket);
    else
      upgrades.handleUpgrade(request, socket, head, (webSocket) =>
        opened.push(serverSide(webSocket, request)),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get asked() {
      return asked;
    },
    async session() {
      await vi.waitFor(() => assert.ok(opened.length > 0, 'no session was opened'), waiting);
      return opened.shift() as ServerSide;
    },
    refuse(status, body, headers = {}) {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const text = JSON.stringify(body);
      answer = (socket) =>
        socket.end(
          `HTTP/1.1 ${status} Refused\r\n${lines.join('')}content-length: ${text.length}\r\n\r\n${text}`,
        );
    },
    hang() {
      answer = () => {};
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function serverSide(socket: WebSocket, request: IncomingMessage): ServerSide {
  const frames: string[] = [];
  let read = 0;
  socket.on('message', (data) => frames.push(String(data)));
  return {
    request,
    socket,
    frames,
    async expect(type) {
      await vi.waitFor(() => assert.ok(frames.length > read, `waits for ${type}`), waiting);
      const command: Command = JSON.parse(frames[read] ?? '');
      assert.equal(command.type, type);
      read += 1;
      return command;
    },
    isUpToDate: () => read === frames.length,
    send(...events) {
      for (const event of events) socket.send(typeof event === 'string' ? event : JSON.stringify(event));
    },
  };
}

export const sessionRequest: SpeechSessionRequest = {
  instructions: 'You are on the phone.',
  tools: [],
  language: 'en-US',
  hints: [],
  voice: null,
  history: [],
};

/** Collects what a session tells. */
export function record(session: SpeechSession): SpeechModelEvent[] {
  const events: SpeechModelEvent[] = [];
  session.listen((event) => events.push(event));
  return events;
}

/** Waits until so many events were told. */
export async function told(events: readonly SpeechModelEvent[], count: number): Promise<void> {
  await vi.waitFor(() => assert.ok(events.length >= count, `told: ${JSON.stringify(events)}`), waiting);
}

/** Waits until the client has done all it does about what it was sent, and makes sure that all of it was expected. */
export async function settled(side: ServerSide): Promise<void> {
  const pong = once(side.socket, 'pong');
  side.socket.ping();
  await pong;
  assert.ok(side.isUpToDate(), `unexpected: ${side.frames.at(-1)}`);
}

/** Waits for the end, and gives its reason. */
export async function endOf(events: readonly SpeechModelEvent[]) {
  const last = await vi.waitFor(() => {
    const event = events.at(-1);
    if (event?.type !== 'closed') throw new Error('the session is open');
    return event;
  }, waiting);
  assert.equal(events.filter(({ type }) => type === 'closed').length, 1);
  return last.error;
}
