import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { apiReference } from '@callkite/api-reference';
import {
  type Callkite,
  type CallkiteOptions,
  createCallkite,
  emulatedNetwork,
  type Mode,
  type Principal,
  type Storage,
} from '@callkite/core';
import { serve } from '@callkite/core/node';
import { openAi, openAiRealtime } from '@callkite/openai';
import { type OpenAiEmulator, startOpenAiEmulator } from '@callkite/openai-emulator';
import { pglite } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import {
  builtInAccounts,
  type EmulatorOptions,
  startTwilioEmulator,
  type TwilioEmulator,
} from '@callkite/twilio-emulator';

/** An account of the emulated carrier. Its first number is connected for live calls, its second for test calls. */
export interface EmbeddedAccount {
  readonly sid: string;
  readonly authToken: string;
  readonly phoneNumbers: readonly string[];
}

export interface EmbeddedOptions {
  /** How much faster than life calls run. @default 1 */
  speed?: number;
  /** Receives what happens to calls. */
  onEvent?: NonNullable<CallkiteOptions['onEvent']>;
  /** Port on 127.0.0.1. @default any free one */
  port?: number;
  /** @default an embedded database in memory, gone when the process ends */
  storage?: Storage;
  /** @default the emulator's account with an approved profile */
  account?: EmbeddedAccount;
  /** Calls that may start in a second. @default 50 with the default account, otherwise what the account allows */
  callsPerSecond?: number;
  /** More options of the emulated carrier, such as its faults. */
  carrier?: EmulatorOptions;
  /** More options of Callkite. */
  callkite?: Partial<CallkiteOptions>;
  /** Puts Callkite behind a port. @default `serve` of `@callkite/core/node` */
  serve?: (callkite: Callkite, port: number) => Promise<{ close(): Promise<void> }>;
}

export interface Embedded {
  readonly callkite: Callkite;
  /** Base URL of the HTTP API. */
  readonly url: string;
  readonly organizationId: string;
  /** Whose calls go out: for `callkite.calls`. */
  readonly caller: Principal;
  /** API keys of the organization, for requests over HTTP. */
  readonly keys: Readonly<Record<Mode, string>>;
  readonly connectionId: string;
  readonly carrier: TwilioEmulator;
  readonly model: OpenAiEmulator;
  /** Drops live calls and stops everything. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a Callkite that needs nothing: database, phone network and model run in this process and no real phone can
 * ring. An organization with a connected number and keys is ready to place calls.
 */
export async function startEmbedded(options: EmbeddedOptions = {}): Promise<Embedded> {
  const speed = options.speed ?? 1;
  const carrier = await startTwilioEmulator({
    speed,
    allowInsecureLoopback: true,
    ...options.carrier,
  });
  const model = await startOpenAiEmulator({
    // As far ahead of its listener as at the speed of life.
    speech: {
      thinkMs: Math.round(250 / speed),
      timesRealTime: 10 * speed,
      transcriptionMs: Math.round(500 / speed),
    },
  });
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const telephony = (name: string) =>
    twilio({
      name,
      network: emulatedNetwork,
      publicUrl: url,
      apiBaseUrl: carrier.url,
      allowInsecure: true,
    });
  const emulated = { apiKey: 'emulated', baseURL: model.url };
  const account = options.account ?? builtInAccounts.approved;
  const numberOf = (mode: Mode) => {
    const [first, second] = account.phoneNumbers;
    const phoneNumber = mode === 'test' ? (second ?? first) : first;
    if (phoneNumber === undefined) throw new TypeError('the account needs a phone number');
    return phoneNumber;
  };
  const languageModel = openAi(emulated);
  const speechModel = openAiRealtime(emulated);
  const callkite = createCallkite({
    storage: options.storage ?? pglite({ dataDir: 'memory' }),
    telephony: telephony('twilio'),
    languageModel,
    speechModel,
    test: {
      telephony: telephony('twilio-test'),
      languageModel,
      speechModel,
      account: { accountId: account.sid, secret: account.authToken, phoneNumber: numberOf('test') },
    },
    publicUrl: url,
    apiReference: apiReference(),
    secretKey: randomBytes(32).toString('base64'),
    ...(options.onEvent && { onEvent: options.onEvent }),
    ...options.callkite,
  });
  const served = await (options.serve ?? ((mounted, at) => serve(mounted, { port: at })))(callkite, port);
  await callkite.start();

  const { id: organizationId } = await callkite.organizations.create({ name: 'Example Dental' });
  const line = async (mode: Mode) => {
    const callsPerSecond = options.callsPerSecond ?? (options.account ? undefined : 50);
    const connection = await callkite.organizations.connectCarrier(
      { organizationId, mode },
      {
        accountId: account.sid,
        secret: account.authToken,
        ...(callsPerSecond !== undefined && { callsPerSecond }),
      },
    );
    await callkite.organizations.connectNumber({ organizationId, mode }, connection.id, numberOf(mode));
    const { key, record } = await callkite.organizations.createApiKey(organizationId, { mode, name: mode });
    return { connectionId: connection.id, key, keyId: record.id };
  };
  const live = await line('live');
  const test = await line('test');

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    await callkite.stop({ drainMs: 0 });
    await served.close();
    await Promise.all([carrier.close(), model.close()]);
  }
  return {
    callkite,
    url,
    organizationId,
    caller: { organizationId, mode: 'live', keyId: live.keyId },
    keys: { live: live.key, test: test.key },
    connectionId: live.connectionId,
    carrier,
    model,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
