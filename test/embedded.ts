import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import {
  type Callkite,
  type CallkiteEvent,
  type CallkiteOptions,
  createCallkite,
  type Storage,
} from '@callkite/core';
import { attachSockets, nodeHandler } from '@callkite/core/node';
import { openAi } from '@callkite/openai';
import { type OpenAiEmulator, startOpenAiEmulator } from '@callkite/openai-emulator';
import { pglite } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import {
  builtInAccounts,
  type EmulatorOptions,
  startTwilioEmulator,
  type TwilioEmulator,
} from '@callkite/twilio-emulator';

/** Serves a Callkite on a port of 127.0.0.1, in whatever framework. */
export type Mount = (callkite: Callkite, port: number) => Promise<{ close(): Promise<void> }>;

export interface EmbeddedOptions {
  /** @default PGlite in memory */
  storage?: Storage;
  /** @default bare node:http */
  mount?: Mount;
  emulator?: EmulatorOptions;
  callkite?: Partial<CallkiteOptions>;
  /** @default the emulator's approved account */
  account?: { sid: string; authToken: string; phoneNumbers: readonly string[] };
  callsPerSecond?: number;
}

export interface Embedded {
  callkite: Callkite;
  url: string;
  liveKey: string;
  testKey: string;
  organizationId: string;
  connectionId: string;
  workflowId: string;
  /** Everything that happened so far in this process. */
  events: CallkiteEvent[];
  twilioEmulator: TwilioEmulator;
  openAiEmulator: OpenAiEmulator;
  /** A request with the live key. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  stop(): Promise<void>;
}

export const nodeMount: Mount = async (callkite, port) => {
  const server = createServer(nodeHandler(callkite));
  attachSockets(server, callkite);
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', resolve),
  );
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Asks until there is an answer; for facts that arrive by themselves. */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  timeoutMs = 20_000,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`${what} did not happen within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The whole product in this process: both emulators, a store, an organization with a number, keys and a workflow. */
export async function startEmbedded(options: EmbeddedOptions = {}): Promise<Embedded> {
  const twilioEmulator = await startTwilioEmulator({
    speed: 20,
    allowInsecureLoopback: true,
    ...options.emulator,
  });
  const openAiEmulator = await startOpenAiEmulator();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const events: CallkiteEvent[] = [];
  const carrier = (name: string) =>
    twilio({ name, publicUrl: url, apiBaseUrl: twilioEmulator.url, allowInsecure: true });
  const languageModel = openAi({ apiKey: 'emulated', baseURL: openAiEmulator.url });
  const callkite = createCallkite({
    storage: options.storage ?? pglite({ dataDir: 'memory' }),
    telephony: carrier('twilio'),
    languageModel,
    test: { telephony: carrier('twilio-test'), languageModel },
    publicUrl: url,
    secretKey: randomBytes(32).toString('base64'),
    operatorToken: 'operator-token-of-the-tests',
    allowPrivateCallbacks: true,
    requestsPerMinute: 100_000,
    onEvent: (event) => events.push(event),
    ...options.callkite,
  });
  await callkite.start();
  const mounted = await (options.mount ?? nodeMount)(callkite, port);

  const organization = await callkite.organizations.create({ name: 'Riverside Dental' });
  const account = options.account ?? builtInAccounts.approved;
  const connections = await Promise.all(
    (['live', 'test'] as const).map((mode) =>
      callkite.organizations.connectCarrier(organization.id, {
        mode,
        accountId: account.sid,
        secret: account.authToken,
        ...(options.account ? {} : { callsPerSecond: options.callsPerSecond ?? 50 }),
      }),
    ),
  );
  const [live, test] = connections;
  const [liveNumber, testNumber] = account.phoneNumbers;
  if (!live || !test || !liveNumber) throw new Error('the account has no numbers');
  await callkite.organizations.connectNumber(organization.id, live.id, liveNumber);
  await callkite.organizations.connectNumber(organization.id, test.id, testNumber ?? liveNumber);
  const keys = await Promise.all(
    (['live', 'test'] as const).map((mode) =>
      callkite.organizations.createApiKey(organization.id, { mode, name: 'tests' }),
    ),
  );
  const [liveKey, testKey] = keys.map(({ key }) => key);
  if (!liveKey || !testKey) throw new Error('no keys');
  const workflow = await callkite.workflows.create(organization.id, {
    name: 'Appointment reminder',
    definition: {
      objective: 'Remind the recipient of the appointment on Tuesday at 3 pm and ask whether they will come.',
      steps: [
        { title: 'Confirm', instruction: 'Ask whether Tuesday at 3 pm still suits them.' },
        { title: 'Wrap up', instruction: 'Thank them and say goodbye.' },
      ],
      voicemail: { message: 'This is a reminder of your appointment on Tuesday at 3 pm.' },
    },
  });

  return {
    callkite,
    url,
    liveKey,
    testKey,
    organizationId: organization.id,
    connectionId: live.id,
    workflowId: workflow.id,
    events,
    twilioEmulator,
    openAiEmulator,
    request: (method, path, body, headers) =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${liveKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    async stop() {
      await callkite.stop({ drainMs: 0 });
      await mounted.close();
      await twilioEmulator.close();
      await openAiEmulator.close();
    },
  };
}
