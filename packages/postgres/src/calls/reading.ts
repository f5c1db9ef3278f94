import type { WorkflowDefinition } from '@callkite/contract';
import type { CallStore } from '@callkite/core';
import { sql } from 'kysely';
import { toConnection } from '../features/organizations/carrier-lines.ts';
import { currentDefinition } from '../features/workflows/stored-definition.ts';
import type { Database } from '../kernel/database.ts';
import { rowsFor, startOf, toPage } from '../kernel/paging.ts';
import { type StoredCall, toAttempt, toCall } from './call-rows.ts';
import { readAttempt } from './locking.ts';

type ReadingPart = Pick<
  CallStore,
  'findAnswer' | 'get' | 'list' | 'load' | 'getAttempt' | 'isBound' | 'connectionOfAttempt' | 'transcript'
>;

export function createReading({ kysely, tables }: Database): ReadingPart {
  return {
    async findAnswer({ organizationId, endpoint, key, keyHash, fingerprint }) {
      const row = await kysely
        .selectFrom('idempotency')
        .select(['status', 'body', 'call_id', 'fingerprint'])
        .where('organization_id', '=', organizationId)
        .where('endpoint', '=', endpoint)
        .where('key', 'in', [key, keyHash])
        .where('expires_at', '>', sql<Date>`now()`)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { status, body, call_id: callId } = row;
      return { status, body, callId, fingerprintMatches: row.fingerprint === fingerprint };
    },

    async get({ organizationId, mode }, callId) {
      const row = await kysely
        .selectFrom('calls')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .where('id', '=', callId)
        .executeTakeFirst();
      return row === undefined ? null : toCall(row);
    },

    async list({ organizationId, mode }, filter, page) {
      let query = kysely
        .selectFrom('calls')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode);
      if (filter.state !== undefined) query = query.where('state', '=', filter.state);
      if (filter.callStatus !== undefined) query = query.where('call_status', '=', filter.callStatus);
      if (filter.workflowId !== undefined) query = query.where('workflow_id', '=', filter.workflowId);
      if (filter.to !== undefined) query = query.where('to_number', '=', filter.to);
      if (filter.createdAfter !== undefined) query = query.where('created_at', '>', filter.createdAfter);
      if (filter.createdBefore !== undefined) query = query.where('created_at', '<', filter.createdBefore);
      const rows = await query
        .where(startOf(page, 'calls'))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsFor(page))
        .execute();
      return toPage(rows, page, toCall);
    },

    async load(callId) {
      const { rows } = await sql<StoredCall & { definition: WorkflowDefinition }>`
        select c.*, v.definition from ${tables.calls} c
        join ${tables.workflow_versions} v on v.workflow_id = c.workflow_id and v.version = c.workflow_version
        where c.id = ${callId}`.execute(kysely);
      const [row] = rows;
      return row === undefined ? null : { call: toCall(row), definition: currentDefinition(row.definition) };
    },

    async getAttempt(attemptId) {
      const row = await readAttempt(kysely, attemptId);
      return row === null ? null : toAttempt(row);
    },

    async isBound(providerCallId) {
      const row = await kysely
        .selectFrom('attempts')
        .select('id')
        .where('provider_call_id', '=', providerCallId)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    async connectionOfAttempt(attemptId) {
      const row = await kysely
        .selectFrom('connections')
        .innerJoin('attempts', 'attempts.connection_id', 'connections.id')
        .selectAll('connections')
        .where('attempts.id', '=', attemptId)
        .executeTakeFirst();
      return row === undefined ? null : toConnection(row);
    },

    transcript(callId) {
      return kysely
        .selectFrom('transcript')
        .select(['role', 'content', 'interrupted', 'at'])
        .where('call_id', '=', callId)
        .orderBy('number')
        .execute();
    },
  };
}
