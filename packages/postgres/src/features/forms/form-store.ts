import type { FormField } from '@callkite/contract';
import { type CallForm, CallkiteError, type FormRecord, type FormStore, type Scope } from '@callkite/core';
import { type Kysely, type Selectable, sql } from 'kysely';
import { unerasedCall } from '../../calls/locking.ts';
import { type Database, only } from '../../kernel/database.ts';
import { rowsFor, startOf, toPage } from '../../kernel/paging.ts';
import type { FormRow, FormVersionRow, Tables } from '../../schema.ts';

type JoinedRow = Pick<Selectable<FormRow>, 'id' | 'organization_id' | 'mode' | 'created_at'> &
  Pick<Selectable<FormVersionRow>, 'version' | 'title' | 'fields'> & { updated_at: Date };

/** A form of a call with one of its answers, or with none. */
interface AnswerRow {
  form_id: string;
  title: string;
  fields: FormField[];
  field: string | null;
  value: string | number | string[];
  confirmed: boolean;
  quote: string;
  at: Date;
}

export function createFormStore({ kysely, tables }: Database): FormStore {
  return {
    async create({ organizationId, mode }, { id, title, fields }) {
      const { rows } = await sql<{ created_at: Date }>`
        with form as (
          insert into ${tables.forms} (id, organization_id, mode, current_version, created_at)
          values (${id}, ${organizationId}, ${mode}, 1, now())
          returning id, created_at
        )
        insert into ${tables.form_versions} (form_id, version, title, fields, created_at)
        select id, 1, ${title}, ${JSON.stringify(fields)}::jsonb, created_at from form
        returning created_at`.execute(kysely);
      const createdAt = only(rows).created_at;
      return { id, organizationId, mode, title, fields, version: 1, createdAt, updatedAt: createdAt };
    },

    async get(scope, id) {
      const row = await currentVersions(kysely)
        .where(isSeenFrom(scope))
        .where('forms.id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : toForm(row);
    },

    async getVersion(scope, id, version) {
      const row = await versions(kysely)
        .where(isSeenFrom(scope))
        .where('forms.id', '=', id)
        .where('form_versions.version', '=', version)
        .executeTakeFirst();
      return row === undefined ? null : toForm(row);
    },

    async ownerOf(id) {
      const row = await kysely
        .selectFrom('forms')
        .select(['organization_id', 'deleted_at'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined
        ? null
        : { organizationId: row.organization_id, deleted: row.deleted_at !== null };
    },

    async list(scope, page) {
      const rows = await currentVersions(kysely)
        .where(isSeenFrom(scope))
        .where(startOf(page, 'forms'))
        .orderBy('forms.created_at', 'desc')
        .orderBy('forms.id', 'desc')
        .limit(rowsFor(page))
        .execute();
      return toPage(rows, page, toForm);
    },

    update(scope, id, change) {
      return kysely.transaction().execute(async (transaction) => {
        await sql`
          select 1 from ${tables.forms}
          where organization_id = ${scope.organizationId} and id = ${id} for no key update`.execute(
          transaction,
        );
        const row = await currentVersions(transaction)
          .where(isSeenFrom(scope))
          .where('forms.id', '=', id)
          .executeTakeFirst();
        if (row?.mode !== scope.mode) return null;
        if (change.expectedVersion !== undefined && change.expectedVersion !== row.version) {
          throw new CallkiteError(
            'conflict',
            `The form has changed: it is now at version ${row.version}. Read it again and reapply your change.`,
          );
        }
        const title = change.title ?? row.title;
        const fields = [...(change.fields ?? row.fields)];
        const version = row.version + 1;
        const { rows } = await sql<{ created_at: Date }>`
          with form as (
            update ${tables.forms} set current_version = ${version} where id = ${id}
          )
          insert into ${tables.form_versions} (form_id, version, title, fields)
          values (${id}, ${version}, ${title}, ${JSON.stringify(fields)}::jsonb)
          returning created_at`.execute(transaction);
        return toForm({ ...row, version, title, fields, updated_at: only(rows).created_at });
      });
    },

    async delete({ organizationId, mode }, id) {
      const row = await kysely
        .updateTable('forms')
        .set({ deleted_at: sql`clock_timestamp()` })
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async ofCall(callId) {
      const { rows } = await sql<AnswerRow>`
        select c.form_id, v.title, v.fields, a.field, a.value, a.confirmed, a.quote, a.at
        from ${tables.call_forms} c
        join ${tables.form_versions} v on v.form_id = c.form_id and v.version = c.version
        left join ${tables.form_answers} a on a.call_id = c.call_id and a.form_id = c.form_id
        where c.call_id = ${callId} order by c.position`.execute(kysely);
      const forms = new Map<string, CallForm & { answers: CallForm['answers'][number][] }>();
      for (const { form_id: id, title, fields, field, value, confirmed, quote, at } of rows) {
        const form = forms.get(id) ?? { id, title, fields, answers: [] };
        forms.set(id, form);
        if (field !== null) form.answers.push({ field, value, confirmed, quote, at });
      }
      return [...forms.values()];
    },

    async storeAnswer(callId, formId, { field, value, confirmed, quote }) {
      const { rows } = await sql`
        with call as (${unerasedCall(tables, callId)})
        insert into ${tables.form_answers} (call_id, form_id, field, value, confirmed, quote)
        select f.call_id, f.form_id, ${field}, ${JSON.stringify(value)}::jsonb, ${confirmed}, ${quote}
        from ${tables.call_forms} f join call on call.id = f.call_id
        where f.form_id = ${formId} and not call.is_sealed
        on conflict (call_id, form_id, field) do update set
          value = excluded.value, confirmed = excluded.confirmed, quote = excluded.quote, at = excluded.at
        returning 1`.execute(kysely);
      if (rows.length === 0) throw new CallkiteError('not_found', 'Form not found');
    },

    async removeAnswer(callId, formId, field) {
      const { rows } = await sql`
        with call as (${unerasedCall(tables, callId)}),
        removed as (
          delete from ${tables.form_answers} a using call
          where a.call_id = call.id and not call.is_sealed and a.form_id = ${formId} and a.field = ${field}
        )
        select 1 from ${tables.call_forms} f join call on call.id = f.call_id
        where f.form_id = ${formId} and not call.is_sealed`.execute(kysely);
      if (rows.length === 0) throw new CallkiteError('not_found', 'Form not found');
    },
  };
}

/** Live forms are also seen from test mode. */
const isSeenFrom = ({ organizationId, mode }: Scope) =>
  sql<boolean>`forms.organization_id = ${organizationId} and forms.mode in ('live', ${mode})`;

function versions(executor: Kysely<Tables>) {
  return executor
    .selectFrom('forms')
    .innerJoin('form_versions', 'form_versions.form_id', 'forms.id')
    .select([
      'forms.id',
      'forms.organization_id',
      'forms.mode',
      'forms.created_at',
      'form_versions.version',
      'form_versions.title',
      'form_versions.fields',
      'form_versions.created_at as updated_at',
    ]);
}

function currentVersions(executor: Kysely<Tables>) {
  return versions(executor)
    .whereRef('form_versions.version', '=', 'forms.current_version')
    .where('forms.deleted_at', 'is', null);
}

function toForm(row: JoinedRow): FormRecord {
  return {
    id: row.id,
    organizationId: row.organization_id,
    mode: row.mode,
    title: row.title,
    version: row.version,
    fields: row.fields,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
