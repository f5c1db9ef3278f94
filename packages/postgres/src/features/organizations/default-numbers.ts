import { type Kysely, sql } from 'kysely';
import type { TableNames } from '../../kernel/database.ts';
import type { Tables } from '../../schema.ts';

/**
 * Makes the oldest usable number the default, for every organization and mode that has none.
 * @param organizationId only this organization's, which the caller has locked
 */
export async function chooseDefaultNumbers(
  executor: Kysely<Tables>,
  tables: TableNames,
  organizationId?: string,
): Promise<void> {
  await sql`
    update ${tables.numbers} set is_default = true where id in (
      select distinct on (n.organization_id, n.mode) n.id
      from ${tables.numbers} n join ${tables.connections} c on c.id = n.connection_id
      where c.status <> 'out_of_use'
        and (${organizationId ?? null}::text is null or n.organization_id = ${organizationId ?? null})
        and not exists (
          select from ${tables.numbers} d
          where d.organization_id = n.organization_id and d.mode = n.mode and d.is_default)
      order by n.organization_id, n.mode, n.created_at, n.id)`.execute(executor);
}
