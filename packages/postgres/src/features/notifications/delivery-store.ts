import {
  CallkiteError,
  type Delivery,
  type DeliveryStore,
  type NewDelivery,
  type WebhookIntegration,
} from '@callkite/core';
import { type Kysely, type Selectable, sql } from 'kysely';
import { type Database, only, type TableNames } from '../../kernel/database.ts';
import { rowsFor, startOf, toPage } from '../../kernel/paging.ts';
import type { DeliveryRow, IntegrationRow, Tables } from '../../schema.ts';

export function createDeliveryStore(database: Database): DeliveryStore {
  return { ...createIntegrations(database), ...createDeliveries(database) };
}

type IntegrationsPart = Pick<
  DeliveryStore,
  | 'createIntegration'
  | 'getIntegration'
  | 'listIntegrations'
  | 'updateIntegration'
  | 'rotateSecret'
  | 'deleteIntegration'
>;

function createIntegrations({ kysely, tables }: Database): IntegrationsPart {
  /** Whether the former secret is still good, by the store's clock. */
  const hasFormer = sql<boolean>`coalesce(former_secret_expires_at > clock_timestamp(), false)`.as(
    'has_former',
  );

  return {
    async createIntegration({ organizationId, mode }, integration) {
      const row = await kysely
        .insertInto('integrations')
        .values({
          id: integration.id,
          organization_id: organizationId,
          mode,
          name: integration.name,
          url: integration.url,
          sealed_secret: integration.sealedSecret,
        })
        .returningAll()
        .returning(hasFormer)
        .executeTakeFirstOrThrow();
      return toIntegration(row);
    },

    async getIntegration({ organizationId, mode }, id) {
      const row = await kysely
        .selectFrom('integrations')
        .selectAll()
        .select(hasFormer)
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : toIntegration(row);
    },

    async listIntegrations({ organizationId, mode }, page) {
      const rows = await kysely
        .selectFrom('integrations')
        .selectAll()
        .select(hasFormer)
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .where(startOf(page, 'integrations'))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsFor(page))
        .execute();
      return toPage(rows, page, toIntegration);
    },

    async updateIntegration({ organizationId, mode }, id, { name, url }) {
      return kysely.transaction().execute(async (transaction) => {
        const row = await transaction
          .updateTable('integrations')
          // The name in any case: a statement has to set something.
          .set({ name: name ?? sql.ref('name'), ...(url !== undefined && { url }) })
          .where('organization_id', '=', organizationId)
          .where('mode', '=', mode)
          .where('id', '=', id)
          .returningAll()
          .returning(hasFormer)
          .executeTakeFirst();
        if (row === undefined) return null;
        await transaction
          .updateTable('deliveries')
          .set({ url: row.url })
          .where('integration_id', '=', id)
          .where('status', '=', 'pending')
          .execute();
        return toIntegration(row);
      });
    },

    async rotateSecret({ organizationId, mode }, id, { sealedSecret, formerLifetimeMs }) {
      const row = await kysely
        .updateTable('integrations')
        .set({
          sealed_secret: sealedSecret,
          former_sealed_secret: sql`sealed_secret`,
          former_secret_expires_at: sql`clock_timestamp() + ${formerLifetimeMs} * interval '1 millisecond'`,
        })
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .where('id', '=', id)
        .returningAll()
        .returning(hasFormer)
        .executeTakeFirst();
      return row === undefined ? null : toIntegration(row);
    },

    async deleteIntegration({ organizationId, mode }, id) {
      const { rows } = await sql`
        with gone as (
          delete from ${tables.integrations}
          where organization_id = ${organizationId} and mode = ${mode} and id = ${id} returning id
        ), failed as (
          update ${tables.deliveries} d set status = 'failed' from gone
          where d.integration_id = gone.id and d.status = 'pending' returning d.id
        ), job as (
          delete from ${tables.jobs} j using failed where j.kind = 'deliver' and j.subject_id = failed.id
        )
        select 1 from gone`.execute(kysely);
      return rows.length > 0;
    },
  };
}

type DeliveriesPart = Omit<DeliveryStore, keyof IntegrationsPart>;

function createDeliveries({ kysely, tables }: Database): DeliveriesPart {
  return {
    async create(delivery) {
      const rows = await kysely
        .transaction()
        .execute((transaction) => addDeliveries(transaction, tables, [delivery]));
      return toDelivery(only(rows));
    },

    async load(deliveryId) {
      const row = await kysely
        .selectFrom('deliveries')
        .selectAll()
        .where('id', '=', deliveryId)
        .executeTakeFirst();
      return row === undefined ? null : toDelivery(row);
    },

    async get({ organizationId, mode }, deliveryId) {
      const row = await kysely
        .selectFrom('deliveries')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .where('id', '=', deliveryId)
        .executeTakeFirst();
      return row === undefined ? null : toDelivery(row);
    },

    async list({ organizationId, mode }, filter, page) {
      let query = kysely
        .selectFrom('deliveries')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode);
      if (filter.integrationId !== undefined)
        query = query.where('integration_id', '=', filter.integrationId);
      if (filter.callId !== undefined) query = query.where('call_id', '=', filter.callId);
      const rows = await query
        .where(startOf(page, 'deliveries'))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsFor(page))
        .execute();
      return toPage(rows, page, toDelivery);
    },

    async listAttempts({ organizationId, mode }, deliveryId) {
      const rows = await kysely
        .selectFrom('delivery_attempts')
        .innerJoin('deliveries', 'deliveries.id', 'delivery_attempts.delivery_id')
        .selectAll('delivery_attempts')
        .where('deliveries.organization_id', '=', organizationId)
        .where('deliveries.mode', '=', mode)
        .where('deliveries.id', '=', deliveryId)
        .orderBy('delivery_attempts.number')
        .execute();
      return rows.map((row) => ({
        number: row.number,
        startedAt: row.started_at,
        finishedAt: row.finished_at,
        statusCode: row.status_code,
        error: row.error,
      }));
    },

    async beginAttempt(deliveryId) {
      const { rows } = await sql<{ number: number; body: string }>`
        with begun as (
          update ${tables.deliveries} set
            status = case when kind = 'callback' and attempts > 0 then 'unknown' else status end,
            attempts = case when kind = 'callback' and attempts > 0 then attempts else attempts + 1 end
          where id = ${deliveryId} and status = 'pending'
          returning status, attempts, body
        ), attempt as (
          insert into ${tables.delivery_attempts} (delivery_id, number)
          select ${deliveryId}, attempts from begun where status = 'pending'
          returning number
        )
        select attempt.number, begun.body from attempt cross join begun`.execute(kysely);
      return rows[0] ?? null;
    },

    async finishAttempt(deliveryId, number, { statusCode, error, status }) {
      // An attempt that comes back after a later one was begun decides nothing any more, except that it got through.
      await sql`
        with finished as (
          update ${tables.delivery_attempts}
          set finished_at = clock_timestamp(), status_code = ${statusCode}, error = ${error}
          where delivery_id = ${deliveryId} and number = ${number} and finished_at is null
          returning number
        )
        update ${tables.deliveries} d set status = ${status} from finished
        where d.id = ${deliveryId} and (
          (d.status in ('pending', 'unknown') and d.attempts = finished.number)
          or (d.status <> 'failed' and ${status} = 'delivered'))`.execute(kysely);
    },

    async resend({ organizationId, mode }, deliveryId) {
      const { rows } = await sql<Selectable<DeliveryRow>>`
        with again as (
          update ${tables.deliveries} d set status = 'pending',
            url = coalesce((select url from ${tables.integrations} i where i.id = d.integration_id), d.url)
          where organization_id = ${organizationId} and mode = ${mode} and id = ${deliveryId} and kind = 'webhook'
            and status <> 'pending' and body <> ''
          returning *
        ), job as (
          insert into ${tables.jobs} (kind, subject_id, organization_id)
          select 'deliver', id, organization_id from again
          on conflict (kind, subject_id) do update
            set due_at = excluded.due_at, lease_token = null, tries = 0, buried_at = null, last_error = null
        )
        select * from again`.execute(kysely);
      if (rows[0] !== undefined) return toDelivery(rows[0]);
      const row = await kysely
        .selectFrom('deliveries')
        .select(['kind', 'body'])
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .where('id', '=', deliveryId)
        .executeTakeFirst();
      if (row === undefined) return null;
      throw new CallkiteError('conflict', whyNotResent(row));
    },
  };
}

function whyNotResent({ kind, body }: Pick<Selectable<DeliveryRow>, 'kind' | 'body'>): string {
  if (body === '') return 'The call it tells of is erased: there is nothing left to send.';
  if (kind === 'callback') return 'A callback is sent at most once; read the result of the call instead.';
  return 'The delivery is still being attempted.';
}

/** Stores deliveries, each with its job, due now. */
export async function addDeliveries(
  executor: Kysely<Tables>,
  tables: TableNames,
  deliveries: readonly NewDelivery[],
): Promise<readonly Selectable<DeliveryRow>[]> {
  if (deliveries.length === 0) return [];
  const rows = await executor
    .insertInto('deliveries')
    .values(
      deliveries.map((delivery) => ({
        id: delivery.id,
        organization_id: delivery.organizationId,
        mode: delivery.mode,
        call_id: delivery.callId,
        kind: delivery.kind,
        integration_id: delivery.integrationId,
        url: delivery.url,
        sealed_bearer: delivery.sealedBearer,
        body: delivery.body,
      })),
    )
    .returningAll()
    .execute();
  await sql`
    insert into ${tables.jobs} (kind, subject_id, organization_id)
    select 'deliver', id, organization_id from ${tables.deliveries}
    where id = any(${deliveries.map((delivery) => delivery.id)}::text[])`.execute(executor);
  return rows;
}

function toIntegration({
  has_former,
  former_sealed_secret: sealed,
  former_secret_expires_at: expiresAt,
  ...row
}: Selectable<IntegrationRow> & { readonly has_former: boolean }): WebhookIntegration {
  return {
    id: row.id,
    organizationId: row.organization_id,
    mode: row.mode,
    name: row.name,
    url: row.url,
    sealedSecret: row.sealed_secret,
    formerSecret: has_former && sealed !== null && expiresAt !== null ? { sealed, expiresAt } : null,
    createdAt: row.created_at,
  };
}

function toDelivery(row: Selectable<DeliveryRow>): Delivery {
  return {
    id: row.id,
    organizationId: row.organization_id,
    mode: row.mode,
    callId: row.call_id,
    kind: row.kind,
    integrationId: row.integration_id,
    url: row.url,
    sealedBearer: row.sealed_bearer,
    body: row.body,
    status: row.status,
    attempts: row.attempts,
    createdAt: row.created_at,
  };
}
