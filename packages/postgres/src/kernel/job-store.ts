import { randomUUID } from 'node:crypto';
import type { Job, JobKind, JobStore } from '@callkite/core';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Jobs are rows. A claim moves `due_at` to the end of the lease, so a job whose holder died is simply due again, and
 * stamps a new token, without which nobody changes the row.
 */
export function createJobStore({ schema, kysely, tables }: Database): JobStore {
  /** Changes a job whose lease still runs; `false` when it does not. */
  const changeHeld = async (job: Job, change: (held: RawBuilder<boolean>) => RawBuilder<unknown>) => {
    const held = sql<boolean>`kind = ${job.kind} and subject_id = ${job.subjectId}
      and lease_token = ${job.leaseToken} and due_at > clock_timestamp()`;
    const { numAffectedRows } = await change(held).execute(kysely);
    return numAffectedRows === 1n;
  };

  return {
    async dueKinds() {
      const { rows } = await sql<{ kind: JobKind }>`
        with recursive known as (
          (select kind from ${tables.jobs} where buried_at is null order by kind limit 1)
          union all
          select (select j.kind from ${tables.jobs} j
            where j.buried_at is null and j.kind > known.kind order by j.kind limit 1)
          from known where known.kind is not null
        )
        select kind from known where kind is not null and exists (
          select 1 from ${tables.jobs} j
          where j.kind = known.kind and j.buried_at is null and j.due_at <= statement_timestamp())`.execute(
        kysely,
      );
      return rows.map(({ kind }) => kind);
    },

    async claim({ kind, limit, leaseMs, perOrganization }) {
      // Whoever is woken for nothing pays for this, and for no transaction.
      const due = await sql`
        select 1 from ${tables.jobs}
        where kind = ${kind} and buried_at is null and due_at <= statement_timestamp() limit 1`.execute(
        kysely,
      );
      if (due.rows.length === 0) return [];

      return kysely.transaction().execute(async (transaction) => {
        // Claims of one kind take turns, in all processes, because the leases of an organization are counted.
        await sql`select pg_advisory_xact_lock(hashtextextended(${`${schema}.jobs.${kind}`}, 0))`.execute(
          transaction,
        );
        const { rows } = await sql<{
          subject_id: string;
          organization_id: string;
          tries: number;
          token: string;
        }>`
          with recursive waiting as (
            (select organization_id from ${tables.jobs} where kind = ${kind} and buried_at is null
              order by organization_id limit 1)
            union all
            select (select j.organization_id from ${tables.jobs} j
              where j.kind = ${kind} and j.buried_at is null and j.organization_id > waiting.organization_id
              order by j.organization_id limit 1)
            from waiting where waiting.organization_id is not null
          ), candidate as (
            select next.subject_id from waiting cross join lateral (
              select j.subject_id, j.due_at from ${tables.jobs} j
              where j.kind = ${kind} and j.organization_id = waiting.organization_id and j.buried_at is null
                and j.due_at <= statement_timestamp()
              order by j.due_at
              limit greatest(0, ${perOrganization} - (
                select count(*) from ${tables.jobs} l
                where l.kind = ${kind} and l.organization_id = waiting.organization_id and l.buried_at is null
                  and l.lease_token is not null and l.due_at > statement_timestamp()))
            ) next
            order by next.due_at limit ${limit}
          ), free as (
            select j.subject_id from ${tables.jobs} j join candidate using (subject_id)
            where j.kind = ${kind} and j.buried_at is null and j.due_at <= statement_timestamp()
            order by j.due_at for update of j skip locked
          )
          update ${tables.jobs} j set
            lease_token = ${randomUUID()},
            due_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
            tries = j.tries + 1
          from free where j.kind = ${kind} and j.subject_id = free.subject_id
          returning j.subject_id, j.organization_id, j.tries, j.lease_token as token`.execute(transaction);
        return rows.map((row) => ({
          id: idOf(kind, row.subject_id),
          kind,
          organizationId: row.organization_id,
          subjectId: row.subject_id,
          tries: row.tries,
          leaseToken: row.token,
        }));
      });
    },

    async extend(jobs, leaseMs) {
      const { rows } = await sql<{ kind: JobKind; subject_id: string }>`
        update ${tables.jobs} j set due_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
        from unnest(
          ${jobs.map((job) => job.kind)}::text[],
          ${jobs.map((job) => job.subjectId)}::text[],
          ${jobs.map((job) => job.leaseToken)}::text[]) as held (kind, subject_id, lease_token)
        where j.kind = held.kind and j.subject_id = held.subject_id and j.lease_token = held.lease_token
          and j.due_at > clock_timestamp()
        returning j.kind, j.subject_id`.execute(kysely);
      return rows.map((row) => idOf(row.kind, row.subject_id));
    },

    complete: (job) => changeHeld(job, (held) => sql`delete from ${tables.jobs} where ${held}`),

    reschedule: (job, { delayMs, resetTries }) =>
      changeHeld(
        job,
        (held) => sql`
          update ${tables.jobs} set lease_token = null,
            due_at = clock_timestamp() + ${delayMs} * interval '1 millisecond',
            tries = case when ${resetTries ?? false} then 0 else tries end
          where ${held}`,
      ),

    bury: (job, error) =>
      changeHeld(
        job,
        (held) => sql`
          update ${tables.jobs} set lease_token = null, buried_at = clock_timestamp(), last_error = ${error}
          where ${held}`,
      ),

    async stats() {
      const { rows } = await sql<{ kind: JobKind; waiting: number; buried: number; oldest_due_ms: number }>`
        select kind,
          (count(*) filter (where buried_at is null and not leased))::integer as waiting,
          (count(*) filter (where buried_at is not null))::integer as buried,
          greatest(0, coalesce(
            extract(epoch from now() - min(due_at) filter (where buried_at is null and not leased)) * 1000,
            0))::double precision as oldest_due_ms
        from (select *, lease_token is not null and due_at > now() as leased from ${tables.jobs}) job
        group by kind`.execute(kysely);
      return rows.map((row) => ({
        kind: row.kind,
        waiting: row.waiting,
        buried: row.buried,
        oldestDueMs: row.oldest_due_ms,
      }));
    },
  };
}

/** A subject has at most one job of a kind. */
function idOf(kind: JobKind, subjectId: string): string {
  return `${kind}:${subjectId}`;
}
