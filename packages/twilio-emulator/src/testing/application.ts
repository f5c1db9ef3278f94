import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import twilio from 'twilio';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Account, builtInAccounts } from '../accounts.ts';
import { startTwilioEmulator, type TwilioEmulator } from '../emulator.ts';
import type { CallRecord } from '../ledger.ts';
import type { EmulatorOptions } from '../options.ts';

/** A webhook the application under test received; its signature has been checked with Twilio's own validator. */
interface ReceivedWebhook {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  form: Record<string, string>;
  isSigned: boolean;
}

export interface WebhookAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

/** A relay or media socket as the application sees it. */
export interface RelaySocket {
  socket: WebSocket;
  isSigned: boolean;
  messages: { [field: string]: unknown }[];
  closed: { code: number; reason: string } | undefined;
  send(message: unknown): void;
  /** The next message of a type (or event) that was not asked for before. */
  next(type: string): Promise<Record<string, unknown>>;
}

/** A Twilio application for tests: real HTTP, real sockets. */
export interface Application {
  url: string;
  socketUrl: string;
  webhooks: ReceivedWebhook[];
  sockets: RelaySocket[];
  /** How webhooks to a path are answered. Without it: an empty 200. */
  answer(path: string, answer: (webhook: ReceivedWebhook) => WebhookAnswer | Promise<WebhookAnswer>): void;
  /** What is done with each relay socket. */
  onSocket(handler: (socket: RelaySocket) => void): void;
  to(path: string): ReceivedWebhook[];
  close(): Promise<void>;
}

export async function startApplication(account: Account = builtInAccounts.approved): Promise<Application> {
  const answers = new Map<string, (webhook: ReceivedWebhook) => WebhookAnswer | Promise<WebhookAnswer>>();
  const webhooks: ReceivedWebhook[] = [];
  const sockets: RelaySocket[] = [];
  let socketHandler: (socket: RelaySocket) => void = () => {};
  const signature = (headers: IncomingHttpHeaders) => String(headers['x-twilio-signature'] ?? '');

  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const target = new URL(request.url ?? '/', url);
    const form = Object.fromEntries(new URLSearchParams(body));
    const webhook: ReceivedWebhook = {
      method: request.method ?? '',
      path: target.pathname,
      query: target.searchParams,
      headers: request.headers,
      form,
      isSigned: twilio.validateRequest(
        account.authToken,
        signature(request.headers),
        `${url}${request.url}`,
        form,
      ),
    };
    webhooks.push(webhook);
    const {
      status = 200,
      headers = {},
      body: text = '',
    } = (await answers.get(target.pathname)?.(webhook)) ?? {};
    response.writeHead(status, headers).end(text);
  });
  const socketServer = new WebSocketServer({ server });
  socketServer.on('connection', (socket, request) => {
    const signed = `${url.replace('http:', 'ws:')}${request.url}`;
    const isSigned = twilio.validateRequest(account.authToken, signature(request.headers), signed, {});
    const relay = relaySocket(socket, isSigned);
    sockets.push(relay);
    socketHandler(relay);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    socketUrl: url.replace('http:', 'ws:'),
    webhooks,
    sockets,
    answer: (path, answer) => void answers.set(path, answer),
    onSocket(handler) {
      socketHandler = handler;
    },
    to: (path) => webhooks.filter((webhook) => webhook.path === path),
    async close() {
      for (const client of socketServer.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function relaySocket(socket: WebSocket, isSigned: boolean): RelaySocket {
  let taken = 0;
  let wake = () => {};
  const relay: RelaySocket = {
    socket,
    isSigned,
    messages: [],
    closed: undefined,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async next(type) {
      for (;;) {
        const index = relay.messages.findIndex(
          (message, at) => at >= taken && (message.type ?? message.event) === type,
        );
        const found = relay.messages[index];
        if (found) {
          taken = index + 1;
          return found;
        }
        if (relay.closed) throw new Error(`the socket closed before a message of type '${type}'`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
  socket.on('message', (data) => {
    relay.messages.push(JSON.parse(data.toString()));
    wake();
  });
  socket.on('close', (code, reason) => {
    relay.closed = { code, reason: reason.toString() };
    wake();
  });
  return relay;
}

/** An emulator, an application, and a Twilio client that talks to the emulator. */
export interface Stage {
  emulator: TwilioEmulator;
  application: Application;
  client: ReturnType<typeof twilio>;
  /** Resolves once a call is over. */
  ended(sid: string): Promise<CallRecord>;
  close(): Promise<void>;
}

export async function stage(
  options: EmulatorOptions = {},
  account = builtInAccounts.approved,
): Promise<Stage> {
  const emulator = await startTwilioEmulator({ speed: 20, allowInsecureLoopback: true, ...options });
  const application = await startApplication(account);
  return {
    emulator,
    application,
    client: twilioClient(emulator, account.sid, account.authToken),
    ended: (sid) => eventually(() => endedCall(emulator, sid)),
    async close() {
      await emulator.close();
      await application.close();
    },
  };
}

export function twilioClient(emulator: TwilioEmulator, user: string, password: string, accountSid = user) {
  const client = twilio(user, password, { accountSid, timeout: 2000 });
  client.api.baseUrl = emulator.url;
  client.trusthub.baseUrl = emulator.url;
  client.voice.baseUrl = emulator.url;
  return client;
}

/** Polls until `look` returns something. */
export async function eventually<Found>(look: () => Found | undefined, withinMs = 10_000): Promise<Found> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`nothing within ${withinMs} ms: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function endedCall(emulator: TwilioEmulator, sid: string): CallRecord | undefined {
  const record = emulator.call(sid);
  return record?.timeline.endedAt === undefined ? undefined : record;
}

/** An instruction document as an answer. */
export function twiml(verbs: string): WebhookAnswer {
  return {
    headers: { 'content-type': 'text/xml' },
    body: `<?xml version="1.0"?><Response>${verbs}</Response>`,
  };
}
