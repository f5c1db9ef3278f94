import { type Callkite, CallkiteError, type CallkiteOptions, createCallkite } from '@callkite/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../embedded.ts';

let embedded: Embedded;
let caller: { organizationId: string; mode: 'live'; keyId: string };

beforeAll(async () => {
  embedded = await startEmbedded();
  caller = { organizationId: embedded.organizationId, mode: 'live', keyId: 'none' };
});

afterAll(() => embedded.stop());

async function errorOf(promise: Promise<unknown>) {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (!CallkiteError.isInstance(error)) throw new Error(`expected a CallkiteError, not ${String(error)}`);
  return { code: error.code, error: error.message, details: error.details };
}

interface Case {
  readonly http: readonly [method: string, path: string, body?: unknown];
  // biome-ignore lint/suspicious/noExplicitAny: what the types forbid is what these calls are about.
  readonly code: (callkite: any, id: string) => Promise<unknown>;
  /** @default false */
  readonly operator?: boolean;
}

const long = 'x'.repeat(20_001);
const consent = { text: ' ', version: '1', time: 'now' };
const refused: Record<string, Case> = {
  'a call to nobody': {
    http: ['POST', '/call', { workflow_id: '', recipient_email: 'no', recipient_context: long }],
    code: ({ calls }) =>
      calls.trigger(caller, { workflowId: '', recipientEmail: 'no', recipientContext: long }),
  },
  'a call to a number that is none': {
    http: ['POST', '/call', { workflow_id: 'wf_1', recipient_phone: '911' }],
    code: ({ calls }) => calls.trigger(caller, { workflowId: 'wf_1', recipientPhone: '911' }),
  },
  'a call of a workflow that is none': {
    http: ['POST', '/call', { workflow_id: 'wf_1', recipient_phone: '+12025550142' }],
    code: ({ calls }) => calls.trigger(caller, { workflowId: 'wf_1', recipientPhone: '+12025550142' }),
  },
  'text that cannot be stored': {
    http: ['POST', '/call-prompt', { prompt: 'a\0b', recipient_phone: '+12025550142' }],
    code: ({ calls }) => calls.prompt(caller, { prompt: 'a\0b', recipientPhone: '+12025550142' }),
  },
  'a prompt that is blank, with a secret and a key that no header takes': {
    http: [
      'POST',
      '/call-prompt',
      { prompt: ' ', recipient_phone: '+12025550142', callback_secret: 'ö', idempotency_key: '\n' },
    ],
    code: ({ calls }) =>
      calls.prompt(caller, {
        prompt: ' ',
        recipientPhone: '+12025550142',
        callbackSecret: 'ö',
        idempotencyKey: '\n',
      }),
  },
  'a number on the do-not-call list that is none': {
    http: ['POST', '/do-not-call', { phone_number: '12' }],
    code: ({ doNotCall }) => doNotCall.add(caller, { phoneNumber: '12' }),
  },
  'a reason to lift a number that is too long': {
    http: ['DELETE', `/do-not-call/${encodeURIComponent('+12025550142')}?reason=${'x'.repeat(2000)}`],
    code: ({ doNotCall }) => doNotCall.lift(caller, '+12025550142', { reason: 'x'.repeat(2000) }),
  },
  'a callback to an address that is none': {
    http: ['POST', '/call-prompt', { prompt: 'Hi', recipient_phone: '+12025550142', callback_url: 'x' }],
    code: ({ calls }) =>
      calls.prompt(caller, { prompt: 'Hi', recipientPhone: '+12025550142', callbackUrl: 'x' }),
  },
  'workflows of a source that is none': {
    http: ['GET', '/workflows?source=mine'],
    code: ({ workflows }) => workflows.summaries(caller, { source: 'mine' }),
  },
  'a change of a webhook that changes nothing': {
    http: ['PATCH', '/webhooks/whk_1', {}],
    code: ({ webhooks }) => webhooks.updateIntegration(caller, 'whk_1', {}),
  },
  'a filter that is none': {
    http: ['GET', '/calls?state=asleep&created_after=yesterday'],
    code: ({ calls }, id) =>
      calls.list(
        { ...caller, organizationId: id },
        { state: 'asleep', createdAfter: 'yesterday' },
        firstPage,
      ),
  },
  'a page without end': {
    http: ['GET', '/forms?limit=1000'],
    code: ({ forms }, id) => forms.list(id, { limit: 1000, cursor: null }),
  },
  'a workflow without an objective': {
    http: ['POST', '/workflows', { name: ' ', definition: { steps: 'none' } }],
    code: ({ workflows }, id) => workflows.create(id, { name: ' ', definition: { steps: 'none' } }),
  },
  'a change of a workflow that changes nothing': {
    http: ['PATCH', '/workflows/wf_1', { expected_version: 0 }],
    code: ({ workflows }, id) => workflows.update(id, 'wf_1', { expectedVersion: 0 }),
  },
  'a form without fields': {
    http: ['POST', '/forms', { title: 'T', fields: [{ name: '', type: 'photo' }], color: 'red' }],
    code: ({ forms }, id) =>
      forms.create(id, { title: 'T', fields: [{ name: '', type: 'photo' }], color: 'red' }),
  },
  'a change of a form that changes nothing': {
    http: ['PATCH', '/forms/form_1', {}],
    code: ({ forms }, id) => forms.update(id, 'form_1', {}),
  },
  'a webhook without a name': {
    http: ['POST', '/webhooks', { url: 7 }],
    code: ({ webhooks }, id) => webhooks.createIntegration(id, { url: 7 }),
  },
  'a transfer that rings for ever': {
    http: ['POST', '/transfer-integrations', { name: 'B', phone_number: 7, ring_seconds: 1e6 }],
    code: ({ transferIntegrations }) =>
      transferIntegrations.create(caller, { name: 'B', phoneNumber: 7, ringSeconds: 1e6 }),
  },
  'a change of a transfer to a mode that is none': {
    http: ['PATCH', '/transfer-integrations/tri_1', { mode: 'tepid' }],
    code: ({ transferIntegrations }, id) => transferIntegrations.update(id, 'tri_1', { mode: 'tepid' }),
  },
  'an API key for no mode': {
    http: ['POST', '/api-keys', { name: long }],
    code: ({ organizations }, id) => organizations.createApiKey(id, { name: long }),
  },
  'a connection at no pace': {
    http: ['POST', '/connections', { account_id: '', secret: '', calls_per_second: -1 }],
    code: ({ organizations }, id) =>
      organizations.connectCarrier(id, { accountId: '', secret: '', callsPerSecond: -1 }),
  },
  'a number that is none': {
    http: ['POST', '/connections/con_1/numbers', { phone_number: 7 }],
    code: ({ organizations }, id) => organizations.connectNumber(id, 'con_1', 7),
  },
  'a publishable key for nowhere': {
    http: ['POST', '/publishable-keys', { name: 'W', mode: 'live', daily_calls: -1 }],
    code: ({ publishableKeys }, id) =>
      publishableKeys.create(id, { name: 'W', mode: 'live', dailyCalls: -1 }),
  },
  'a change of a publishable key to nonsense': {
    http: ['PATCH', '/publishable-keys/pub_1', { allowed_origins: 'everywhere' }],
    code: ({ publishableKeys }, id) => publishableKeys.update(id, 'pub_1', { allowedOrigins: 'everywhere' }),
  },
  'an organization without a name': {
    http: ['POST', '/organizations', { daily_call_minutes: -1 }],
    code: ({ organizations }) => organizations.create({ dailyCallMinutes: -1 }),
    operator: true,
  },
  'a change of an organization to nowhere': {
    http: ['PATCH', '/organizations/org_1', { allowed_countries: [] }],
    code: ({ organizations }) => organizations.update('org_1', { allowedCountries: [] }),
    operator: true,
  },
};
const firstPage = { limit: 20, cursor: null };

describe('the facade', () => {
  it.each(Object.entries(refused))('refuses %s as HTTP does', async (_name, { http, code, operator }) => {
    const [method, path, body] = http;
    const headers = operator ? { authorization: 'Bearer operator-token-of-the-tests' } : {};
    const answer = await embedded.request(method, path, body, headers);
    const told = { code: answer.headers.get('callkite-error-code'), ...((await answer.json()) as object) };
    expect(answer.status, JSON.stringify(told)).toBeGreaterThanOrEqual(400);
    const { details, ...error } = await errorOf(code(embedded.callkite, embedded.organizationId));
    expect({ ...error, ...(details && { details }) }).toEqual(told);
  });

  it('checks what visitors of pages ask for', async () => {
    const { webCalls } = embedded.callkite as unknown as Record<
      string,
      Record<string, (...input: unknown[]) => Promise<unknown>>
    >;
    const visit = { workflowId: '', email: 'no', consent };
    expect(await errorOf(webCalls?.openSession?.({}, visit) as Promise<unknown>)).toMatchObject({
      code: 'validation_failed',
      details: { workflow_id: [expect.any(String)], email: [expect.any(String)] },
    });
    const later = { ...visit, phone: '+12025550142', when: new Date(Number.NaN) };
    expect(await errorOf(webCalls?.requestCallback?.({}, later) as Promise<unknown>)).toMatchObject({
      details: { when: [expect.any(String)], 'consent.text': [expect.any(String)] },
    });
  });

  it('resolves to what was placed, and says when it was placed before', async () => {
    const { calls } = embedded.callkite;
    const input = { workflowId: embedded.workflowId, recipientPhone: '+12025550142', idempotencyKey: 'one' };
    const placed = await calls.trigger(caller, { ...input, dialInMs: 3_600_000 });
    expect(placed).toEqual({
      callId: expect.stringMatching(/^call_/),
      workflowId: embedded.workflowId,
      replayed: false,
    });
    expect(await calls.trigger(caller, { ...input, workflowId: 'wf_2' })).toEqual({
      ...placed,
      replayed: true,
    });
    await calls.cancel(caller, placed.callId);

    const prompt = { prompt: 'Ask when they open.', recipientPhone: '+12025550143', idempotencyKey: 'two' };
    const asked = await calls.prompt(caller, prompt);
    expect(await calls.prompt(caller, prompt)).toEqual({ ...asked, replayed: true });
    const { call } = await calls.get(caller, asked.callId);
    expect(asked).toEqual({ callId: call.id, workflowId: call.workflowId, replayed: false });
  });

  it('has no method that takes input and is not looked at above', () => {
    // Ids alone are looked up, and not found.
    const idsAlone =
      /^(get|delete|revoke|cancel|erase|is|identitySecretsOf|authenticate|rotateSecret|sendTest|resend|spendingToday|dailyCallMinutesOf|refreshConnection|listConnections|deleteConnection|listCarrierNumbers|listNumbers|disconnectNumber|callbackState|callbackCountries|upgrade)/;
    const pages = /^list/;
    const above = Object.values(refused).map(({ code }) => code.toString());
    const {
      handle: _handle,
      fetch: _fetch,
      start: _start,
      stop: _stop,
      carriers: _,
      ...services
    } = embedded.callkite;
    const methods = Object.entries(services).flatMap(([service, methods]) =>
      Object.keys(methods).map((name) => `${service}.${name}`),
    );
    const missing = methods.filter((method) => {
      const name = method.split('.')[1] ?? '';
      const isVisit = method === 'webCalls.openSession' || method === 'webCalls.requestCallback';
      const isRows = method === 'doNotCall.import';
      return (
        !isVisit &&
        !isRows &&
        !idsAlone.test(name) &&
        !pages.test(name) &&
        !above.some((code) => code.includes(method))
      );
    });
    expect(missing, 'check their input in core/src/facade.ts, and add a case to `refused`').toEqual([]);
  });
});

describe('createCallkite', () => {
  const good = (): CallkiteOptions => ({
    storage: {} as CallkiteOptions['storage'],
    telephony: {} as CallkiteOptions['telephony'],
    languageModel: {} as CallkiteOptions['languageModel'],
    publicUrl: 'https://calls.example.com',
    secretKey: Buffer.alloc(32, 7).toString('base64'),
  });
  const make = (change: object): Callkite => createCallkite({ ...good(), ...change });

  it.each<[string, object]>([
    ['publicUrl', { publicUrl: 'calls.example.com' }],
    ['publicUrl', { publicUrl: 'ftp://calls.example.com' }],
    ['publicUrl', { publicUrl: 'https://calls.example.com/' }],
    ['publicUrl', { publicUrl: 'https://calls.example.com?x=1' }],
    ['secretKey', { secretKey: Buffer.alloc(16).toString('base64') }],
    ['secretKey', { secretKey: 'x'.repeat(44) }],
    ['requestsPerMinute', { requestsPerMinute: 0 }],
    ['requestsPerMinute', { requestsPerMinute: Number.NaN }],
    ['dailyCallMinutes', { dailyCallMinutes: -5 }],
    ['confirmationWindowMs', { confirmationWindowMs: -1 }],
    ['trustedProxies', { trustedProxies: 1.5 }],
    ['webCalls.perAddressAndMinute', { webCalls: { perAddressAndMinute: -1 } }],
    ['webCalls.resumeWindowMs', { webCalls: { resumeWindowMs: '30' } }],
    ['voiceMode', { voiceMode: 'whisper' }],
    ['operatorToken', { operatorToken: '' }],
    ['storage', { storage: undefined }],
    ['test.telephony', { test: { languageModel: {} } }],
    ['runWorkers', { runWorkers: 'yes' }],
    ['onEvent', { onEvent: {} }],
  ])('refuses a wrong %s: %j', (name, change) => {
    expect(() => make(change)).toThrow(
      expect.objectContaining({ code: 'validation_failed', message: expect.stringContaining(`${name}`) }),
    );
  });

  it('names all that is wrong at once', () => {
    expect(() => make({ publicUrl: 'x', requestsPerMinute: -1 })).toThrow(
      /publicUrl: .*; requestsPerMinute: /,
    );
  });
});
