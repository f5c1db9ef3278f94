import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Callkite, type CallRecord, createCallkite, type TranscriptEntry } from '@callkite/core';
import { openAi } from '@callkite/openai';
import { type OpenAiEmulator, startOpenAiEmulator } from '@callkite/openai-emulator';
import { postgres } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import {
  builtInAccounts,
  defineCallee,
  startTwilioEmulator,
  type TwilioEmulator,
} from '@callkite/twilio-emulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../embedded.ts';
import { startPostgres, type TestPostgres } from '../postgres/start-postgres.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { ServerNode } from './server-node.ts';

// Servers that go out over a carrier of their own let go of the accounts of the network they would bring.
const account = { ...builtInAccounts.approved, sid: `AC${'7'.repeat(32)}` };
const root = fileURLToPath(new URL('../../', import.meta.url));

const wantsPerson = '+12125550150';
const asksForPerson = defineCallee({
  name: 'asks for a person',
  description: 'Asks for a person until it is being connected',
  numbers: [wantsPerson],
  async converse(line) {
    await line.heard();
    do await line.say('Could I speak to a person, please?');
    while (!(await line.heard()).includes('connecting'));
    await line.silence();
  },
});

let database: TestPostgres;
let carrier: TwilioEmulator;
let model: OpenAiEmulator;
let balancer: Balancer;
/** Reads and sets up; does no work itself. */
let control: Callkite;
let organizationId: string;
let key: string;
const nodes: ServerNode[] = [];
const [first, second] = [() => nodes[0] as ServerNode, () => nodes[1] as ServerNode];

beforeAll(async () => {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  await promisify(execFile)(process.execPath, [tsc, '-b', `${root}apps/server`]);
  [database, carrier, model, balancer] = await Promise.all([
    startPostgres(),
    startTwilioEmulator({
      accounts: [account],
      callees: [asksForPerson],
      speed: 4,
      allowInsecureLoopback: true,
    }),
    startOpenAiEmulator(),
    startBalancer(),
  ]);
  const secretKey = randomBytes(32).toString('base64');
  control = createCallkite({
    storage: postgres({ connectionString: database.url }),
    telephony: twilio({ publicUrl: balancer.url, apiBaseUrl: carrier.url, allowInsecure: true }),
    languageModel: openAi({ apiKey: 'emulated', baseURL: model.url }),
    publicUrl: balancer.url,
    secretKey,
    runWorkers: false,
  });
  await control.start();
  await furnish();
  for (let index = 0; index < 2; index += 1) {
    nodes.push(
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
      }),
    );
  }
}, 120_000);

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.kill()));
  await control.stop({ drainMs: 0 });
  await balancer.close();
  await carrier.close();
  await model.close();
  await database.stop();
});

async function furnish(): Promise<void> {
  const organization = await control.organizations.create({ name: 'Riverside Dental' });
  organizationId = organization.id;
  const connection = await control.organizations.connectCarrier(
    { organizationId, mode: 'live' },
    {
      accountId: account.sid,
      secret: account.authToken,
    },
  );
  await control.organizations.connectNumber(
    { organizationId, mode: 'live' },
    connection.id,
    account.phoneNumbers[0] ?? '',
  );
  const created = await control.organizations.createApiKey(organizationId, { mode: 'live', name: 'tests' });
  key = created.key;
}

async function place(to: string): Promise<string> {
  const answer = await fetch(`${balancer.url}/call-prompt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      prompt: 'Find out whether they are open on Monday, until when, and whether there is parking.',
      recipient_phone: to,
    }),
  });
  expect(answer.status, await answer.clone().text()).toBe(200);
  return ((await answer.json()) as { call_id: string }).call_id;
}

const recordOf = (to: string) => carrier.calls().find((record) => record.to === to);
const heardFrom = (to: string, speaker: 'agent' | 'callee') =>
  (recordOf(to)?.transcript ?? []).filter((line) => line.speaker === speaker).map(({ text }) => text);

async function ended(
  callId: string,
): Promise<{ call: CallRecord; onRecord(role: TranscriptEntry['role']): string[] }> {
  return eventually(
    'the result',
    async () => {
      const { call, transcript } = await control.calls.get({ organizationId, mode: 'live' }, callId);
      if (call.summary === null) return null;
      return {
        call,
        onRecord: (role) => transcript.filter((entry) => entry.role === role).map(({ content }) => content),
      };
    },
    60_000,
  );
}

const disclosures = (texts: readonly string[]) => texts.filter((text) => /AI assistant calling/i.test(text));

it('a server that is asked to stop lets its live call end, and another takes over the rest', async () => {
  const to = '+12025550100';
  await first().start();
  const callId = await place(to);
  await eventually('words of the callee', () => heardFrom(to, 'callee').length > 0);
  const exit = first().stop();
  await eventually('readiness to go', async () => (await fetch(`${first().url}/readyz`)).status === 503);
  await second().start();
  expect(await exit).toBe(0);
  const { call, onRecord } = await ended(callId);
  expect(call.outcome).toEqual({ callStatus: 'success', providerStatus: 'completed' });
  expect(recordOf(to)?.relaySessions.map(({ status }) => status)).toEqual(['ended']);
  expect(disclosures(onRecord('assistant'))).toHaveLength(1);
}, 90_000);

it('a call whose server is killed goes on with another, where it was', async () => {
  const to = '+12025550103';
  await first().start();
  // So that the conversation is on the one that is about to die.
  const other = [...balancer.targets].filter((port) => !first().url.endsWith(`:${port}`));
  for (const port of other) balancer.targets.delete(port);
  const callId = await place(to);
  await eventually('words of the callee', () => heardFrom(to, 'callee').length > 0);
  await eventually('their way into the store', async () => {
    const { transcript } = await control.calls.get({ organizationId, mode: 'live' }, callId);
    return transcript.some(({ role }) => role === 'user');
  });
  const before = (await control.calls.get({ organizationId, mode: 'live' }, callId)).transcript;
  for (const port of other) balancer.targets.add(port);
  await first().kill();
  const { call, onRecord } = await ended(callId);
  expect(call.outcome).toEqual({ callStatus: 'success', providerStatus: 'completed' });
  expect(recordOf(to)?.relaySessions.length).toBe(2);
  expect(carrier.calls().filter((record) => record.to === to)).toHaveLength(1);
  const { transcript: after } = await control.calls.get({ organizationId, mode: 'live' }, callId);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(disclosures(onRecord('assistant'))).toHaveLength(1);
  expect(disclosures(heardFrom(to, 'agent'))).toHaveLength(1);
  // Words spoken into the broken line, or into the hang-up, are told to nobody.
  const told = onRecord('user');
  const lost = heardFrom(to, 'callee').filter((text) => !told.includes(text));
  expect(lost.length).toBeLessThanOrEqual(2);
}, 90_000);

it('a transfer whose server is killed while the phone rings goes on with another, and rings nobody twice', async () => {
  const [nobody, colleague] = ['+12025550110', '+12025550160'];
  const integration = await control.transferIntegrations.create(
    { organizationId, mode: 'live' },
    {
      name: 'Front desk',
      mode: 'warm',
      phoneNumber: nobody,
      transferUrl: null,
      fallbackNumbers: [colleague],
      ringSeconds: 60,
      takeMessages: true,
    },
  );
  const workflow = await control.workflows.create(
    { organizationId, mode: 'live' },
    {
      name: 'Order status',
      definition: {
        objective: 'Ask whether the order came.',
        steps: [{ title: 'Ask', instruction: 'Ask whether the order came.' }],
        abilities: { transfer: [integration.id] },
      },
    },
  );
  for (const node of nodes) if (!node.running) await node.start();
  const others = [...balancer.targets].filter((port) => !first().url.endsWith(`:${port}`));
  for (const port of others) balancer.targets.delete(port);
  const answer = await fetch(`${balancer.url}/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workflow_id: workflow.id, recipient_phone: wantsPerson }),
  });
  expect(answer.status, await answer.clone().text()).toBe(200);
  const rings = await eventually(
    'the ringing',
    () => carrier.calls().find(({ to, status }) => to === nobody && status === 'ringing'),
    60_000,
  );
  for (const port of others) balancer.targets.add(port);
  await first().kill();
  const { items } = await control.calls.list(
    { organizationId, mode: 'live' },
    { workflowId: workflow.id },
    { limit: 1, cursor: null },
  );
  const callId = items[0]?.id ?? '';
  await ended(callId);
  const legs = carrier.calls().filter(({ parentSid }) => parentSid === rings.parentSid);
  expect(legs.map(({ to }) => to)).toEqual([nobody, colleague]);
  const { transfers } = await control.calls.get({ organizationId, mode: 'live' }, callId);
  expect(transfers.map(({ outcome, legs: tried }) => [outcome, tried.map((leg) => leg.outcome)])).toEqual([
    ['connected', ['no_answer', 'connected']],
  ]);
}, 120_000);
