import { workflowDefinition } from '@callkite/contract';
import { createId, type Storage } from '@callkite/core';
import { createTenant, type Tenant } from '@callkite/core/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../test/postgres/start-postgres.ts';
import { postgres } from './postgres.ts';

const blank = { name: 'Blank', definition: workflowDefinition.parse({ objective: 'Nothing.' }) };
const line = { role: 'user', content: 'Do not record me.', interrupted: false } as const;

let server: TestPostgres;
let storage: Storage;
/** Holds the locks. */
let stranger: pg.Client;
/** In no transaction, in which it would go on seeing the connections that were there at first. */
let observer: pg.Client;
let tenant: Tenant;

beforeAll(async () => {
  server = await startPostgres();
  storage = postgres({ connectionString: server.url, statementTimeoutMs: 10_000 });
  await storage.start();
  stranger = new pg.Client({ connectionString: server.url });
  observer = new pg.Client({ connectionString: server.url });
  await Promise.all([stranger.connect(), observer.connect()]);
});
beforeEach(async () => {
  tenant = await createTenant(storage);
});
afterAll(async () => {
  await Promise.all([stranger.end(), observer.end()]);
  await storage.stop();
  await server.stop();
});

/**
 * Runs the works in this order, each begun before any is done: they queue up behind a statement of a stranger that
 * locks what the first of them needs.
 */
async function queueUp<Works extends readonly (() => Promise<unknown>)[]>(
  [statement, ...values]: readonly [string, ...unknown[]],
  ...works: Works
): Promise<{ [Each in keyof Works]: PromiseSettledResult<Awaited<ReturnType<Works[Each]>>> }> {
  const running: Promise<unknown>[] = [];
  await stranger.query('begin');
  try {
    await stranger.query(statement, values);
    for (const work of works) {
      let isOver = false;
      const result = work().finally(() => {
        isOver = true;
      });
      result.catch(() => undefined);
      running.push(result);
      while ((await countWaiting()) < running.length) {
        if (isOver) throw new Error(`number ${running.length} did not wait`);
      }
    }
  } finally {
    await stranger.query('rollback');
    await Promise.allSettled(running);
  }
  return (await Promise.allSettled(running)) as never;
}

async function countWaiting(): Promise<number> {
  const { rows } = await observer.query<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and application_name = 'callkite' and wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}

const lockCall = (callId: string) => ['select from callkite.calls where id = $1 for update', callId] as const;

async function over(changes?: Parameters<Tenant['placed']>[0]): Promise<string> {
  const { callId, attemptId, providerCallId } = await tenant.placed(changes);
  const report = { providerCallId, status: 'completed', answeredBy: null, durationSeconds: 1 } as const;
  await storage.calls.report(attemptId, report);
  return callId;
}

const erase = (callId: string) => storage.calls.erase(tenant, callId, blank);

describe('the sealing of a call', () => {
  async function ended() {
    const form = await storage.forms.create(tenant, {
      id: createId('form'),
      title: 'Visit',
      fields: [{ name: 'Name', type: 'text', required: true }],
    });
    const workflowId = createId('wf');
    await storage.workflows.create(tenant, {
      id: workflowId,
      name: 'Visit',
      definition: workflowDefinition.parse({ objective: 'Ask.', forms: [form.id] }),
    });
    const callId = await over({ work: { origin: 'workflow', workflowId } });
    const seal = () => storage.calls.seal(callId, { settle: 0, lease: 0, longest: 0 });
    const append = () => storage.calls.appendTranscript(callId, line);
    const answer = { field: 'Name', value: 'Jordan', confirmed: true, quote: 'I am Jordan.' };
    const store = () => storage.forms.storeAnswer(callId, form.id, answer);
    const stored = async () => (await storage.forms.ofCall(callId))[0]?.answers;
    return { callId, seal, append, store, stored };
  }

  it('refuses what is being stored while it commits', async () => {
    const { callId, seal, append, store, stored } = await ended();
    const [sealed, appended, answered] = await queueUp(lockCall(callId), seal, append, store);
    expect(sealed).toMatchObject({ status: 'fulfilled', value: { sealed: true } });
    expect(appended).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
    expect(answered).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
    expect(await storage.calls.transcript(callId)).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  it('comes after what was stored while it waited', async () => {
    const spoken = await ended();
    const [appended] = await queueUp(lockCall(spoken.callId), spoken.append, spoken.seal);
    expect(appended.status).toBe('fulfilled');
    expect(await storage.calls.transcript(spoken.callId)).toHaveLength(1);
    const filled = await ended();
    const [answered] = await queueUp(lockCall(filled.callId), filled.store, filled.seal);
    expect(answered.status).toBe('fulfilled');
    expect(await filled.stored()).toHaveLength(1);
  });
});

describe('the workflow of a prompt call', () => {
  async function prompted() {
    const { to, work } = tenant.promptInput();
    const callId = await prompt({ to, work });
    const { workflowId } = await tenant.call(callId);
    const again = tenant.input({
      work: { origin: 'workflow', workflowId },
      idempotency: {
        endpoint: 'POST /call',
        key: callId,
        keyHash: `hash of ${callId}`,
        fingerprint: 'fingerprint',
        lifetimeMs: 300_000,
        answer: { status: 200, body: '{}' },
      },
    });
    const name = async () => (await storage.workflows.get(tenant, workflowId))?.name;
    return { callId, workflowId, again, name };
  }

  async function prompt(changes: Parameters<Tenant['accept']>[0]): Promise<string> {
    const callId = await tenant.accept(changes);
    await storage.calls.cancel(tenant, callId);
    return callId;
  }

  it('is not found by a call that is accepted while it is being blanked', async () => {
    const { callId, workflowId, again, name } = await prompted();
    const [erased, accepted] = await queueUp(
      ['select from callkite.workflows where id = $1 for update', workflowId],
      () => erase(callId),
      () => storage.calls.accept(again),
    );
    expect(erased.status).toBe('fulfilled');
    expect(accepted).toEqual({ status: 'fulfilled', value: { result: 'workflow-not-found' } });
    expect(await storage.calls.get(tenant, again.callId)).toBeNull();
    expect(await name()).toBeUndefined();
  });

  it('is kept for a call that is being accepted when the other one is erased', async () => {
    const { callId, again, name } = await prompted();
    const [accepted, erased] = await queueUp(
      // A request with the same key, which is never committed.
      [
        `insert into callkite.idempotency (organization_id, endpoint, key, fingerprint, status, body, expires_at)
         values ($1, 'POST /call', $2, 'fingerprint', 202, 'held', now() + interval '5 minutes')`,
        tenant.organizationId,
        callId,
      ],
      () => storage.calls.accept(again),
      () => erase(callId),
    );
    expect(accepted).toMatchObject({ status: 'fulfilled', value: { result: 'accepted' } });
    expect(erased.status).toBe('fulfilled');
    expect((await tenant.call(callId)).erasedAt).not.toBeNull();
    expect(await name()).toBe('Opening hours');
    expect((await tenant.call(again.callId)).workflowName).toBe('Opening hours');
    expect((await storage.calls.load(again.callId))?.definition.objective).not.toBe('Nothing.');
  });

  it('is not taken for a request with the same key by a call without one', async () => {
    const { workflowId, again } = await prompted();
    const hasty = postgres({ connectionString: server.url, statementTimeoutMs: 300 });
    await stranger.query('begin');
    try {
      await stranger.query('select from callkite.workflows where id = $1 for update', [workflowId]);
      const accepted = hasty.calls.accept({ ...again, idempotency: null });
      await expect(accepted).rejects.toMatchObject({ code: 'storage_unavailable', retryable: true });
    } finally {
      await stranger.query('rollback');
      await hasty.stop();
    }
  });
});

describe('an opt-out', () => {
  async function optingOut() {
    const callId = await over();
    const { to } = await tenant.call(callId);
    const number = { phoneNumber: to, numberKey: `key of ${to}` };
    const optOut = () =>
      storage.doNotCall.add(tenant, [number], { source: 'callee', reason: null, callId, addedBy: null });
    const named = async () => {
      const { rows } = await observer.query<{ call_id: string | null }>(
        'select call_id from callkite.do_not_call where organization_id = $1 and phone_number is null and number_key = $2',
        [tenant.organizationId, number.numberKey],
      );
      return rows.map(({ call_id }) => call_id);
    };
    return { callId, to, optOut, named };
  }

  it('does not name a call that is being erased while it is stored', async () => {
    const { callId, optOut, named } = await optingOut();
    const [erased, stored] = await queueUp(lockCall(callId), () => erase(callId), optOut);
    expect([erased.status, stored.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await named()).toEqual([null]);
  });

  it('is found by the erasure of its call when it is stored and not committed', async () => {
    const { callId, to, optOut, named } = await optingOut();
    // It ends the queued calls to the number last.
    const queued = await tenant.accept({ to });
    const [stored, erased] = await queueUp(lockCall(queued), optOut, () => erase(callId));
    expect([stored.status, erased.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await named()).toEqual([null]);
    expect((await tenant.call(queued)).reason).toBe('blocked_dnc');
  });
});
