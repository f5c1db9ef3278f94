import type { AddressInfo } from 'node:net';
import type { WidgetClientEvent, WidgetServerEvent } from '@callkite/contract';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type Connection, openConnection } from './connection.ts';
import { MessageLedger } from './message-ledger.ts';

let server: WebSocketServer;
let connection: Connection | undefined;
/** Sockets in the order in which they came. */
let sockets: { socket: WebSocket; protocols: string; received: WidgetClientEvent[] }[];
let told: WidgetServerEvent[];
let happened: string[];

beforeEach(async () => {
  // Node 20 has none of its own.
  vi.stubGlobal('WebSocket', WebSocket);
  [sockets, told, happened] = [[], [], []];
  server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'call.v1' });
  server.on('connection', (socket, request) => {
    const received: WidgetClientEvent[] = [];
    sockets.push({ socket, protocols: request.headers['sec-websocket-protocol'] ?? '', received });
    socket.on('message', (data) => received.push(JSON.parse(String(data))));
  });
  await vi.waitFor(() => expect(server.address()).not.toBeNull());
});
afterEach(() => {
  connection?.close();
  for (const { socket } of sockets) socket.terminate();
  server.close();
  vi.unstubAllGlobals();
});

function connect(ledger = new MessageLedger(), resumed = false): Connection {
  connection = openConnection({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'secret',
    ledger,
    resumed,
    start: { media: 'audio', codecs: ['mulaw/8000'], lang: 'en', tz: 'UTC' },
    onEvent: (event) => told.push(event),
    onSound: () => happened.push('sound'),
    onLost: () => happened.push('lost'),
    onClosed: (code) => happened.push(`closed ${code}`),
  });
  return connection;
}

/** The socket with this number, once it has said what it is here for. */
const begun = (number: number) =>
  vi.waitFor(() => {
    const found = sockets[number];
    if (!found?.received[0]) throw new Error(`socket ${number} has not begun`);
    return found;
  }, 5000);
const send = (number: number, event: WidgetServerEvent) =>
  sockets[number]?.socket.send(JSON.stringify(event));
const ready = (number: number, seq: number, received: number) =>
  send(number, {
    ...{ type: 'ready', call_id: 'call_1', seq, received, resumed: number > 0 },
    ...{ media: 'audio', codec: 'mulaw/8000' },
  });
const status = (number: number, seq: number) => send(number, { type: 'status', seq, status: 'listening' });
const positions = () => told.flatMap((event) => (event.type === 'status' ? [event.seq] : []));

it('begins with its token, and sends what was said before the line was there', async () => {
  const line = connect();
  line.send({ type: 'text', text: 'early' });
  const { protocols, received } = await begun(0);
  expect(protocols).toMatch(/^call\.v1, ?token\.secret$/);
  expect(received).toEqual([
    { type: 'start', resume: null, media: 'audio', codecs: ['mulaw/8000'], lang: 'en', tz: 'UTC' },
  ]);
  ready(0, 0, 0);
  await vi.waitFor(() => expect(received[1]).toEqual({ type: 'text', text: 'early', id: 1 }));
});

it('resumes where it was, with events once and messages again', async () => {
  const line = connect();
  await begun(0);
  ready(0, 0, 0);
  status(0, 1);
  sockets[0]?.socket.send(Buffer.alloc(160));
  status(0, 3);
  await vi.waitFor(() => expect(positions()).toEqual([1, 3]));
  line.send({ type: 'text', text: 'arrived' });
  line.send({ type: 'text', text: 'lost' });
  sockets[0]?.socket.terminate();
  const { received } = await begun(1);
  expect(received[0]).toMatchObject({ type: 'start', resume: 3 });
  ready(1, 3, 1);
  status(1, 3);
  status(1, 4);
  await vi.waitFor(() => expect(positions()).toEqual([1, 3, 4]));
  await vi.waitFor(() => expect(received[1]).toEqual({ type: 'text', text: 'lost', id: 2 }));
  expect(happened).toEqual(['sound', 'lost']);
});

it('tells what it has received', async () => {
  connect();
  const { received } = await begun(0);
  ready(0, 0, 0);
  status(0, 1);
  status(0, 2);
  await vi.waitFor(() => expect(received.at(-1)).toEqual({ type: 'ack', seq: 2 }), 5000);
});

it('goes on for another page with what that had kept', async () => {
  const ledger = new MessageLedger({
    position: 41,
    nextId: 8,
    pending: [{ type: 'text', id: 7, text: 'kept' }],
  });
  connect(ledger, true);
  const { received } = await begun(0);
  expect(received[0]).toMatchObject({ resume: 41 });
  ready(0, 41, 6);
  await vi.waitFor(() => expect(received[1]).toEqual({ type: 'text', id: 7, text: 'kept' }));
});

it.each([1000, 4401, 4410])('does not come back after %i', async (code) => {
  connect();
  await begun(0);
  ready(0, 0, 0);
  sockets[0]?.socket.close(code);
  await vi.waitFor(() => expect(happened).toEqual([`closed ${code}`]));
  expect(sockets).toHaveLength(1);
});

it('asks for what it may have missed when the first answer was lost', async () => {
  connect();
  await begun(0);
  sockets[0]?.socket.terminate();
  const { received } = await begun(1);
  expect(received[0]).toMatchObject({ resume: 0 });
});

it('sends sound only while there is a line', async () => {
  const line = connect();
  line.sendSound(new ArrayBuffer(160));
  await begun(0);
  ready(0, 0, 0);
  await vi.waitFor(() => expect(told).toHaveLength(1));
  let frames = 0;
  sockets[0]?.socket.on('message', (_data, isBinary) => {
    if (isBinary) frames++;
  });
  line.send({ type: 'dtmf', digit: '1' });
  await vi.waitFor(() => expect(sockets[0]?.received.at(-1)).toMatchObject({ type: 'dtmf' }));
  expect(frames).toBe(0);
});
