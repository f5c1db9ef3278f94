import { postgres } from '@callkite/postgres';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';
import { startPostgres, type TestPostgres } from '../postgres/start-postgres.ts';
import { type CuttableLine, startCuttableLine } from './cuttable-line.ts';

const cooperative = '+12025550100';
/** Rings for twelve seconds of the call before it answers. */
const slow = '+12025550101';

let database: TestPostgres;
let line: CuttableLine;
let embedded: Embedded;

async function start(speed: number): Promise<void> {
  embedded = await startEmbedded({
    storage: postgres({ connectionString: line.url }),
    emulator: { speed },
  });
}

beforeEach(async () => {
  database = await startPostgres();
  line = await startCuttableLine(database.url);
});

afterEach(async () => {
  await line.restore();
  await embedded.stop();
  await line.close();
  await database.stop();
});

interface CallResource {
  call_id: string;
  state: string;
  call_status: string | null;
  provider_status: string | null;
  call_summary: string | null;
  messages: { role: string; content: string }[];
}

const trigger = (to: string, key?: string) =>
  embedded.request('POST', '/call', {
    workflow_id: embedded.workflowId,
    recipient_phone: to,
    ...(key === undefined ? {} : { idempotency_key: key }),
  });

const recordsTo = (to: string) => embedded.twilioEmulator.calls().filter((record) => record.to === to);

async function callsTo(to: string): Promise<CallResource[]> {
  const listed = await embedded.request('GET', `/calls?to=${encodeURIComponent(to)}`);
  if (!listed.ok) return [];
  const { calls } = (await listed.json()) as { calls: CallResource[] };
  return calls;
}

async function finished(to: string): Promise<CallResource> {
  const { call_id } = await eventually(
    'the end of the call',
    async () => (await callsTo(to)).find(({ state }) => state === 'completed'),
    40_000,
  );
  return eventually('the result', async () => {
    const call = (await (await embedded.request('GET', `/calls/${call_id}`)).json()) as CallResource;
    return call.call_summary === null ? null : call;
  });
}

const spokenTo = (to: string) =>
  recordsTo(to)
    .flatMap(({ transcript }) => transcript)
    .map(({ text }) => text)
    .join(' ');

const spaceless = (texts: readonly string[]) => texts.join('').replace(/\s/g, '');

describe('a database that is cut off', () => {
  it.each(['reset', 'silence'] as const)(
    '(%s) lets no request wait, takes in nothing, and is used again when it is back',
    async (how) => {
      await start(20);
      await line.cut(how);
      const startedAt = performance.now();
      const answers = await Promise.all(
        ['+12025550160', '+12025550161', '+12025550162'].map((to) => trigger(to, `outage ${to}`)),
      );
      const waitedMs = performance.now() - startedAt;
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
      for (const answer of answers) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(waitedMs).toBeLessThan(5_000);
      expect((await fetch(`${embedded.url}/readyz`)).status).toBe(503);
      await line.restore();
      await eventually('readiness', async () => (await fetch(`${embedded.url}/readyz`)).ok);
      expect(await callsTo('+12025550160')).toEqual([]);
      expect((await trigger('+12025550160', 'outage +12025550160')).status).toBe(200);
      expect(await finished('+12025550160')).toMatchObject({ call_status: 'success' });
      expect(recordsTo('+12025550160')).toHaveLength(1);
    },
  );

  it('is not ready for requests while it takes no writes', async () => {
    await start(20);
    const readiness = async () => {
      const answer = await fetch(`${embedded.url}/readyz`);
      return { status: answer.status, ...((await answer.json()) as { checks: Record<string, string> }) };
    };
    expect(await readiness()).toMatchObject({ status: 200, checks: { storage: 'ok' } });
    const administrator = new pg.Client({ connectionString: database.url });
    await administrator.connect();
    const name = new URL(database.url).pathname.slice(1);
    const setReadOnly = async (on: boolean) => {
      await administrator.query('set default_transaction_read_only = off');
      await administrator.query(`alter database "${name}" set default_transaction_read_only = ${on}`);
      // Takes effect with the next connection.
      await administrator.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
        [name],
      );
    };
    await setReadOnly(true);
    await eventually('word of it', async () => (await readiness()).checks.storage === 'read-only');
    expect((await readiness()).status).toBe(503);
    expect((await trigger('+12025550160', 'read-only')).status).toBe(503);
    await setReadOnly(false);
    await eventually('readiness', async () => (await readiness()).status === 200);
    expect((await trigger('+12025550160', 'read-only')).status).toBe(200);
    await administrator.end();
  });

  it('leaves no answered callee without a word', async () => {
    await start(4);
    await trigger(slow);
    await eventually('the ringing', () => recordsTo(slow)[0]?.timeline.ringingAt);
    await line.cut('silence');
    await eventually('the apology', () => /technical problem/.test(spokenTo(slow)), 30_000);
    await line.restore();
    expect(await finished(slow)).toMatchObject({
      call_status: 'not_picked_up',
      provider_status: 'failed',
      reason: 'agent_unavailable',
    });
    expect(recordsTo(slow)).toHaveLength(1);
  });

  it('interrupts no conversation, of which nothing is lost', async () => {
    await start(3);
    await trigger(cooperative);
    await eventually('words of the callee', () =>
      recordsTo(cooperative)[0]?.transcript.some(({ speaker }) => speaker === 'callee'),
    );
    await line.cut('reset');
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await line.restore();
    const { messages, ...call } = await finished(cooperative);
    expect(call).toMatchObject({ call_status: 'success', provider_status: 'completed' });
    const [record, ...others] = recordsTo(cooperative);
    expect(others).toEqual([]);
    expect(record?.relaySessions).toHaveLength(1);
    const onRecord = (role: string) =>
      messages.filter((message) => message.role === role).map(({ content }) => content);
    const heard = (speaker: string) =>
      (record?.transcript ?? []).filter((spoken) => spoken.speaker === speaker).map(({ text }) => text);
    // A last word may be spoken while the line is being hung up, and is told to nobody.
    expect(onRecord('user')).toEqual(heard('callee').slice(0, onRecord('user').length));
    expect(heard('callee').length - onRecord('user').length).toBeLessThanOrEqual(1);
    // While nothing can be looked up, the carrier gets the apology for an answer even after the goodbye.
    const agentsWords = heard('agent').filter((text) => !/technical problem/.test(text));
    expect(spaceless(onRecord('assistant'))).toBe(spaceless(agentsWords));
    expect(onRecord('assistant').filter((text) => /AI assistant/.test(text))).toHaveLength(1);
  });
});
