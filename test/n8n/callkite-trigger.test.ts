import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';
import { isSigned } from './built-nodes.ts';
import { triggerWorkflow, type WebhookOutcome } from './n8n-contexts.ts';
import { serve } from './server-for-tests.ts';

let server: Embedded;
let n8n: Awaited<ReturnType<typeof serve>>;
let outcomes: WebhookOutcome[];
let trigger: ReturnType<typeof triggerWorkflow>;

beforeAll(async () => {
  server = await startEmbedded();
});
afterAll(() => server.stop());

beforeEach(async () => {
  outcomes = [];
  n8n = await serve(async ({ headers, body }) => {
    const outcome = await trigger.receive(headers, body);
    outcomes.push(outcome);
    return outcome;
  });
  trigger = workflowWith({ workflowIds: [server.workflowId] });
});
afterEach(async () => {
  await trigger.remove();
  await n8n.close();
});

const workflowWith = (parameters: Record<string, unknown>) =>
  triggerWorkflow({
    credential: { apiKey: server.liveKey, baseUrl: server.url },
    parameters: { registration: 'automatic', ...parameters },
    url: `${n8n.url}/webhook/abc/webhook`,
  });
const ask = async (method: string, path: string, body?: unknown) =>
  (await server.request(method, path, body)).json() as Promise<Record<string, unknown>>;
const integrations = async () =>
  (await ask('GET', '/webhooks')).webhooks as { id: string; name: string; url: string }[];
const integrationOfOthers = async () => {
  const { id } = await ask('POST', '/webhooks', { name: 'others', url: `${n8n.url}/others` });
  return id as string;
};
const attached = async (id = server.workflowId) => {
  const { definition } = (await ask('GET', `/workflows/${id}`)) as {
    definition: { metadata: { webhooks?: string[] } };
  };
  return definition.metadata.webhooks ?? [];
};
const call = (recipient_phone: string, workflow_id = server.workflowId) =>
  ask('POST', '/call', { recipient_phone, workflow_id, recipient_name: 'Jordan Avery' });

const signedBy = (secret: string, body: string, at = new Date()) => ({
  'webhook-id': 'dlv_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign('dlv_1', at, body),
});

describe('registration', () => {
  it('creates an integration that the workflow reports to, knows it, and removes it again', async () => {
    expect(await trigger.checkExists()).toBe(false);
    await trigger.create();
    const [integration] = await integrations();
    expect(integration).toMatchObject({
      name: 'n8n: Calls to the CRM',
      url: `${n8n.url}/webhook/abc/webhook`,
    });
    expect(await attached()).toEqual([integration?.id]);
    expect(await trigger.checkExists()).toBe(true);
    await trigger.remove();
    expect(await integrations()).toEqual([]);
    expect(await attached()).toEqual([]);
    expect(await trigger.checkExists()).toBe(false);
  });

  it('notices what was changed behind its back, and leaves the integrations of others alone', async () => {
    const others = await integrationOfOthers();
    const { definition } = (await ask('GET', `/workflows/${server.workflowId}`)) as { definition: object };
    await ask('PATCH', `/workflows/${server.workflowId}`, {
      definition: { ...definition, metadata: { owner: 'front desk', webhooks: [others] } },
    });
    await trigger.create();
    expect(await attached()).toEqual([others, trigger.staticData.webhookId]);

    await ask('PATCH', `/workflows/${server.workflowId}`, { definition });
    expect(await trigger.checkExists()).toBe(false);
    const forgotten = trigger.staticData.webhookId;
    await trigger.create();
    expect((await integrations()).map(({ id }) => id)).not.toContain(forgotten);
    expect(await attached()).toEqual([trigger.staticData.webhookId]);
    await server.request('DELETE', `/webhooks/${others}`);
  });

  it('saves a workflow that names an integration deleted since', async () => {
    const gone = await integrationOfOthers();
    const { definition } = (await ask('GET', `/workflows/${server.workflowId}`)) as { definition: object };
    await ask('PATCH', `/workflows/${server.workflowId}`, {
      definition: { ...definition, metadata: { webhooks: [gone] } },
    });
    await server.request('DELETE', `/webhooks/${gone}`);
    await trigger.create();
    expect(await attached()).toEqual([trigger.staticData.webhookId]);
  });

  it('leaves nothing behind when one of the workflows does not exist', async () => {
    const failing = workflowWith({ workflowIds: [server.workflowId, 'wf_none'] });
    await expect(failing.create()).rejects.toMatchObject({ httpCode: '404' });
    expect(await integrations()).toEqual([]);
    expect(await attached()).toEqual([]);
  });

  it('asks for a workflow, or for manual registration', async () => {
    await expect(workflowWith({ workflowIds: [] }).create()).rejects.toMatchObject({
      description: expect.stringContaining('Manual'),
    });
  });

  it('does nothing at Callkite when it is manual', async () => {
    const manual = workflowWith({ registration: 'manual', signingSecret: 'whsec_x' });
    expect(await manual.checkExists()).toBe(true);
    await manual.remove();
    expect(await integrations()).toEqual([]);
  });
});

describe('a completed call', () => {
  it('starts the workflow once, with context and time readable, however often it is delivered', async () => {
    await trigger.create();
    await call('+12025550102');
    const [first] = await eventually('the webhook', () => (outcomes.length > 0 ? outcomes : null));
    expect(first).toMatchObject({
      status: 200,
      items: [
        {
          workflow_id: server.workflowId,
          workflow_name: 'Appointment reminder',
          call_status: 'success',
          context: { name: 'Jordan Avery', email: null, number: '+12025550102', context: null },
          created_at: expect.stringMatching(/Z$/),
        },
      ],
    });
    const sent = await eventually('the delivery', async () => {
      const path = `/webhooks/${trigger.staticData.webhookId}/deliveries`;
      const { deliveries } = (await ask('GET', path)) as { deliveries: { id: string; status: string }[] };
      return deliveries.find(({ status }) => status === 'delivered');
    });
    expect((await server.request('POST', `/deliveries/${sent.id}/resend`)).status).toBe(202);
    await eventually('the second delivery', () => outcomes.length === 2);
    expect(outcomes[1]).toEqual({ status: 200, body: { ignored: 'repeated' }, items: [] });
  });

  it('is remembered when another webhook arrived together with it, though n8n keeps the memory of one', async () => {
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    trigger = workflowWith({ registration: 'manual', signingSecret: secret });
    const receive = (callId: string) => {
      const body = JSON.stringify({ call_id: callId, call_status: 'success', workflow_id: 'wf_1' });
      return trigger.receive(signedBy(secret, body), Buffer.from(body));
    };
    expect((await receive('call_1')).items).toHaveLength(1);
    // What n8n had read before the first was saved.
    trigger.staticData.callIds = [];
    expect((await receive('call_2')).items).toHaveLength(1);
    expect(trigger.staticData.callIds).toEqual(['call_1', 'call_2']);
    expect(await receive('call_1')).toMatchObject({ body: { ignored: 'repeated' }, items: [] });
  });

  it('is filtered by status and workflow', async () => {
    trigger = workflowWith({ workflowIds: [server.workflowId], callStatuses: ['voicemail'] });
    await trigger.create();
    await call('+12025550111');
    await eventually('the first webhook', () => outcomes.length === 1);
    await call('+12025550120');
    await eventually('the second webhook', () => outcomes.length === 2);
    expect(outcomes.map(({ body, items }) => [body, items.length])).toEqual([
      [{ ignored: 'status' }, 0],
      [{ message: 'Workflow was started' }, 1],
    ]);
  });

  it('gets through as a sample, which belongs to no workflow', async () => {
    await trigger.create();
    await server.request('POST', `/webhooks/${trigger.staticData.webhookId}/test`);
    expect(await eventually('the sample', () => outcomes[0])).toMatchObject({
      items: [{ call_id: expect.stringMatching(/^test_/) }],
    });
  });

  it('arrives at a pasted address too, when its secret is pasted as well', async () => {
    const url = `${n8n.url}/webhook/abc/webhook`;
    const { id, secret } = await ask('POST', '/webhooks', { name: 'pasted', url });
    trigger = workflowWith({ registration: 'manual', signingSecret: secret, workflowIds: ['wf_other'] });
    await server.request('POST', `/webhooks/${id}/test`);
    expect(await eventually('the sample', () => outcomes[0])).toMatchObject({ status: 200, items: [{}] });
    await server.request('DELETE', `/webhooks/${id}`);
  });
});

describe('the signature', () => {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const signed = (body: string, { at = new Date(), by = secret } = {}) => signedBy(by, body, at);
  const body = '{"call_id":"call_1","call_status":"success","workflow_id":"wf_1"}';
  const headers = signed(body);
  const other = `whsec_${randomBytes(24).toString('base64')}`;

  it.each([
    ['is right', headers, body, true],
    [
      'is one of several',
      { ...headers, 'webhook-signature': `v1,AAAA v2,x ${headers['webhook-signature']}` },
      body,
      true,
    ],
    ['is of other bytes', headers, `${body} `, false],
    ['is by another secret', signed(body, { by: other }), body, false],
    ['is six minutes old', signed(body, { at: new Date(Date.now() - 360_000) }), body, false],
    ['is of another delivery', { ...headers, 'webhook-id': 'dlv_2' }, body, false],
    ['is missing', {}, body, false],
  ])('that %s', (_what, given, text, valid) => {
    expect(isSigned(secret, given, Buffer.from(text))).toBe(valid);
  });

  it('is demanded of every request, also before anything is registered', async () => {
    const manual = workflowWith({ registration: 'manual', signingSecret: secret });
    expect(await manual.receive({}, Buffer.from(body))).toMatchObject({ status: 401, items: [] });
    expect(await manual.receive(headers, Buffer.from(body))).toMatchObject({ status: 200, items: [{}] });
    expect(await trigger.receive(headers, Buffer.from(body))).toMatchObject({
      status: 401,
    });
  });
});
