import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import type { Callkite, CallkiteEvent, CallkiteOptions, Storage } from '@callkite/core';
import { serve } from '@callkite/core/node';
import { type EmbeddedAccount, startEmbedded as start } from '@callkite/embedded';
import type { OpenAiEmulator } from '@callkite/openai-emulator';
import type { EmulatorOptions, TwilioEmulator } from '@callkite/twilio-emulator';
import { testStorage } from './test-storage.ts';

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
  account?: EmbeddedAccount;
  callsPerSecond?: number;
  /** How much faster than life. @default 20 */
  speed?: number;
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

export const nodeMount: Mount = (callkite, port) => serve(callkite, { port });

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
  everyMs = 25,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`${what} did not happen within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** The whole product in this process, faster than life, with a workflow and a way to send requests. */
export async function startEmbedded(options: EmbeddedOptions = {}): Promise<Embedded> {
  const events: CallkiteEvent[] = [];
  const { storage = testStorage(), account, callsPerSecond, mount = nodeMount } = options;
  const embedded = await start({
    speed: options.speed ?? 20,
    carrier: options.emulator ?? {},
    callkite: {
      operatorToken: 'operator-token-of-the-tests',
      allowPrivateCallbacks: true,
      requestsPerMinute: 100_000,
      onEvent: (event) => events.push(event),
      ...options.callkite,
    },
    serve: mount,
    storage,
    ...(account && { account }),
    ...(callsPerSecond !== undefined && { callsPerSecond }),
  });
  const { callkite, organizationId, url } = embedded;
  const workflow = await callkite.workflows.create(
    { organizationId, mode: 'live' },
    {
      name: 'Appointment reminder',
      definition: {
        objective:
          'Remind the recipient of the appointment on Tuesday at 3 pm and ask whether they will come.',
        steps: [
          { title: 'Confirm', instruction: 'Ask whether Tuesday at 3 pm still suits them.' },
          { title: 'Wrap up', instruction: 'Thank them and say goodbye.' },
        ],
        voicemail: { message: 'This is a reminder of your appointment on Tuesday at 3 pm.' },
      },
    },
  );
  return {
    callkite,
    url,
    liveKey: embedded.keys.live,
    testKey: embedded.keys.test,
    organizationId,
    connectionId: embedded.connectionId,
    workflowId: workflow.id,
    events,
    twilioEmulator: embedded.carrier,
    openAiEmulator: embedded.model,
    request: (method, path, body, headers) =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${embedded.keys.live}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    stop: embedded.stop,
  };
}
