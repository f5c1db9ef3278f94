import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtInAccounts } from './accounts.ts';
import { type Application, startApplication } from './testing/application.ts';
import { Webhooks } from './webhooks.ts';

const { authToken } = builtInAccounts.approved;
let application: Application;
let webhooks: Webhooks;

beforeEach(async () => {
  application = await startApplication();
  webhooks = new Webhooks();
});
afterEach(async () => {
  webhooks.close();
  await application.close();
});

const send = (path: string, method: 'GET' | 'POST' = 'POST', totalTimeoutMs?: number) =>
  webhooks.send({
    url: application.url + path,
    method,
    parameters: { To: '+12025550100' },
    authToken,
    totalTimeoutMs,
  });

describe('webhooks', () => {
  it('sends a signed form', async () => {
    expect(await send('/hook?token=abc')).toMatchObject({ ok: true, status: 200, attempts: 1 });
    expect(application.webhooks).toMatchObject([
      { method: 'POST', form: { To: '+12025550100' }, isSigned: true },
    ]);
  });

  it('puts parameters into the query of a GET and signs that', async () => {
    await send('/hook?token=abc', 'GET');
    const [webhook] = application.webhooks;
    expect(webhook).toMatchObject({ method: 'GET', isSigned: true, form: {} });
    expect(webhook?.query.get('To')).toBe('+12025550100');
  });

  it('does not retry an error answer by default', async () => {
    application.answer('/hook', () => ({ status: 500 }));
    expect(await send('/hook')).toMatchObject({ ok: false, status: 500, attempts: 1 });
  });

  it('retries as the fragment asks, with one idempotency token, and neither sends nor signs the fragment', async () => {
    application.answer('/hook', () => (application.webhooks.length < 3 ? { status: 503 } : {}));
    expect(await send('/hook#rc=5&rp=all')).toMatchObject({ ok: true, attempts: 3 });
    expect(application.webhooks.every((webhook) => webhook.isSigned)).toBe(true);
    const tokens = new Set(application.webhooks.map((each) => each.headers['i-twilio-idempotency-token']));
    expect(tokens.size).toBe(1);
    expect([...tokens][0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('retries only what the policy names', async () => {
    application.answer('/hook', () => ({ status: 404 }));
    expect(await send('/hook#rc=3&rp=5xx')).toMatchObject({ attempts: 1 });
    expect(await send('/hook#rc=2&rp=4xx,5xx')).toMatchObject({ attempts: 3 });
  });

  it('retries a refused connection once by default', async () => {
    const url = 'http://127.0.0.1:1/hook';
    const result = await webhooks.send({ url, method: 'POST', parameters: {}, authToken });
    expect(result).toMatchObject({ ok: false, attempts: 2 });
  });

  it('retries a read timeout when asked to', async () => {
    application.answer('/hook', async () => {
      if (application.webhooks.length === 1) await new Promise((resolve) => setTimeout(resolve, 500));
      return {};
    });
    expect(await send('/hook#rt=150&rc=1&rp=rt')).toMatchObject({ ok: true, attempts: 2 });
  });

  it('keeps to the total time whatever the retries', async () => {
    application.answer('/hook', () => new Promise(() => {}));
    const result = await send('/hook#rc=5&rp=all&tt=200');
    expect(result).toMatchObject({ ok: false });
    expect(application.webhooks).toHaveLength(1);
  });

  it('follows a redirect as GET without parameters', async () => {
    application.answer('/old', () => ({ status: 302, headers: { location: '/new' } }));
    expect(await send('/old')).toMatchObject({ ok: true, url: `${application.url}/new` });
    expect(application.webhooks[1]).toMatchObject({ method: 'GET', path: '/new', form: {}, isSigned: true });
    expect(application.webhooks[1]?.query.size).toBe(0);
  });

  it('gives up on endless redirects and on endless bodies', async () => {
    application.answer('/loop', () => ({ status: 301, headers: { location: '/loop' } }));
    application.answer('/big', () => ({ body: 'x'.repeat(70_000) }));
    expect(await send('/loop')).toMatchObject({ ok: false, error: 'too many redirects' });
    expect(await send('/big')).toMatchObject({ ok: false, error: expect.stringContaining('65536 bytes') });
  });
});
