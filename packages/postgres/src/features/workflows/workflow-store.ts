import type { WorkflowDefinition } from '@callkite/contract';
import { CallkiteError, type Scope, type WorkflowRecord, type WorkflowStore } from '@callkite/core';
import { type Kysely, type Selectable, sql } from 'kysely';
import { type Database, only, type TableNames } from '../../kernel/database.ts';
import { rowsFor, startOf, toPage } from '../../kernel/paging.ts';
import type { Tables, WorkflowRow, WorkflowVersionRow } from '../../schema.ts';
import { currentDefinition } from './stored-definition.ts';

type JoinedRow = Pick<Selectable<WorkflowRow>, 'id' | 'organization_id' | 'mode' | 'source' | 'created_at'> &
  Pick<Selectable<WorkflowVersionRow>, 'version' | 'name' | 'definition'> & { updated_at: Date };

export function createWorkflowStore({ kysely, tables }: Database): WorkflowStore {
  return {
    async create({ organizationId, mode }, { id, name, definition }) {
      const { rows } = await sql<{ created_at: Date }>`
        with workflow as (
          insert into ${tables.workflows} (id, organization_id, mode, source, name, current_version, created_at)
          values (${id}, ${organizationId}, ${mode}, 'api', ${name}, 1, now())
          returning id, name, created_at
        )
        insert into ${tables.workflow_versions} (workflow_id, version, name, definition, created_at)
        select id, 1, name, ${JSON.stringify(definition)}::jsonb, created_at from workflow
        returning created_at`.execute(kysely);
      const createdAt = only(rows).created_at;
      return {
        id,
        organizationId,
        mode,
        name,
        source: 'api',
        version: 1,
        definition,
        createdAt,
        updatedAt: createdAt,
      };
    },

    async get(scope, id) {
      const row = await currentVersions(kysely)
        .where(isSeenFrom(scope))
        .where('workflows.id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : toWorkflow(row);
    },

    async ownerOf(id) {
      const row = await kysely
        .selectFrom('workflows')
        .select(['organization_id', 'deleted_at'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined
        ? null
        : { organizationId: row.organization_id, deleted: row.deleted_at !== null };
    },

    async getVersion(scope, id, version) {
      const row = await versions(kysely)
        .where(isSeenFrom(scope))
        .where('workflows.id', '=', id)
        .where('workflow_versions.version', '=', version)
        .executeTakeFirst();
      return row === undefined ? null : toWorkflow(row);
    },

    async list(scope, page) {
      const rows = await currentVersions(kysely)
        .where(isSeenFrom(scope))
        .where(startOf(page, 'workflows'))
        .orderBy('workflows.created_at', 'desc')
        .orderBy('workflows.id', 'desc')
        .limit(rowsFor(page))
        .execute();
      return toPage(rows, page, toWorkflow);
    },

    listSummaries(scope, { source }) {
      const seen = kysely
        .selectFrom('workflows')
        .select(['id', 'name'])
        .where(isSeenFrom(scope))
        .where('deleted_at', 'is', null);
      return (source === undefined ? seen : seen.where('source', '=', source))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
    },

    update(scope, id, change) {
      return kysely.transaction().execute(async (transaction) => {
        await sql`
          select 1 from ${tables.workflows}
          where organization_id = ${scope.organizationId} and id = ${id} for no key update`.execute(
          transaction,
        );
        const row = await currentVersions(transaction)
          .where(isSeenFrom(scope))
          .where('workflows.id', '=', id)
          .executeTakeFirst();
        if (row?.mode !== scope.mode) return null;
        if (change.expectedVersion !== undefined && change.expectedVersion !== row.version) {
          throw new CallkiteError(
            'conflict',
            `The workflow has changed: it is now at version ${row.version}. Read it again and reapply your change.`,
          );
        }
        const name = change.name ?? row.name;
        const definition = change.definition ?? row.definition;
        const version = row.version + 1;
        const updatedAt = await addVersion(transaction, tables, { id, version, name, definition });
        return toWorkflow({ ...row, version, name, definition, updated_at: updatedAt });
      });
    },

    async delete({ organizationId, mode }, id) {
      const row = await kysely
        .updateTable('workflows')
        .set({ deleted_at: sql`clock_timestamp()` })
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

/** A live workflow is also seen from test mode, unless it was made for a prompt call: that says whom the call was with. */
const isSeenFrom = ({ organizationId, mode }: Scope) =>
  sql<boolean>`workflows.organization_id = ${organizationId}
    and (workflows.mode = ${mode} or (workflows.mode = 'live' and workflows.source <> 'prompt'))`;

function versions(executor: Kysely<Tables>) {
  return executor
    .selectFrom('workflows')
    .innerJoin('workflow_versions', 'workflow_versions.workflow_id', 'workflows.id')
    .select([
      'workflows.id',
      'workflows.organization_id',
      'workflows.mode',
      'workflows.source',
      'workflows.created_at',
      'workflow_versions.version',
      'workflow_versions.name',
      'workflow_versions.definition',
      'workflow_versions.created_at as updated_at',
    ]);
}

function currentVersions(executor: Kysely<Tables>) {
  return versions(executor)
    .whereRef('workflow_versions.version', '=', 'workflows.current_version')
    .where('workflows.deleted_at', 'is', null);
}

/**
 * Stores a version and makes it the current one. The caller holds the workflow's row lock.
 * @returns when it was stored
 */
export async function addVersion(
  executor: Kysely<Tables>,
  tables: TableNames,
  next: { id: string; version: number; name: string; definition: WorkflowDefinition },
): Promise<Date> {
  const { rows } = await sql<{ created_at: Date }>`
    with workflow as (
      update ${tables.workflows} set current_version = ${next.version}, name = ${next.name} where id = ${next.id}
    )
    insert into ${tables.workflow_versions} (workflow_id, version, name, definition)
    values (${next.id}, ${next.version}, ${next.name}, ${JSON.stringify(next.definition)}::jsonb)
    returning created_at`.execute(executor);
  return only(rows).created_at;
}

function toWorkflow(row: JoinedRow): WorkflowRecord {
  return {
    id: row.id,
    organizationId: row.organization_id,
    mode: row.mode,
    name: row.name,
    source: row.source,
    version: row.version,
    definition: currentDefinition(row.definition),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
