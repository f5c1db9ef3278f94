import { createId, type Storage } from '@callkite/core';
import { createTenant, type Tenant } from '@callkite/core/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../test/postgres/start-postgres.ts';
import { postgres } from './postgres.ts';

/** The statements of the version before migration 0014, for what was changed since. Never adapt them. */
const earlier = {
  optOut: `insert into callkite.do_not_call (organization_id, phone_number, source, call_id)
    select $1, $2, $3, (select id from (
      select id, summary is not null and off_the_record as is_forgotten
      from callkite.calls where id = $4 and erased_at is null for share) call)
    on conflict do nothing`,
  isOptedOut: `select exists (
    select 1 from callkite.do_not_call d where d.organization_id = $1 and d.phone_number = $2) as yes`,
  promptCall: `with new_workflow as (
      insert into callkite.workflows (id, organization_id, source, name, current_version)
      select $5, $2, 'prompt', 'A call', 1
    ), new_version as (
      insert into callkite.workflow_versions (workflow_id, version, name, definition) select $5, 1, 'A call', $6::jsonb
    ), generation as (
      insert into callkite.jobs (kind, subject_id, organization_id, due_at) select 'generate_workflow', $1, $2, now()
    )
    insert into callkite.calls (
      id, organization_id, mode, origin, workflow_id, workflow_version, workflow_name, connection_id,
      from_number, to_number, recipient_name, recipient_email, recipient_context, prompt,
      callback_url, sealed_callback_secret, dialable_at, deadline_at)
    select $1, $2, 'live', 'prompt', $5, 1, 'A call', $3, $7, $4, null, null, null, 'Say hello', null, null, null,
      now() + interval '1 minute'`,
  append: `with counted as (
      update callkite.calls set transcript_length = transcript_length + 1
      where id = $1 and erased_at is null and (summary is null or not off_the_record)
      returning transcript_length
    )
    insert into callkite.transcript (call_id, number, role, content, interrupted)
    select $1, transcript_length, $2, $3, $4 from counted
    returning number`,
  claim: `with call as (
      update callkite.calls set state = 'dialing' where id = $1 and state = 'queued' returning *
    ), watch as (
      insert into callkite.jobs (kind, subject_id, organization_id, due_at)
      select 'watch_attempt', $2, organization_id, clock_timestamp() from call
    )
    insert into callkite.attempts (id, call_id, organization_id, connection_id, from_number, to_number)
    select $2, id, organization_id, connection_id, from_number, to_number from call`,
  integration: `insert into callkite.integrations (id, organization_id, name, url, sealed_secret)
    values ($1, $2, 'CRM', 'https://hooks.example.com/', 'sealed')`,
  finish: `with finished as (
      update callkite.calls set summary = 'Said hello.' where id = $1 and state = 'completed' and summary is null
      returning organization_id
    ), delivery as (
      insert into callkite.deliveries (id, organization_id, call_id, kind, integration_id, url, sealed_bearer, body)
      select $2, organization_id, $1, 'webhook', $3, 'https://hooks.example.com/', null, '{}' from finished
      returning id, organization_id
    )
    insert into callkite.jobs (kind, subject_id, organization_id) select 'deliver', id, organization_id from delivery`,
};

let server: TestPostgres;
let storage: Storage;
/** Stands for a process of that version. */
let old: pg.Client;
let tenant: Tenant;

beforeAll(async () => {
  server = await startPostgres();
  storage = postgres({ connectionString: server.url, statementTimeoutMs: 10_000 });
  await storage.start();
  old = new pg.Client({ connectionString: server.url });
  await old.connect();
});
beforeEach(async () => {
  tenant = await createTenant(storage);
});
afterAll(async () => {
  await old.end();
  await storage.stop();
  await server.stop();
});

const completed = (providerCallId: string) =>
  ({ providerCallId, status: 'completed', answeredBy: 'human', durationSeconds: 30 }) as const;

it('a call that the earlier version took in is dialed once and ends here', async () => {
  const [callId, workflowId] = [createId('call'), createId('wf')];
  const { organizationId, connectionId, from } = tenant;
  const definition = await storage.workflows.get(tenant, tenant.workflowId);
  const values = [callId, organizationId, connectionId, '+12025550150', workflowId];
  await old.query(earlier.promptCall, [...values, JSON.stringify(definition?.definition), from]);
  const [job] = await tenant.jobs('generate_workflow');
  expect(job?.subjectId).toBe(callId);
  await storage.calls.setGeneratedWorkflow(callId, null);

  const { attempt } = await tenant.claim();
  expect(attempt.callId).toBe(callId);
  expect((await old.query(earlier.claim, [callId, createId('att')])).rowCount).toBe(0);
  await storage.calls.attemptPlaced(attempt.id, 'CA1');
  // The carrier's socket leads to the earlier version.
  await old.query(earlier.append, [callId, 'assistant', 'Hello.', false]);
  await storage.calls.report(attempt.id, completed('CA1'));
  expect(await storage.calls.seal(callId, { settle: 0, lease: 0, longest: 0 })).toEqual({ sealed: true });
  expect(await tenant.call(callId)).toMatchObject({
    state: 'completed',
    outcome: { callStatus: 'success', providerStatus: 'completed' },
    reason: null,
  });
  expect(await storage.calls.transcript(callId)).toMatchObject([{ role: 'assistant', content: 'Hello.' }]);
});

it('a call of this version that the earlier one dials and finishes is not dialed again, and is told about once', async () => {
  const callId = await tenant.accept();
  const attemptId = createId('att');
  expect((await old.query(earlier.claim, [callId, attemptId])).rowCount).toBe(1);
  expect((await storage.calls.claimNext(tenant.connectionId, createId('att'), null)).result).not.toBe(
    'claimed',
  );
  await storage.calls.attemptPlaced(attemptId, 'CA2');
  await storage.calls.report(attemptId, completed('CA2'));

  const [integrationId, deliveryId] = [createId('whk'), createId('dlv')];
  await old.query(earlier.integration, [integrationId, tenant.organizationId]);
  await old.query(earlier.finish, [callId, deliveryId, integrationId]);
  await storage.calls.seal(callId, { settle: 0, lease: 0, longest: 0 });
  expect(await storage.calls.finishCall(callId, 'Another summary', [])).toBe(false);
  expect((await tenant.call(callId)).summary).toBe('Said hello.');
  expect((await tenant.jobs('deliver')).map(({ subjectId }) => subjectId)).toEqual([deliveryId]);
  const delivery = await storage.deliveries.load(deliveryId);
  expect(delivery && (await storage.deliveries.getIntegration(delivery, integrationId))).toMatchObject({
    url: 'https://hooks.example.com/',
  });
});

it('both versions respect the opt-outs of each other', async () => {
  const number = { phoneNumber: '+12025550151', numberKey: 'key of +12025550151' };
  const toOldest = [tenant.organizationId, number.phoneNumber];
  for (let time = 0; time < 2; time += 1) await old.query(earlier.optOut, [...toOldest, 'callee', null]);
  expect(await storage.doNotCall.find(tenant, number)).toMatchObject({ source: 'callee' });
  expect(await storage.calls.accept(tenant.input({ to: number.phoneNumber }))).toMatchObject({
    result: 'number-opted-out',
  });
  const other = { phoneNumber: '+12025550152', numberKey: 'key of +12025550152' };
  const asked = { source: 'api', reason: null, callId: null, addedBy: null } as const;
  await storage.doNotCall.add(tenant, [other], asked);
  expect((await old.query(earlier.isOptedOut, [tenant.organizationId, other.phoneNumber])).rows).toEqual([
    { yes: true },
  ]);
});

it('numbers of erased calls stay for the earlier version to see until the upgrade is over', async () => {
  const phoneNumber = '+12025550153';
  const seen = async () =>
    (await old.query(earlier.isOptedOut, [tenant.organizationId, phoneNumber])).rows[0]?.yes;
  const keyOf = (_organizationId: string, number: string) => `key of ${number}`;
  const upgraded = (ago: string) =>
    old.query(
      `update callkite.kysely_migration set timestamp = (now() - $1::interval)::text where name = '0018-do-not-call'`,
      [ago],
    );
  await old.query(`update callkite.kysely_migration set timestamp = (now() - interval '30 days')::text`);
  await upgraded('1 hour');
  await old.query(earlier.optOut, [tenant.organizationId, phoneNumber, 'callee', null]);
  await storage.doNotCall.hashErased(keyOf);
  expect(await seen()).toBe(true);
  await upgraded('25 hours');
  await storage.doNotCall.hashErased(keyOf);
  expect(await seen()).toBe(false);
  expect(
    await storage.doNotCall.find(tenant, { phoneNumber, numberKey: keyOf('', phoneNumber) }),
  ).toMatchObject({
    source: 'callee',
  });
});

it('workflows that the earlier version stored are read with what was added since', async () => {
  const tenant = await createTenant(storage);
  const callId = await tenant.accept();
  await old.query(
    `update callkite.workflow_versions set definition = definition - 'languages' where workflow_id = $1`,
    [tenant.workflowId],
  );
  expect((await storage.workflows.get(tenant, tenant.workflowId))?.definition.languages).toEqual([]);
  expect((await storage.calls.load(callId))?.definition.languages).toEqual([]);
  expect((await tenant.claim()).definition.languages).toEqual([]);
});
