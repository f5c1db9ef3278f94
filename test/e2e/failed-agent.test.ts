import { afterEach, expect, it } from 'vitest';
import { eventually } from '../embedded.ts';
import { type CallDetail, startWebsite, type Website } from '../web-calls/website.ts';

let website: Website;
afterEach(() => website.stop());

const failed = { call_status: 'not_picked_up', provider_status: 'failed', reason: 'agent_unavailable' };
const apology = /technical problem/;

function breakModel(): void {
  website.embedded.openAiEmulator.configure({ faults: { error: { status: 503 } } });
}

async function told(callId: string): Promise<{ call: CallDetail; webhook: Record<string, unknown> }> {
  await eventually('the end', async () => (await website.call(callId)).state === 'completed');
  website.embedded.openAiEmulator.configure({ faults: {} });
  const webhook = await eventually('the webhook', () =>
    website.delivered.find((body) => body.call_id === callId),
  );
  return { call: await website.call(callId), webhook };
}

it.each(['relay', 'realtime'] as const)(
  'a call (%s) whose model cannot be reached is no success, and the webhook tells why',
  async (voiceMode) => {
    website = await startWebsite({ embedded: { callkite: { voiceMode } } });
    breakModel();
    const { embedded, workflowId } = website;
    const body = { workflow_id: workflowId, recipient_phone: '+12025550100' };
    const placed = await embedded.request('POST', '/call', body);
    const { call, webhook } = await told(placed.headers.get('callkite-call-id') ?? '');
    expect(call).toMatchObject(failed);
    expect(call.messages.at(-1)?.content).toMatch(apology);
    expect(webhook).toMatchObject({ call_status: 'not_picked_up', reason: 'agent_unavailable' });
  },
);

it('so does the callback of a prompt call', async () => {
  website = await startWebsite();
  const { embedded } = website;
  const { webhooks } = (await (await embedded.request('GET', '/webhooks')).json()) as {
    webhooks: { url: string }[];
  };
  const placed = await embedded.request('POST', '/call-prompt', {
    prompt: 'Ask Jordan whether Tuesday at 3 pm suits them.',
    recipient_phone: '+12025550100',
    callback_url: webhooks[0]?.url,
  });
  const { call_id: callId } = (await placed.json()) as { call_id: string };
  await eventually('the workflow', async () => (await website.call(callId)).state !== 'queued');
  breakModel();
  const { webhook: callback } = await told(callId);
  expect(callback).toMatchObject(failed);
});

it('so does a web call', async () => {
  website = await startWebsite();
  const visitor = await website.admit();
  breakModel();
  await visitor.start();
  expect(await visitor.closed()).toBe(1000);
  expect(visitor.all('end')).toMatchObject([{ reason: 'unavailable' }]);
  expect(visitor.lines.at(-1)?.text).toMatch(apology);
  const { call, webhook } = await told(visitor.session.call_id);
  expect(call).toMatchObject(failed);
  expect(webhook).toMatchObject({ call_status: 'not_picked_up', reason: 'agent_unavailable' });
});
