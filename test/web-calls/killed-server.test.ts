import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { WidgetSession } from '@callkite/contract';
import { type Callkite, createCallkite } from '@callkite/core';
import { openAi } from '@callkite/openai';
import { type OpenAiEmulator, startOpenAiEmulator } from '@callkite/openai-emulator';
import { postgres } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import { startTwilioEmulator, type TwilioEmulator } from '@callkite/twilio-emulator';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { eventually } from '../embedded.ts';
import { type Balancer, startBalancer } from '../faults/balancer.ts';
import { type Receiver, startReceiver } from '../faults/receiver.ts';
import { ServerNode } from '../faults/server-node.ts';
import { startPostgres, type TestPostgres } from '../postgres/start-postgres.ts';
import { Visitor } from './visitor.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const origin = 'https://www.example.com';

let database: TestPostgres;
let carrier: TwilioEmulator;
let model: OpenAiEmulator;
let balancer: Balancer;
let receiver: Receiver;
/** Reads and sets up; does no work itself. */
let control: Callkite;
let organizationId: string;
let workflowId: string;
let key: string;
const nodes: ServerNode[] = [];
const [first, second] = [() => nodes[0] as ServerNode, () => nodes[1] as ServerNode];

beforeAll(async () => {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  await promisify(execFile)(process.execPath, [tsc, '-b', `${root}apps/server`]);
  [database, carrier, model, balancer, receiver] = await Promise.all([
    startPostgres(),
    startTwilioEmulator({ allowInsecureLoopback: true }),
    startOpenAiEmulator(),
    startBalancer(),
    startReceiver(0),
  ]);
  const secretKey = randomBytes(32).toString('base64');
  control = createCallkite({
    storage: postgres({ connectionString: database.url }),
    telephony: twilio({ publicUrl: balancer.url, apiBaseUrl: carrier.url, allowInsecure: true }),
    languageModel: openAi({ apiKey: 'emulated', baseURL: model.url }),
    publicUrl: balancer.url,
    secretKey,
    allowPrivateCallbacks: true,
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
        CALLKITE_RESUME_SECONDS: '6',
        CALLKITE_DRAIN_SECONDS: '0',
        CALLKITE_DEMO: '0',
        LOG_LEVEL: 'error',
      }),
    );
  }
}, 120_000);

beforeEach(async () => {
  for (const node of nodes) if (!node.running) await node.start();
}, 60_000);

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.kill()));
  await control.stop({ drainMs: 0 });
  await Promise.all([balancer.close(), receiver.close(), carrier.close(), model.close()]);
  await database.stop();
});

async function furnish(): Promise<void> {
  organizationId = (await control.organizations.create({ name: 'Riverside Dental' })).id;
  const { integration } = await control.webhooks.createIntegration(
    { organizationId, mode: 'live' },
    {
      name: 'CRM',
      url: receiver.url,
    },
  );
  const workflow = await control.workflows.create(
    { organizationId, mode: 'live' },
    {
      name: 'Visit',
      definition: {
        objective: 'Find out whether Tuesday at 3 pm suits the visitor for a visit.',
        steps: [
          { title: 'Ask', instruction: 'Ask whether Tuesday at 3 pm suits them.' },
          { title: 'Wrap up', instruction: 'Thank them and say goodbye.' },
        ],
        metadata: { webhooks: [integration.id] },
      },
    },
  );
  workflowId = workflow.id;
  const created = await control.publishableKeys.create(organizationId, {
    mode: 'live',
    name: 'Website',
    allowedOrigins: [origin],
    workflowIds: [workflowId],
  });
  key = created.key.key;
}

/** A visitor in the middle of a call that this node holds. */
async function visitorAt(node: ServerNode): Promise<Visitor> {
  const answer = await fetch(`${balancer.url}/widget/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', origin },
    body: JSON.stringify({ workflow_id: workflowId, media: 'text' }),
  });
  expect(answer.status, await answer.clone().text()).toBe(201);
  const session = (await answer.json()) as WidgetSession;
  const visitor = new Visitor({ ...session, url: `${node.url.replace('http', 'ws')}/widget/socket` }, origin);
  await visitor.start();
  await visitor.agentLines(2);
  // What a killed server had not stored was not said, as far as the next one knows.
  await eventually('what was said', async () => {
    const { transcript } = await control.calls.get({ organizationId, mode: 'live' }, session.call_id);
    return transcript.length === 2;
  });
  return visitor;
}

async function finished(callId: string) {
  return eventually(
    'the result',
    async () => {
      const { call, transcript } = await control.calls.get({ organizationId, mode: 'live' }, callId);
      return call.summary !== null && { call, transcript };
    },
    60_000,
  );
}

const deliveriesOf = (callId: string) => receiver.received.filter((delivery) => delivery.callId === callId);

it('ends the calls of a server that was killed, and delivers their results', async () => {
  const visitor = await visitorAt(first());
  const { call_id: callId } = visitor.session;
  await first().kill();
  const { call, transcript } = await finished(callId);
  expect(call.outcome).toEqual({ callStatus: 'success', providerStatus: 'completed' });
  expect(call.reason).toBe('connection_lost');
  expect(transcript.map(({ content }) => content)).toEqual(visitor.lines.map(({ text }) => text.trim()));
  await eventually('the webhook', () => deliveriesOf(callId).length > 0);
  expect(deliveriesOf(callId)).toHaveLength(1);
}, 90_000);

it.each([
  ['was killed', () => first().kill()],
  ['is stopping', () => first().stop()],
] as const)(
  'takes over the visitor of a server that %s',
  async (_how, leave) => {
    const visitor = await visitorAt(first());
    const { call_id: callId } = visitor.session;
    const closed = visitor.closed();
    await leave();
    expect([1006, 1012]).toContain(await closed);
    const elsewhere = new Visitor(
      { ...visitor.session, url: `${second().url.replace('http', 'ws')}/widget/socket` },
      origin,
    );
    elsewhere.position = visitor.position;
    await elsewhere.start({ resume: visitor.position });
    expect(elsewhere.all('ready')).toMatchObject([{ resumed: true, seq: visitor.position }]);
    await elsewhere.agentLines(1);
    elsewhere.type('Yes, that suits me.');
    expect(await elsewhere.closed()).toBe(1000);
    const { call, transcript } = await finished(callId);
    expect(call.outcome).toEqual({ callStatus: 'success', providerStatus: 'completed' });
    expect(call.reason).toBeNull();
    expect(transcript.filter(({ content }) => /AI assistant/.test(content))).toHaveLength(1);
    expect(transcript.map(({ content }) => content)).toEqual(
      [...visitor.lines, ...elsewhere.lines].map(({ text }) => text.trim()),
    );
    await eventually('the webhook', () => deliveriesOf(callId).length > 0);
    expect(deliveriesOf(callId)).toHaveLength(1);
  },
  90_000,
);
