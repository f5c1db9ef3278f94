import type { WorkflowDefinition } from '@callkite/contract';
import { CallkiteError, type CallStore } from '@callkite/core';
import { type Kysely, sql } from 'kysely';
import { type Database, only, type TableNames } from '../kernel/database.ts';
import type { Tables } from '../schema.ts';
import { type StoredCall, toCall } from './call-rows.ts';
import { isWithin, lockCall } from './locking.ts';

/** What is left of a phone number. */
const erased = 'erased';

/**
 * Takes what was said on a call, and who it was with, out of every table. The call's row lock is held meanwhile: what is
 * being stored for it is either found or, once this is committed, refused.
 */
export function createErase({ kysely, tables }: Database): CallStore['erase'] {
  return (scope, callId, blank) =>
    kysely.transaction().execute(async (transaction) => {
      const call = await lockCall(transaction, tables, callId);
      if (call === null || !isWithin(scope, call)) return null;
      if (call.erased_at !== null) return toCall(call);
      if (call.state !== 'completed') {
        throw new CallkiteError(
          'conflict',
          'This call is still in progress. Cancel it first, then erase it once it has ended',
        );
      }
      await eraseConversation(transaction, tables, callId);
      await eraseDeliveries(transaction, tables, callId);
      await withdrawRecording(transaction, tables, callId);
      await eraseKey(transaction, tables, callId);
      const { rows } = await sql<StoredCall>`
        update ${tables.calls} set
          erased_at = clock_timestamp(),
          to_number = case when connection_id is null then to_number else ${erased} end,
          to_key = null, recipient_name = null, recipient_email = null, recipient_context = null,
          prompt = null, callback_url = null, sealed_callback_secret = null,
          voicemail_message = null, summary = '',
          workflow_name = case when origin = 'prompt' then ${blank.name} else workflow_name end
        where id = ${callId} returning *`.execute(transaction);
      const after = only(rows);
      await blankOwnWorkflow(transaction, tables, call.workflow_id, blank);
      return toCall(after);
    });
}

async function eraseConversation(
  executor: Kysely<Tables>,
  tables: TableNames,
  callId: string,
): Promise<void> {
  await sql`
    with words as (
      delete from ${tables.transcript} where call_id = ${callId}
    ), answers as (
      delete from ${tables.form_answers} where call_id = ${callId}
    ), uses as (
      update ${tables.tool_calls} set input = '', result = null where call_id = ${callId}
    ), transfers as (
      update ${tables.transfers} set reason = '', summary = '', message = null where call_id = ${callId}
    ), legs as (
      update ${tables.transfer_legs} set to_number = ${erased} where call_id = ${callId}
    ), attempts as (
      update ${tables.attempts} set to_number = ${erased} where call_id = ${callId}
    ), opt_out as (
      -- A call taken in by an earlier version has no hash: its number is replaced when the next process starts.
      update ${tables.do_not_call} d set
        call_id = null, number_key = c.to_key,
        phone_number = case when c.to_key is null then d.phone_number end
      from ${tables.calls} c where d.call_id = ${callId} and c.id = d.call_id
    )
    update ${tables.visits} set
      remote_address = null, page = null, name = null, email = null, context = null,
      user_id = null, user_verified = null, consent = null
    where call_id = ${callId}`.execute(executor);
}

/** Whoever is sending one right now has its bytes already, and records how that ended. */
async function eraseDeliveries(executor: Kysely<Tables>, tables: TableNames, callId: string): Promise<void> {
  await sql`
    with emptied as (
      update ${tables.deliveries} set
        status = case
          when status <> 'pending' then status
          when kind = 'callback' and attempts > 0 then 'unknown'
          else 'canceled' end,
        -- Of the address of a callback, which is the call's own, the host is left.
        url = case when kind = 'callback' then substring(url from '^[^/]+//[^/?#]+') else url end,
        body = '', sealed_bearer = null
      where call_id = ${callId} returning id
    )
    delete from ${tables.jobs} j using emptied where j.kind = 'deliver' and j.subject_id = emptied.id`.execute(
    executor,
  );
}

async function withdrawRecording(
  executor: Kysely<Tables>,
  tables: TableNames,
  callId: string,
): Promise<void> {
  await sql`
    with recording as (
      update ${tables.recordings} set consent = 'withdrawn' where call_id = ${callId} and consent = 'given'
      returning call_id, organization_id, status
    )
    insert into ${tables.jobs} (kind, subject_id, organization_id)
    select 'follow_recording', call_id, organization_id from recording where status <> 'deleted'
    -- Whoever runs it now has seen the consent of before.
    on conflict (kind, subject_id) do update
      set due_at = clock_timestamp(), lease_token = null, buried_at = null, tries = 0`.execute(executor);
}

/** Whoever sends the key again is still answered: its hash takes its place. */
async function eraseKey(executor: Kysely<Tables>, tables: TableNames, callId: string): Promise<void> {
  // What the hash may have been left for before, by another call with this key, expired before this one was accepted.
  await sql`
    delete from ${tables.idempotency} former using ${tables.idempotency} own
    where own.call_id = ${callId} and own.key_hash <> own.key and former.organization_id = own.organization_id
      and former.endpoint = own.endpoint and former.key = own.key_hash`.execute(executor);
  await sql`update ${tables.idempotency} set key = key_hash where call_id = ${callId} and key_hash is not null`.execute(
    executor,
  );
}

/** A workflow that was made from a prompt tells what the prompt told. */
async function blankOwnWorkflow(
  executor: Kysely<Tables>,
  tables: TableNames,
  workflowId: string,
  { name, definition }: { readonly name: string; readonly definition: WorkflowDefinition },
): Promise<void> {
  // Of two calls that are erased at once, the later sees the other one's erasure.
  // So does this one of a call that is being accepted, which then finds no workflow or is found.
  await sql`select 1 from ${tables.workflows} where id = ${workflowId} and source = 'prompt' for update`.execute(
    executor,
  );
  const { rows } = await sql`
    update ${tables.workflows} w set name = ${name}, deleted_at = coalesce(deleted_at, clock_timestamp())
    where w.id = ${workflowId} and w.source = 'prompt' and not exists (
      select from ${tables.calls} c where c.workflow_id = w.id and c.erased_at is null)
    returning 1`.execute(executor);
  if (rows.length === 0) return;
  await sql`
    with versions as (
      update ${tables.workflow_versions} set name = ${name}, definition = ${JSON.stringify(definition)}::jsonb
      where workflow_id = ${workflowId}
    )
    update ${tables.calls} set workflow_name = ${name}
    where workflow_id = ${workflowId} and workflow_name <> ${name}`.execute(executor);
}
