import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';
import { startReceiver } from '../notifications/receiver.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly scheme: 'none' | 'key' | 'operator' | 'other';
}

type Ids = Readonly<Record<string, string>>;

/** An organization in one mode, with one of everything. */
interface Side {
  readonly key: string;
  readonly ids: Ids;
}

const operatorToken = 'operator-token-of-the-tests';
let embedded: Embedded;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let operations: readonly Operation[];
const sides: Record<string, Side> = {};
/** Keys that open nothing of the API, and what they are. */
const strangers: Record<string, string | null> = { none: null };

async function send(key: string | null, method: string, path: string, body?: unknown) {
  const response = await fetch(embedded.url + path, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, json: () => JSON.parse(text) };
}

async function made(key: string, path: string, body?: unknown): Promise<Record<string, string>> {
  const { status, text, json } = await send(key, 'POST', path, body);
  if (status > 299) throw new Error(`POST ${path}: ${text}`);
  return json();
}

const definition = { objective: 'Ask whether Tuesday at 3 pm suits them.' };
const settings = { name: 'Front desk', phone_number: '+12025550160' };
const fields = [{ name: 'Name', type: 'text' }];

/** What each operation that takes a body is asked with. */
const bodies: Record<string, (ids: Ids) => unknown> = {
  triggerCall: ({ workflow }) => ({ recipient_phone: '+12025550103', workflow_id: workflow }),
  promptCall: () => ({ recipient_phone: '+12025550103', prompt: 'Ask whether they are open.' }),
  createWorkflow: () => ({ name: 'Mine', definition }),
  updateWorkflow: () => ({ name: 'Taken over', definition }),
  createForm: () => ({ title: 'Mine', fields }),
  updateForm: () => ({ title: 'Taken over' }),
  createTransferIntegration: () => settings,
  updateTransferIntegration: () => ({ phone_number: '+12025550161' }),
  createWebhook: () => ({ name: 'Mine', url: receiver.url }),
  updateWebhook: () => ({ name: 'Taken over', url: `${receiver.url}/elsewhere` }),
  addDoNotCall: () => ({ phone_number: '+12025550170' }),
  importDoNotCall: () => ({ phone_numbers: ['+12025550171'] }),
  createConnection: () => ({ account_id: 'AC00000000000000000000000000000000', secret: 'wrong' }),
  connectNumber: () => ({ phone_number: '+12025550184' }),
  createApiKey: () => ({ name: 'Mine', mode: 'live' }),
  createPublishableKey: ({ workflow }) => ({
    name: 'Mine',
    mode: 'live',
    allowed_origins: ['https://example.com'],
    workflow_ids: [workflow],
  }),
  updatePublishableKey: () => ({ name: 'Taken over' }),
  createOrganization: () => ({ name: 'Mine' }),
  updateOrganization: () => ({ name: 'Taken over' }),
  createOrganizationApiKey: () => ({ name: 'Mine', mode: 'live' }),
  createWidgetSession: ({ workflow }) => ({ workflow_id: workflow, media: 'text' }),
  createWidgetCallback: ({ workflow }) => ({ workflow_id: workflow, phone: '+12025550103' }),
};

/** Which of a side's ids stands in a path. */
function idIn(path: string): string {
  const names: Record<string, string> = {
    calls: 'call',
    recordings: 'call',
    workflows: 'workflow',
    forms: 'form',
    'transfer-integrations': 'transfer',
    webhooks: 'webhook',
    deliveries: 'delivery',
    connections: 'connection',
    numbers: 'number',
    'do-not-call': 'listed',
    'api-keys': 'apiKey',
    'publishable-keys': 'publishableKey',
    organizations: 'organization',
    widget: 'call',
  };
  const name = names[path.split('/')[1] ?? ''];
  if (name === undefined) throw new Error(`say whose id stands in ${path}`);
  return name;
}

const pathFor = ({ path }: Operation, ids: Ids) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name === 'key_id' ? 'apiKey' : idIn(path)] ?? 'missing');

function bodyFor({ method, operationId, path }: Operation, ids: Ids): unknown {
  if (method === 'GET' || method === 'DELETE') return undefined;
  return bodies[operationId]?.(ids) ?? (path.endsWith('}') ? {} : undefined);
}

/** What test mode may read of live mode. */
const sharedReads = ['getWorkflow', 'getForm'];
/** Live keys manage the keys of both modes. */
const isForKeys = ({ path }: Operation) => /^\/(api|publishable)-keys/.test(path);

async function furnish(key: string, organization: string, mode: string, manager: string): Promise<Side> {
  const form = await made(key, '/forms', { title: `Form of ${mode}`, fields });
  const webhook = await made(key, '/webhooks', { name: `Webhook of ${mode}`, url: receiver.url });
  const transfer = await made(key, '/transfer-integrations', { ...settings, name: `Desk of ${mode}` });
  const workflow = await made(key, '/workflows', {
    name: `Workflow of ${mode}`,
    definition: { ...definition, forms: [form.id], metadata: { webhooks: [webhook.id] } },
  });
  const call = await made(key, '/call-prompt', {
    prompt: `Secret of ${mode}: ask Jordan Avery whether they will come.`,
    recipient_phone: '+12025550102',
    callback_url: receiver.url,
  });
  await send(key, 'POST', `/calls/${call.call_id}/cancel`);
  await eventually(
    'the end of the call',
    async () =>
      ((await send(key, 'GET', `/calls/${call.call_id}`)).json() as { call_summary: string | null })
        .call_summary,
  );
  const delivery = await made(key, `/webhooks/${webhook.id}/test`);
  await eventually('the deliveries', async () => {
    const { deliveries } = (await send(key, 'GET', '/deliveries')).json();
    return (
      deliveries.length === 2 && deliveries.every((each: { status: string }) => each.status === 'delivered')
    );
  });
  const apiKey = await made(manager, '/api-keys', { name: `Key of ${mode}`, mode });
  const publishable = await made(manager, '/publishable-keys', {
    name: `Page of ${mode}`,
    mode,
    allowed_origins: ['https://example.com'],
    workflow_ids: [workflow.id],
  });
  const listed = mode === 'live' ? '+12025550180' : '+12025550181';
  await made(key, '/do-not-call', { phone_number: listed });
  const [connection] = (await send(key, 'GET', '/connections')).json().connections;
  const [number] = (await send(key, 'GET', '/numbers')).json().numbers;
  strangers[`publishable (${mode})`] = publishable.key ?? null;
  return {
    key,
    ids: {
      organization,
      form: form.id ?? '',
      webhook: webhook.id ?? '',
      transfer: transfer.id ?? '',
      workflow: workflow.id ?? '',
      promptWorkflow: call.workflow_id ?? '',
      call: call.call_id ?? '',
      delivery: delivery.id ?? '',
      listed,
      apiKey: apiKey.id ?? '',
      publishableKey: publishable.id ?? '',
      connection: connection.id,
      number: number.id,
    },
  };
}

/** What its own key reads of a side: the things it was furnished with, not those that came since. */
async function snapshot({ key, ids }: Side): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  const isFurniture = (item: unknown) => Object.values(ids).some((id) => JSON.stringify(item).includes(id));
  for (const operation of operations) {
    if (operation.method !== 'GET' || operation.scheme !== 'key') continue;
    const { status, text, json } = await send(key, 'GET', pathFor(operation, ids));
    const items = status === 200 ? Object.values(json()).find((each) => Array.isArray(each)) : undefined;
    seen[operation.operationId] =
      items === undefined || operation.path.includes('{') ? text : (items as unknown[]).filter(isFurniture);
  }
  return seen;
}

beforeAll(async () => {
  receiver = await startReceiver();
  embedded = await startEmbedded();
  const { organizationId } = embedded;
  sides.live = await furnish(embedded.liveKey, organizationId, 'live', embedded.liveKey);
  sides.test = await furnish(embedded.testKey, organizationId, 'test', embedded.liveKey);
  const other = await made(operatorToken, '/organizations', { name: 'Other' });
  for (const mode of ['live', 'test']) {
    const { key } = await made(operatorToken, `/organizations/${other.id}/api-keys`, { name: mode, mode });
    sides[`other's ${mode}`] = { key: key ?? '', ids: {} };
  }
  const revoked = await made(embedded.liveKey, '/api-keys', { name: 'Revoked', mode: 'live' });
  await send(embedded.liveKey, 'DELETE', `/api-keys/${revoked.id}`);
  strangers.revoked = revoked.key ?? null;
  strangers.operator = operatorToken;

  const document = (await send(null, 'GET', '/openapi.json')).json();
  operations = Object.entries(document.paths as Record<string, Record<string, never>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods as Record<string, { operationId: string; security?: object[] }>).map(
        ([method, { operationId, security }]) => ({
          method: method.toUpperCase(),
          path,
          operationId,
          scheme: schemeOf(security ?? []),
        }),
      ),
  );
}, 120_000);

function schemeOf(security: readonly object[]): Operation['scheme'] {
  const [name] = security.flatMap((each) => Object.keys(each));
  if (name === undefined) return 'none';
  return name === 'apiKey' ? 'key' : name === 'operatorToken' ? 'operator' : 'other';
}

afterAll(async () => {
  await embedded?.stop();
  await receiver?.close();
});

const side = (name: string): Side => {
  const found = sides[name];
  if (!found) throw new Error(`there is no side ${name}`);
  return found;
};

describe('every operation of the document', () => {
  it('is known by who may ask for it', () => {
    expect(operations.filter(({ scheme }) => scheme === 'key').length).toBeGreaterThan(40);
    expect(operations.filter(({ scheme }) => scheme === 'operator').length).toBeGreaterThan(4);
  });

  it('is closed to keys of another kind', async () => {
    const before = await snapshot(side('live'));
    for (const [name, key] of Object.entries({
      ...strangers,
      live: side('live').key,
      test: side('test').key,
    })) {
      for (const operation of operations) {
        const { scheme, method } = operation;
        const isItsOwn =
          scheme === 'none' ||
          scheme === 'other' ||
          (scheme === 'key' && (name === 'live' || name === 'test')) ||
          (scheme === 'operator' && name === 'operator');
        if (isItsOwn) continue;
        const { ids } = side('live');
        const { status } = await send(key, method, pathFor(operation, ids), bodyFor(operation, ids));
        // Many wrong keys from one address are refused as too many.
        expect([401, 429], `${name}: ${operation.operationId}`).toContain(status);
      }
    }
    expect(await snapshot(side('live'))).toEqual(before);
  });

  it.each([
    ['test', 'live'],
    ['live', 'test'],
    ["other's live", 'live'],
    ["other's test", 'test'],
    ["other's test", 'live'],
    ["other's live", 'test'],
  ])('lets the %s key neither see nor change what belongs to %s mode', async (actor, victim) => {
    const { key } = side(actor);
    const { ids } = side(victim);
    const before = await snapshot(side(victim));
    const marks = Object.entries(ids).filter(([name]) => name !== 'organization');
    // Reading first, for what is changed afterwards would hide it.
    for (const operation of operations.toSorted(
      (one, two) => Number(two.method === 'GET') - Number(one.method === 'GET'),
    )) {
      const { scheme, method, operationId } = operation;
      if (scheme !== 'key' || (actor === 'live' && isForKeys(operation))) continue;
      const { status, text } = await send(key, method, pathFor(operation, ids), bodyFor(operation, ids));
      const what = `${operationId} answered ${status}: ${text.slice(0, 300)}`;
      const mayRead = actor === 'test' && sharedReads.includes(operationId);
      if (operation.path.includes('{')) {
        expect(mayRead ? [200] : [403, 404], what).toContain(status);
      }
      if (mayRead) continue;
      for (const [name, id] of marks) {
        const isShared = actor === 'test' && (name === 'workflow' || name === 'form');
        if (!isShared && method === 'GET') expect(text.includes(id), `${what} tells the ${name}`).toBe(false);
      }
      expect(text, what).not.toContain(`Secret of ${victim}`);
    }
    expect(await snapshot(side(victim))).toEqual(before);
  });
});

describe('what is shared', () => {
  it('lets a test call run a live workflow, and tells only receivers of test mode', async () => {
    const { ids } = side('live');
    const { key } = side('test');
    const heard = (id: string) => receiver.requests.filter(({ body }) => body.includes(id)).length;
    await made(key, '/call', { recipient_phone: '+12025550107', workflow_id: ids.workflow });
    const [{ call_id }] = (await send(key, 'GET', '/calls?limit=1')).json().calls;
    await send(key, 'POST', `/calls/${call_id}/cancel`);
    await eventually(
      'the end of the call',
      async () => (await send(key, 'GET', `/calls/${call_id}`)).json().call_summary !== null,
    );
    expect((await send(key, 'GET', `/deliveries?call_id=${call_id}`)).json().deliveries).toEqual([]);
    expect(heard(call_id)).toBe(0);
  });

  it('lets no live call run a workflow of test mode, nor one of a prompt call of test mode', async () => {
    const { ids } = side('test');
    for (const workflow_id of [ids.workflow, ids.promptWorkflow]) {
      const body = { recipient_phone: '+12025550107', workflow_id };
      expect((await send(side('live').key, 'POST', '/call', body)).status).toBe(404);
    }
    const body = { recipient_phone: '+12025550107', workflow_id: side('live').ids.promptWorkflow };
    expect((await send(side('test').key, 'POST', '/call', body)).status).toBe(404);
  });

  it('lets no workflow name what belongs to the other mode', async () => {
    const create = async (actor: string, names: object) =>
      (
        await send(side(actor).key, 'POST', '/workflows', {
          name: 'Names',
          definition: { ...definition, ...names },
        })
      ).status;
    for (const [actor, other] of [
      ['test', 'live'],
      ['live', 'test'],
    ] as const) {
      const { ids } = side(other);
      expect(await create(actor, { metadata: { webhooks: [ids.webhook] } })).toBe(400);
      expect(await create(actor, { abilities: { transfer: [ids.transfer] } })).toBe(400);
    }
    expect(await create('live', { forms: [side('test').ids.form] })).toBe(400);
    expect(await create('test', { forms: [side('live').ids.form] })).toBe(201);
  });

  it('lets no page key of live mode name a workflow of test mode', async () => {
    const page = { name: 'Page', mode: 'live', allowed_origins: ['https://example.com'] };
    const { key } = side('live');
    const { workflow } = side('test').ids;
    expect((await send(key, 'POST', '/publishable-keys', { ...page, workflow_ids: [workflow] })).status).toBe(
      400,
    );
    const { publishableKey } = side('live').ids;
    expect(
      (await send(key, 'PATCH', `/publishable-keys/${publishableKey}`, { workflow_ids: [workflow] })).status,
    ).toBe(400);
  });
});
