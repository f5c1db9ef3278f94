import { CallkiteError, type ToolCallStore } from '@callkite/core';
import { sql } from 'kysely';
import { unerasedCall } from '../calls/locking.ts';
import type { Database } from '../kernel/database.ts';

export function createToolCallStore({ kysely, tables }: Database): ToolCallStore {
  const records = (callId: string) =>
    kysely
      .selectFrom('tool_calls')
      .select(['turn', 'index', 'name', 'input', 'status', 'result', 'at'])
      .select(sql<number | null>`(extract(epoch from finished_at - at) * 1000)::integer`.as('durationMs'))
      .where('call_id', '=', callId);

  return {
    async begin(callId, { turn, index, name, input }) {
      const { rows } = await sql`
        with call as (${unerasedCall(tables, callId)})
        insert into ${tables.tool_calls} (call_id, turn, index, name, input)
        select id, ${turn}, ${index}, ${name}, ${input} from call
        on conflict (call_id, turn, index) do nothing
        returning 1`.execute(kysely);
      if (rows.length > 0) return null;
      const known = await records(callId)
        .where('turn', '=', turn)
        .where('index', '=', index)
        .executeTakeFirst();
      if (known === undefined) throw new CallkiteError('not_found', 'Call not found');
      return known;
    },

    async finish(callId, { turn, index }, { status, result }) {
      await sql`
        with call as (${unerasedCall(tables, callId)})
        update ${tables.tool_calls} t set
          status = ${status}, result = ${result}, finished_at = clock_timestamp()
        from call
        where t.call_id = call.id and t.turn = ${turn} and t.index = ${index} and t.status = 'running'`.execute(
        kysely,
      );
    },

    ofCall: (callId) => records(callId).orderBy('turn').orderBy('index').execute(),
  };
}
