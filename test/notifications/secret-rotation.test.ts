import { callkite, verifyWebhook, WebhookVerificationError } from '@callkite/client';
import { postgres } from '@callkite/postgres';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';
import { startPostgres, type TestPostgres } from '../postgres/start-postgres.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from './receiver.ts';

let database: TestPostgres;
let client: pg.Client;
let embedded: Embedded;
let receiver: Receiver;

beforeAll(async () => {
  database = await startPostgres();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  embedded = await startEmbedded({ storage: postgres({ connectionString: database.url }) });
});

afterAll(async () => {
  await client.end();
  await embedded.stop();
  await database.stop();
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(() => receiver.close());

async function createWebhook() {
  const { webhooks } = callkite({ apiKey: embedded.liveKey, baseUrl: embedded.url });
  const created = await webhooks.create({ name: 'CRM', url: receiver.url });
  return {
    ...created,
    rotate: () => webhooks.rotateSecret(created.id),
    async listed() {
      for await (const webhook of webhooks.list()) if (webhook.id === created.id) return webhook;
      throw new Error('the webhook is not listed');
    },
    /** Sends a sample and returns it as it arrived. */
    async send(): Promise<ReceivedRequest> {
      const before = receiver.requests.length;
      await webhooks.test(created.id);
      return eventually('the webhook', () => receiver.requests[before]);
    },
    pass: (hours: number) =>
      client.query(
        `update callkite.integrations
         set former_secret_expires_at = former_secret_expires_at - $2 * interval '1 hour' where id = $1`,
        [created.id, hours],
      ),
  };
}

const verifies = ({ body, headers }: ReceivedRequest, secret: string) => {
  try {
    return verifyWebhook(body, headers, secret).call_status === 'success';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
};
const signatures = ({ headers }: ReceivedRequest) => String(headers['webhook-signature']).split(' ');

it('receivers verify with the old and the new secret for a day, then with the new one only', async () => {
  const webhook = await createWebhook();
  expect(webhook.former_secret_expires_at).toBeNull();
  expect(signatures(await webhook.send())).toHaveLength(1);

  const rotated = await webhook.rotate();
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.secret).not.toBe(webhook.secret);
  const { former_secret_expires_at } = await webhook.listed();
  expect(former_secret_expires_at).toBe(rotated.former_secret_expires_at);
  const leftHours = (Date.parse(former_secret_expires_at ?? '') - Date.now()) / 3_600_000;
  expect(leftHours).toBeGreaterThan(23);
  expect(leftHours).toBeLessThan(25);

  const both = await webhook.send();
  expect(signatures(both)).toHaveLength(2);
  expect(verifies(both, webhook.secret)).toBe(true);
  expect(verifies(both, rotated.secret)).toBe(true);
  const newFirst = {
    ...both,
    headers: { ...both.headers, 'webhook-signature': signatures(both)[0] },
  };
  expect(verifies(newFirst, rotated.secret)).toBe(true);

  await webhook.pass(23);
  expect(signatures(await webhook.send())).toHaveLength(2);
  await webhook.pass(1);
  const alone = await webhook.send();
  expect(signatures(alone)).toHaveLength(1);
  expect(verifies(alone, rotated.secret)).toBe(true);
  expect(verifies(alone, webhook.secret)).toBe(false);
  expect((await webhook.listed()).former_secret_expires_at).toBeNull();
});

it('rotating again within the day keeps the newest two', async () => {
  const webhook = await createWebhook();
  const second = await webhook.rotate();
  const third = await webhook.rotate();
  const sent = await webhook.send();
  expect(signatures(sent)).toHaveLength(2);
  expect(verifies(sent, third.secret)).toBe(true);
  expect(verifies(sent, second.secret)).toBe(true);
  expect(verifies(sent, webhook.secret)).toBe(false);
});

it('no secret is at rest as it is', async () => {
  const webhook = await createWebhook();
  const rotated = await webhook.rotate();
  const { rows } = await client.query<{ row: string }>(
    'select i::text as row from callkite.integrations i where id = $1',
    [webhook.id],
  );
  expect(rows).toHaveLength(1);
  for (const secret of [webhook.secret, rotated.secret]) {
    expect(rows[0]?.row).not.toContain(secret.slice('whsec_'.length));
  }
});
