import type { WidgetSession } from '@callkite/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { eventually } from '../embedded.ts';
import { type Receiver, startReceiver } from '../faults/receiver.ts';
import type { ServerNode } from '../faults/server-node.ts';
import { startTwoServers, type TwoServers } from '../faults/two-servers.ts';
import { Visitor } from './visitor.ts';

const origin = 'https://www.example.com';

let servers: TwoServers;
let receiver: Receiver;
let workflowId: string;
let key: string;

beforeAll(async () => {
  [servers, receiver] = await Promise.all([
    startTwoServers({ settings: { CALLKITE_RESUME_SECONDS: '6', CALLKITE_DRAIN_SECONDS: '0' } }),
    startReceiver(0),
  ]);
  await furnish();
}, 120_000);

beforeEach(async () => {
  for (const node of servers.nodes) if (!node.running) await node.start();
}, 60_000);

afterAll(async () => {
  await servers.stop();
  await receiver.close();
});

async function furnish(): Promise<void> {
  const { integration } = await servers.control.webhooks.createIntegration(servers.live, {
    name: 'CRM',
    url: receiver.url,
  });
  const workflow = await servers.control.workflows.create(servers.live, {
    name: 'Visit',
    definition: {
      objective: 'Find out whether Tuesday at 3 pm suits the visitor for a visit.',
      steps: [
        { title: 'Ask', instruction: 'Ask whether Tuesday at 3 pm suits them.' },
        { title: 'Wrap up', instruction: 'Thank them and say goodbye.' },
      ],
      metadata: { webhooks: [integration.id] },
    },
  });
  workflowId = workflow.id;
  const created = await servers.control.publishableKeys.create(servers.live.organizationId, {
    mode: 'live',
    name: 'Website',
    allowedOrigins: [origin],
    workflowIds: [workflowId],
  });
  key = created.key.key;
}

/** A visitor in the middle of a call that this node holds. */
async function visitorAt(node: ServerNode): Promise<Visitor> {
  const answer = await fetch(`${servers.balancer.url}/widget/sessions`, {
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
    const { transcript } = await servers.control.calls.get(servers.live, session.call_id);
    return transcript.length === 2;
  });
  return visitor;
}

async function finished(callId: string) {
  return eventually(
    'the result',
    async () => {
      const { call, transcript } = await servers.control.calls.get(servers.live, callId);
      return call.summary !== null && { call, transcript };
    },
    60_000,
  );
}

const deliveriesOf = (callId: string) => receiver.received.filter((delivery) => delivery.callId === callId);

it('ends the calls of a server that was killed, and delivers their results', async () => {
  const visitor = await visitorAt(servers.first);
  const { call_id: callId } = visitor.session;
  await servers.first.kill();
  const { call, transcript } = await finished(callId);
  expect(call.outcome).toEqual({ callStatus: 'success', providerStatus: 'completed' });
  expect(call.reason).toBe('connection_lost');
  expect(transcript.map(({ content }) => content)).toEqual(visitor.lines.map(({ text }) => text.trim()));
  await eventually('the webhook', () => deliveriesOf(callId).length > 0);
  expect(deliveriesOf(callId)).toHaveLength(1);
}, 90_000);

it.each([
  ['was killed', () => servers.first.kill()],
  ['is stopping', () => servers.first.stop()],
] as const)(
  'takes over the visitor of a server that %s',
  async (_how, leave) => {
    const visitor = await visitorAt(servers.first);
    const { call_id: callId } = visitor.session;
    const closed = visitor.closed();
    await leave();
    expect([1006, 1012]).toContain(await closed);
    const elsewhere = new Visitor(
      { ...visitor.session, url: `${servers.second.url.replace('http', 'ws')}/widget/socket` },
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
