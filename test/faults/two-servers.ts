import { randomBytes } from 'node:crypto';
import { type Callkite, type CallRecord, createCallkite, type TranscriptEntry } from '@callkite/core';
import { openAi } from '@callkite/openai';
import { startOpenAiEmulator } from '@callkite/openai-emulator';
import { postgres } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import {
  builtInAccounts,
  type defineCallee,
  startTwilioEmulator,
  type TwilioEmulator,
} from '@callkite/twilio-emulator';
import { expect } from 'vitest';
import { buildServer } from '../e2e/server-program.ts';
import { eventually } from '../embedded.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { ServerNode } from './server-node.ts';

// Servers that go out over a carrier of their own let go of the accounts of the network they would bring.
const account = { ...builtInAccounts.approved, sid: `AC${'7'.repeat(32)}` };

/** Two processes of the reference server behind a balancer, on a real Postgres; neither runs yet. */
export interface TwoServers {
  readonly carrier: TwilioEmulator;
  readonly balancer: Balancer;
  /** Reads and sets up; does no work itself. */
  readonly control: Callkite;
  /** Whom the live key is of. */
  readonly live: { readonly organizationId: string; readonly mode: 'live' };
  /** A live API key. */
  readonly key: string;
  readonly first: ServerNode;
  readonly second: ServerNode;
  readonly nodes: readonly ServerNode[];
  /** Nothing new gets to the second until this is called again with `false`. */
  keepFromSecond(away: boolean): void;
  place(to: string, more?: object): Promise<string>;
  /** Waits for the result. */
  ended(callId: string): Promise<{ call: CallRecord; onRecord(role: TranscriptEntry['role']): string[] }>;
  stop(): Promise<void>;
}

/** @param options.settings environment of both, besides what connects them */
export async function startTwoServers(
  options: {
    callees?: readonly ReturnType<typeof defineCallee>[];
    settings?: Readonly<Record<string, string>>;
  } = {},
): Promise<TwoServers> {
  await buildServer();
  const [database, carrier, model, balancer] = await Promise.all([
    startPostgres(),
    startTwilioEmulator({
      accounts: [account],
      callees: [...(options.callees ?? [])],
      speed: 4,
      allowInsecureLoopback: true,
    }),
    startOpenAiEmulator(),
    startBalancer(),
  ]);
  const secretKey = randomBytes(32).toString('base64');
  const control = createCallkite({
    storage: postgres({ connectionString: database.url }),
    telephony: twilio({ publicUrl: balancer.url, apiBaseUrl: carrier.url, allowInsecure: true }),
    languageModel: openAi({ apiKey: 'emulated', baseURL: model.url }),
    publicUrl: balancer.url,
    secretKey,
    allowPrivateCallbacks: true,
    runWorkers: false,
  });
  await control.start();
  const { id: organizationId } = await control.organizations.create({ name: 'Riverside Dental' });
  const live = { organizationId, mode: 'live' } as const;
  const connection = await control.organizations.connectCarrier(live, {
    accountId: account.sid,
    secret: account.authToken,
  });
  await control.organizations.connectNumber(live, connection.id, account.phoneNumbers[0] ?? '');
  const { key } = await control.organizations.createApiKey(organizationId, { mode: 'live', name: 'tests' });
  const newNode = () =>
    new ServerNode(balancer.targets, {
      DATABASE_URL: database.url,
      PUBLIC_URL: balancer.url,
      TWILIO_API_BASE_URL: carrier.url,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'emulated',
      CALLKITE_SECRET_KEY: secretKey,
      CALLKITE_OPERATOR_TOKEN: 'operator-token-of-the-restarts',
      CALLKITE_ALLOW_PRIVATE_CALLBACKS: '1',
      CALLKITE_DEMO: '0',
      LOG_LEVEL: 'error',
      ...options.settings,
    });
  const [first, second] = [newNode(), newNode()];
  const nodes = [first, second];

  return {
    carrier,
    balancer,
    control,
    live,
    key,
    first,
    second,
    nodes,
    keepFromSecond(away) {
      const port = Number(new URL(second.url).port);
      if (away) balancer.targets.delete(port);
      else balancer.targets.add(port);
    },
    async place(to, more = {}) {
      const answer = await fetch(`${balancer.url}/call-prompt`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          prompt: 'Find out whether they are open on Monday, until when, and whether there is parking.',
          recipient_phone: to,
          ...more,
        }),
      });
      expect(answer.status, await answer.clone().text()).toBe(200);
      return ((await answer.json()) as { call_id: string }).call_id;
    },
    ended: (callId) =>
      eventually(
        'the result',
        async () => {
          const { call, transcript } = await control.calls.get(live, callId);
          if (call.summary === null) return null;
          return {
            call,
            onRecord: (role: TranscriptEntry['role']) =>
              transcript.filter((entry) => entry.role === role).map(({ content }) => content),
          };
        },
        60_000,
      ),
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()));
      await control.stop({ drainMs: 0 });
      await balancer.close();
      await carrier.close();
      await model.close();
      await database.stop();
    },
  };
}
