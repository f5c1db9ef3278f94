import { checkDestination } from '../../calls/destinations.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { createId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/mode.ts';
import type { OutboundFetch } from '../../kernel/outbound/outbound-fetch.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';
import type { OrganizationStore } from '../organizations/organization-store.ts';
import type { TransferIntegration, TransferStore } from './transfer-store.ts';

export type TransferSettings = Omit<TransferIntegration, 'id' | 'organizationId' | 'createdAt'>;

/**
 * Methods throw `not_found` for what the organization does not have in this mode, and those that write `validation_failed` for
 * numbers that may not be rung and for an address the guard refuses.
 */
export interface TransferIntegrations {
  /** Throws `business_profile_required` while calls of this mode could not be transferred. */
  create(scope: Scope, settings: TransferSettings): Promise<TransferIntegration>;
  get(scope: Scope, id: string): Promise<TransferIntegration>;
  list(scope: Scope, page: PageRequest): Promise<Page<TransferIntegration>>;
  /** Holds for transfers asked for from now on. */
  update(scope: Scope, id: string, change: Partial<TransferSettings>): Promise<TransferIntegration>;
  /** Agents are not offered it any more, also where a workflow still names it. */
  delete(scope: Scope, id: string): Promise<void>;
  /** Whether the carrier account that calls of this mode go out on has an approved business profile. */
  isAvailable(scope: Scope): Promise<boolean>;
}

export interface TransferIntegrationsDeps {
  readonly storage: {
    readonly transfers: TransferStore;
    readonly organizations: Pick<OrganizationStore, 'listConnections' | 'listNumbers'>;
  };
  /** Countries an organization may call, ISO codes. */
  allowedCountries(organizationId: string): Promise<readonly string[]>;
  outbound: Pick<OutboundFetch, 'checkResolved'>;
}

/** What a transfer needs of the account it goes out on. */
export function mayTransfer({ businessProfile }: { readonly businessProfile: string }): boolean {
  return businessProfile === 'Profile Approved';
}

/** What somebody who may not transfer is told when they set it up. */
export const businessProfileAdvice =
  'Transferring calls needs an approved business profile: have it approved at the carrier, then verify the connection again (POST /connections/{id}/refresh)';

export function createTransferIntegrations(deps: TransferIntegrationsDeps): TransferIntegrations {
  const { transfers, organizations } = deps.storage;

  async function isAvailable(scope: Scope): Promise<boolean> {
    const [connections, numbers] = await Promise.all([
      organizations.listConnections(scope),
      organizations.listNumbers(scope),
    ]);
    const used = numbers.find((number) => number.isDefault)?.connectionId;
    return connections.some(
      (connection) => (used === undefined || connection.id === used) && mayTransfer(connection),
    );
  }

  /** Everything that is wrong is told at once. */
  async function check(organizationId: string, settings: TransferSettings): Promise<void> {
    const countries = await deps.allowedCountries(organizationId);
    const numbers: [string, string][] = [
      ['phone_number', settings.phoneNumber],
      ...settings.fallbackNumbers.map((each, index): [string, string] => [`fallback_numbers.${index}`, each]),
    ];
    const details: Record<string, string[]> = {};
    for (const [index, [field, phone]] of numbers.entries()) {
      const issue = numbers.slice(0, index).some(([, earlier]) => earlier === phone)
        ? 'name each number once: an earlier one is the same'
        : await issueOf(() => checkDestination(phone, countries));
      if (issue !== null) details[field] = [issue];
    }
    const { transferUrl } = settings;
    const issue = transferUrl === null ? null : await issueOf(() => deps.outbound.checkResolved(transferUrl));
    if (issue !== null) details.transfer_url = [issue];
    if (Object.keys(details).length > 0) {
      throw new CallkiteError('validation_failed', 'Validation failed', { details });
    }
  }

  async function get(scope: Scope, id: string): Promise<TransferIntegration> {
    return (await transfers.getIntegration(scope, id)) ?? missing();
  }

  return {
    async create(scope, settings) {
      if (!(await isAvailable(scope))) {
        throw new CallkiteError('business_profile_required', businessProfileAdvice);
      }
      await check(scope.organizationId, settings);
      return transfers.createIntegration(scope, { id: createId('tri'), ...settings });
    },
    get,
    list: (scope, page) => transfers.listIntegrations(scope, page),
    async update(scope, id, change) {
      await check(scope.organizationId, { ...(await get(scope, id)), ...change });
      return (await transfers.updateIntegration(scope, id, change)) ?? missing();
    },
    async delete(scope, id) {
      if (!(await transfers.deleteIntegration(scope, id))) missing();
    },
    isAvailable,
  };
}

/** What a check has against a value; `null` for nothing. */
async function issueOf(check: () => void | Promise<void>): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (!CallkiteError.isInstance(error)) throw error;
    return error.message;
  }
}

function missing(): never {
  throw new CallkiteError('not_found', 'Transfer integration not found');
}
