import { withoutMessages } from '@callkite/contract';
import { type Kysely, sql } from 'kysely';
import type { TableNames } from '../kernel/database.ts';
import type { Tables } from '../schema.ts';

/**
 * Drops what was said on a finished call whose callee refused to be recorded: its transcript, the quotes of its form
 * answers, and the messages of its deliveries. The caller holds the call's row lock, which decides whether the end or the
 * refusal came first.
 */
export async function dropRefusedWords(
  executor: Kysely<Tables>,
  tables: TableNames,
  callId: string,
): Promise<void> {
  const { rows } = await sql`
    with refused as (
      select id from ${tables.calls} where id = ${callId} and summary is not null and off_the_record
    ), transcript as (
      delete from ${tables.transcript} t using refused where t.call_id = refused.id
    ), answers as (
      update ${tables.form_answers} a set quote = '' from refused where a.call_id = refused.id
    )
    select from refused`.execute(executor);
  if (rows.length === 0) return;
  const deliveries = await executor
    .selectFrom('deliveries')
    .select(['id', 'body'])
    .where('call_id', '=', callId)
    .execute();
  for (const { id, body } of deliveries) {
    await executor
      .updateTable('deliveries')
      .set({ body: withoutMessages(body) })
      .where('id', '=', id)
      .execute();
  }
}
