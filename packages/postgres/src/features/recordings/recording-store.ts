import type { RecordingRecord, RecordingStore } from '@callkite/core';
import { type RawBuilder, sql } from 'kysely';
import { lockCall } from '../../calls/locking.ts';
import { dropRefusedWords } from '../../calls/refused-words.ts';
import { type Database, only } from '../../kernel/database.ts';

interface StoredRecording extends Omit<RecordingRecord, 'carrierCall'> {
  readonly attemptId: string | null;
  readonly providerCallId: string | null;
}

export function createRecordingStore({ kysely, tables }: Database): RecordingStore {
  async function find(which: RawBuilder<boolean>): Promise<readonly RecordingRecord[]> {
    const { rows } = await sql<StoredRecording>`
      select r.id, r.call_id as "callId", r.organization_id as "organizationId", r.consent, r.status,
        r.provider_recording_id as "providerRecordingId", r.duration_seconds as "durationSeconds",
        r.created_at as "createdAt", r.expires_at as "expiresAt",
        (extract(epoch from r.expires_at - clock_timestamp()) * 1000)::double precision as "expiresInMs",
        a.id as "attemptId", a.provider_call_id as "providerCallId"
      from ${tables.recordings} r left join lateral (
        select id, provider_call_id from ${tables.attempts}
        where call_id = r.call_id and provider_call_id is not null
        order by intent_at desc limit 1
      ) a on true
      where ${which}`.execute(kysely);
    return rows.map(({ attemptId, providerCallId, ...row }) => ({
      ...row,
      carrierCall: attemptId === null || providerCallId === null ? null : { attemptId, providerCallId },
    }));
  }

  return {
    async want(callId, { id, lookInMs }) {
      const { rows } = await sql<{ may: boolean }>`
        with wanted as (
          insert into ${tables.recordings} (id, call_id, organization_id, consent, status)
          select ${id}, id, organization_id, case when erased_at is null then 'given' else 'withdrawn' end, 'wanted'
          from ${tables.calls} where id = ${callId}
          on conflict (call_id) do update set consent = ${tables.recordings}.consent
          returning id, call_id, organization_id, consent
        ), job as (
          insert into ${tables.jobs} (kind, subject_id, organization_id, due_at)
          select 'follow_recording', call_id, organization_id,
            clock_timestamp() + ${lookInMs} * interval '1 millisecond'
          from wanted where id = ${id}
          on conflict do nothing
        )
        select consent = 'given' as may from wanted`.execute(kysely);
      return only(rows).may;
    },

    async forbid(callId, { id, consent }) {
      await kysely.transaction().execute(async (transaction) => {
        await lockCall(transaction, tables, callId);
        if (consent === 'refused') {
          await transaction
            .updateTable('calls')
            .set({ off_the_record: true })
            .where('id', '=', callId)
            .execute();
        }
        await sql`
          with forbidden as (
            insert into ${tables.recordings} as r (id, call_id, organization_id, consent, status, deleted_at)
            select ${id}, id, organization_id, ${consent}, 'deleted', clock_timestamp()
            from ${tables.calls} where id = ${callId}
            on conflict (call_id) do update
              set consent = case when r.consent = 'refused' then r.consent else excluded.consent end
            returning call_id, organization_id, status
          )
          insert into ${tables.jobs} (kind, subject_id, organization_id)
          select 'follow_recording', call_id, organization_id from forbidden where status <> 'deleted'
          -- Whoever runs it now has seen the consent of before.
          on conflict (kind, subject_id) do update
            set due_at = clock_timestamp(), lease_token = null, buried_at = null, tries = 0`.execute(
          transaction,
        );
        await dropRefusedWords(transaction, tables, callId);
      });
    },

    async hurry(callId) {
      await kysely
        .updateTable('jobs')
        // Whoever runs it now may have looked before.
        .set({ due_at: sql`clock_timestamp()`, lease_token: null })
        .where('kind', '=', 'follow_recording')
        .where('subject_id', '=', callId)
        .where('buried_at', 'is', null)
        .execute();
    },

    async report(callId, { providerRecordingId, status, durationSeconds, retentionDays }) {
      await sql`
        with reported as (update ${tables.recordings} set
          status = ${status},
          provider_recording_id = coalesce(${providerRecordingId}, provider_recording_id),
          duration_seconds = coalesce(${durationSeconds}::integer, duration_seconds),
          expires_at = case when ${status} = 'completed'
            then clock_timestamp() + ${retentionDays} * interval '1 day' end
        where call_id = ${callId} and (status = 'wanted' or (status = 'recording' and ${status} <> 'recording')
          or (status = 'absent' and ${status} = 'completed'))
          returning call_id, organization_id, status)
        insert into ${tables.jobs} (kind, subject_id, organization_id)
        select 'follow_recording', call_id, organization_id from reported where status = 'completed'
        -- Whoever runs it now may be about to give up.
        on conflict (kind, subject_id) do update
          set due_at = clock_timestamp(), lease_token = null, buried_at = null, tries = 0`.execute(kysely);
    },

    async noteDeleted(callId) {
      await kysely
        .updateTable('recordings')
        .set({ status: 'deleted', provider_recording_id: null, deleted_at: sql`clock_timestamp()` })
        .where('call_id', '=', callId)
        .where('status', '<>', 'deleted')
        .execute();
    },

    async get(recordingId) {
      const [recording] = await find(sql`r.id = ${recordingId}`);
      return recording ?? null;
    },

    ofCalls: async (callIds) =>
      callIds.length === 0 ? [] : find(sql`r.call_id = any(${[...callIds]}::text[])`),
  };
}
