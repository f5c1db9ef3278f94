import type { ToolCallStore } from '@callkite/core';
import { sql } from 'kysely';
import type { Database } from './database.ts';

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
        insert into ${tables.tool_calls} (call_id, turn, index, name, input)
        values (${callId}, ${turn}, ${index}, ${name}, ${input})
        on conflict (call_id, turn, index) do nothing
        returning 1`.execute(kysely);
      if (rows.length > 0) return null;
      return records(callId).where('turn', '=', turn).where('index', '=', index).executeTakeFirstOrThrow();
    },

    async finish(callId, { turn, index }, { status, result }) {
      await kysely
        .updateTable('tool_calls')
        .set({ status, result, finished_at: sql`clock_timestamp()` })
        .where('call_id', '=', callId)
        .where('turn', '=', turn)
        .where('index', '=', index)
        .where('status', '=', 'running')
        .execute();
    },

    ofCall: (callId) => records(callId).orderBy('turn').orderBy('index').execute(),
  };
}
