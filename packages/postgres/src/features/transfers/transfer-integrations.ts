import type { TransferIntegration, TransferStore } from '@callkite/core';
import type { Selectable } from 'kysely';
import type { Database } from '../../kernel/database.ts';
import { rowsFor, startOf, toPage } from '../../kernel/paging.ts';
import type { TransferIntegrationRow } from '../../schema.ts';

type IntegrationsPart = Pick<
  TransferStore,
  'createIntegration' | 'getIntegration' | 'listIntegrations' | 'updateIntegration' | 'deleteIntegration'
>;

/** Whom calls may be transferred to. */
export function createTransferIntegrations({ kysely }: Database): IntegrationsPart {
  return {
    async createIntegration({ organizationId, mode }, { id, ...settings }) {
      const row = await kysely
        .insertInto('transfer_integrations')
        .values({ id, organization_id: organizationId, key_mode: mode, ...toColumns(settings) })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toIntegration(row);
    },

    async getIntegration({ organizationId, mode }, id) {
      const row = await kysely
        .selectFrom('transfer_integrations')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('key_mode', '=', mode)
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : toIntegration(row);
    },

    async listIntegrations({ organizationId, mode }, page) {
      const rows = await kysely
        .selectFrom('transfer_integrations')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('key_mode', '=', mode)
        .where(startOf(page, 'transfer_integrations'))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsFor(page))
        .execute();
      return toPage(rows, page, toIntegration);
    },

    async updateIntegration({ organizationId, mode }, id, change) {
      const row = await kysely
        .updateTable('transfer_integrations')
        // The id again, so that there is something to set when the change is empty.
        .set({ id, ...toColumns(change) })
        .where('organization_id', '=', organizationId)
        .where('key_mode', '=', mode)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : toIntegration(row);
    },

    async deleteIntegration({ organizationId, mode }, id) {
      const row = await kysely
        .deleteFrom('transfer_integrations')
        .where('organization_id', '=', organizationId)
        .where('key_mode', '=', mode)
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

type Settings = Omit<TransferIntegration, 'id' | 'organizationId' | 'createdAt'>;

interface SettingsColumns {
  name: string;
  mode: TransferIntegration['mode'];
  phone_number: string;
  transfer_url: string | null;
  fallback_numbers: readonly string[];
  ring_seconds: number;
  take_messages: boolean;
}

/** Settings that are absent stay absent: Kysely leaves columns that are `undefined` alone. */
function toColumns(settings: Settings): SettingsColumns;
function toColumns(settings: Partial<Settings>): Partial<SettingsColumns>;
function toColumns(settings: Partial<Settings>): object {
  return {
    name: settings.name,
    mode: settings.mode,
    phone_number: settings.phoneNumber,
    transfer_url: settings.transferUrl,
    fallback_numbers: settings.fallbackNumbers,
    ring_seconds: settings.ringSeconds,
    take_messages: settings.takeMessages,
  };
}

function toIntegration(row: Selectable<TransferIntegrationRow>): TransferIntegration {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    mode: row.mode,
    phoneNumber: row.phone_number,
    transferUrl: row.transfer_url,
    fallbackNumbers: row.fallback_numbers,
    ringSeconds: row.ring_seconds,
    takeMessages: row.take_messages,
    createdAt: row.created_at,
  };
}
