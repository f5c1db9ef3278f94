import { defineCallee } from '@callkite/twilio-emulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../embedded.ts';
import { startTwoServers, type TwoServers } from './two-servers.ts';

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

let servers: TwoServers;
beforeAll(async () => {
  servers = await startTwoServers({ callees: [asksForPerson] });
}, 120_000);
afterAll(() => servers.stop());

const recordOf = (to: string) => servers.carrier.calls().find((record) => record.to === to);
const heardFrom = (to: string, speaker: 'agent' | 'callee') =>
  (recordOf(to)?.transcript ?? []).filter((line) => line.speaker === speaker).map(({ text }) => text);

const disclosures = (texts: readonly string[]) => texts.filter((text) => /AI assistant calling/i.test(text));

it('a server that is asked to stop lets its live call end, and another takes over the rest', async () => {
  const to = '+12025550100';
  await servers.first.start();
  const callId = await servers.place(to);
  await eventually('words of the callee', () => heardFrom(to, 'callee').length > 0);
  const exit = servers.first.stop();
  await eventually(
    'readiness to go',
    async () => (await fetch(`${servers.first.url}/readyz`)).status === 503,
  );
  await servers.second.start();
  expect(await exit).toBe(0);
  const { call, onRecord } = await servers.ended(callId);
  expect(call.outcome).toEqual({ callStatus: 'success', providerStatus: 'completed' });
  expect(recordOf(to)?.relaySessions.map(({ status }) => status)).toEqual(['ended']);
  expect(disclosures(onRecord('assistant'))).toHaveLength(1);
}, 90_000);

it('a call whose server is killed goes on with another, where it was', async () => {
  const to = '+12025550103';
  await servers.first.start();
  // So that the conversation is on the one that is about to die.
  servers.keepFromSecond(true);
  const callId = await servers.place(to);
  await eventually('words of the callee', () => heardFrom(to, 'callee').length > 0);
  await eventually('their way into the store', async () => {
    const { transcript } = await servers.control.calls.get(servers.live, callId);
    return transcript.some(({ role }) => role === 'user');
  });
  const before = (await servers.control.calls.get(servers.live, callId)).transcript;
  servers.keepFromSecond(false);
  await servers.first.kill();
  const { call, onRecord } = await servers.ended(callId);
  expect(call.outcome).toEqual({ callStatus: 'success', providerStatus: 'completed' });
  expect(recordOf(to)?.relaySessions.length).toBe(2);
  expect(servers.carrier.calls().filter((record) => record.to === to)).toHaveLength(1);
  const { transcript: after } = await servers.control.calls.get(servers.live, callId);
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
  const integration = await servers.control.transferIntegrations.create(servers.live, {
    name: 'Front desk',
    mode: 'warm',
    phoneNumber: nobody,
    transferUrl: null,
    fallbackNumbers: [colleague],
    ringSeconds: 60,
    takeMessages: true,
  });
  const workflow = await servers.control.workflows.create(servers.live, {
    name: 'Order status',
    definition: {
      objective: 'Ask whether the order came.',
      steps: [{ title: 'Ask', instruction: 'Ask whether the order came.' }],
      abilities: { transfer: [integration.id] },
    },
  });
  for (const node of servers.nodes) if (!node.running) await node.start();
  servers.keepFromSecond(true);
  const answer = await fetch(`${servers.balancer.url}/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${servers.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workflow_id: workflow.id, recipient_phone: wantsPerson }),
  });
  expect(answer.status, await answer.clone().text()).toBe(200);
  const rings = await eventually(
    'the ringing',
    () => servers.carrier.calls().find(({ to, status }) => to === nobody && status === 'ringing'),
    60_000,
  );
  servers.keepFromSecond(false);
  await servers.first.kill();
  const { items } = await servers.control.calls.list(
    servers.live,
    { workflowId: workflow.id },
    { limit: 1, cursor: null },
  );
  const callId = items[0]?.id ?? '';
  await servers.ended(callId);
  const legs = servers.carrier.calls().filter(({ parentSid }) => parentSid === rings.parentSid);
  expect(legs.map(({ to }) => to)).toEqual([nobody, colleague]);
  const { transfers } = await servers.control.calls.get(servers.live, callId);
  expect(transfers.map(({ outcome, legs: tried }) => [outcome, tried.map((leg) => leg.outcome)])).toEqual([
    ['connected', ['no_answer', 'connected']],
  ]);
}, 120_000);
