import { isSupportedCountry } from 'libphonenumber-js/max';
import type { CallStore } from '../../calls/call-store.ts';
import type { CarrierAccount, CarrierAdapter, CarrierNumber } from '../../calls/carrier-adapter.ts';
import type { CarrierConnection, ConnectedNumber } from '../../calls/carrier-connection.ts';
import type { Cache } from '../../kernel/cache.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { createId } from '../../kernel/ids.ts';
import type { Mode, Principal, Scope } from '../../kernel/mode.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';
import { connectionSecretContext, type SecretBox } from '../../kernel/secret-box.ts';
import type { DailyUsage, UsageStore } from '../usage/usage-store.ts';
import { type AccountLimits, accountLimits, standingOf } from './account-limits.ts';
import { createApiKeyVerifier } from './api-key-verifier.ts';
import { createApiKey, hashApiKey } from './api-keys.ts';
import { checkNetwork } from './networks.ts';
import type { ApiKeyRecord, Organization, OrganizationStore } from './organization-store.ts';

export interface OrganizationSettings {
  /** ISO codes. @default ['US', 'CA'] */
  allowedCountries?: readonly string[];
  /** Minutes that live phone calls may take in a UTC day. `null`: unlimited. @default what the server says, at any time */
  dailyCallMinutes?: number | null;
}

export interface Organizations {
  /** For the operator, as everything up to the keys. Throws `validation_failed`. */
  create(input: { name: string } & OrganizationSettings): Promise<Organization>;
  get(organizationId: string): Promise<Organization>;
  list(page: PageRequest): Promise<Page<Organization>>;
  /** Throws `not_found` and `validation_failed`. Name and countries count within five seconds, the limit at once. */
  update(organizationId: string, change: { name?: string } & OrganizationSettings): Promise<Organization>;
  /** Throws `not_found`. */
  spendingToday(organizationId: string): Promise<DailyUsage>;
  /** The limit that holds for an organization: its own, else the server's. `null`: unlimited. */
  dailyCallMinutesOf(organization: Pick<Organization, 'dailyCallMinutes'>): number | null;

  /** The key itself is returned here and never again. Throws `validation_failed` for `test` when no test carrier is set up. */
  createApiKey(
    organizationId: string,
    input: { mode: Mode; name: string },
  ): Promise<{ readonly record: ApiKeyRecord; readonly key: string }>;
  /** Revoked ones too, newest first. Throws `not_found`. */
  listApiKeys(organizationId: string, page: PageRequest): Promise<Page<ApiKeyRecord>>;
  /**
   * Refused from now on by this process, and within five seconds by others that do not share its cache. Throws `not_found`.
   */
  revokeApiKey(organizationId: string, id: string): Promise<ApiKeyRecord>;
  /** The caller behind a key. Throws `unauthenticated`. A malformed key costs no storage access. */
  authenticate(key: string): Promise<Principal>;

  /**
   * Verifies the credentials with the carrier and stores them sealed, with the limits of the account's type:
   * trial 1 call a second and 4 at once; without an approved profile 1 and (default) 4; approved as configured
   * (default 1 and unlimited). Connecting the same account again verifies and updates it.
   * A trial account can be connected, but it cannot hold these calls: Twilio, for one, speaks a notice in place of the
   * agent. Look at `accountType` and tell its owner to upgrade it.
   * Throws `provider_rejected` or `provider_unavailable`, and `validation_failed` for limits the account does not allow.
   */
  connectCarrier(
    scope: Scope,
    input: {
      accountId: string;
      secret: string;
      callsPerSecond?: number;
      maximumConcurrentCalls?: number | null;
    },
  ): Promise<CarrierConnection>;
  /** Verifies the stored credentials again and updates account type, profile and limits. */
  refreshConnection(scope: Scope, id: string): Promise<CarrierConnection>;
  /** Throws `not_found`. */
  getConnection(scope: Scope, id: string): Promise<CarrierConnection>;
  listConnections(scope: Scope): Promise<readonly CarrierConnection[]>;
  /**
   * Throws `not_found`, and `conflict` while calls are open on it or the carrier has recordings of its calls, which are
   * deleted through it.
   */
  deleteConnection(scope: Scope, id: string): Promise<void>;
  /** Numbers the carrier account owns, and which of them are connected. */
  listCarrierNumbers(
    scope: Scope,
    connectionId: string,
  ): Promise<readonly (CarrierNumber & { readonly connected: boolean })[]>;
  /** Throws `not_found` when the account does not own the number, `validation_failed` when it cannot place calls. */
  connectNumber(scope: Scope, connectionId: string, phoneNumber: string): Promise<ConnectedNumber>;
  listNumbers(scope: Scope): Promise<readonly ConnectedNumber[]>;
  disconnectNumber(scope: Scope, id: string): Promise<void>;
}

type AccountCarrier = Pick<CarrierAdapter, 'network' | 'describeAccount' | 'listNumbers'>;

export interface OrganizationsDeps {
  storage: {
    readonly organizations: OrganizationStore;
    readonly calls: CallStore;
    readonly usage: UsageStore;
  };
  /** Of organizations without a limit of their own. `null`: unlimited. */
  defaultDailyMinutes: number | null;
  /** `null` when no carrier is set up for the mode. */
  telephonyFor(mode: Mode): AccountCarrier | null;
  secretBox: SecretBox;
  cache: Cache;
  onCreated(organizationId: string): Promise<unknown>;
}

const defaultCountries = ['US', 'CA'];

export function createOrganizations(deps: OrganizationsDeps): Organizations {
  const { secretBox, cache } = deps;
  const store = deps.storage.organizations;
  const apiKeys = createApiKeyVerifier({ store, cache });

  async function get(organizationId: string): Promise<Organization> {
    return (await store.get(organizationId)) ?? missing('Organization');
  }

  async function getConnection(scope: Scope, id: string): Promise<CarrierConnection> {
    return (await store.getConnection(scope, id)) ?? missing('Connection');
  }

  function telephonyOf(mode: Mode): AccountCarrier {
    return deps.telephonyFor(mode) ?? invalid('mode', `this server has no carrier for ${mode} mode`);
  }

  function accountOf(connection: CarrierConnection): CarrierAccount {
    checkNetwork(connection.network, telephonyOf(connection.mode));
    const secret = secretBox.open(connection.sealedSecret, connectionSecretContext(connection));
    return { accountId: connection.accountId, secret };
  }

  async function numbersOfCarrier(connection: CarrierConnection): Promise<readonly CarrierNumber[]> {
    return telephonyOf(connection.mode).listNumbers(accountOf(connection));
  }

  async function verifyAndSave(
    { organizationId, mode }: Scope,
    account: CarrierAccount,
    asked: Partial<AccountLimits>,
    before: CarrierConnection | null,
  ): Promise<CarrierConnection> {
    const { accountId, secret } = account;
    const telephony = telephonyOf(mode);
    const facts = await telephony.describeAccount(account);
    if (!facts.active) {
      throw new CallkiteError('provider_rejected', 'The carrier account is suspended or closed');
    }
    const standing = standingOf(facts);
    return store.saveConnection({
      id: before?.id ?? createId('con'),
      organizationId,
      mode,
      accountId,
      network: telephony.network,
      sealedSecret: secretBox.seal(secret, connectionSecretContext({ organizationId, mode, accountId })),
      accountName: facts.name,
      ...standing,
      ...accountLimits(standing, asked, before),
    });
  }

  return {
    async create({ name, ...settings }) {
      const allowedCountries = defaultCountries;
      const id = createId('org');
      const organization = await store.create({ id, name, allowedCountries, ...checked(settings) });
      await deps.onCreated(id);
      return organization;
    },
    get,
    list: (page) => store.list(page),
    update: async (organizationId, change) =>
      (await store.update(organizationId, { ...change, ...checked(change) })) ?? missing('Organization'),
    async spendingToday(organizationId) {
      await get(organizationId);
      return deps.storage.usage.today(organizationId, deps.defaultDailyMinutes);
    },
    dailyCallMinutesOf: ({ dailyCallMinutes }) =>
      dailyCallMinutes === 'default' ? deps.defaultDailyMinutes : dailyCallMinutes,

    async createApiKey(organizationId, { mode, name }) {
      telephonyOf(mode);
      await get(organizationId);
      const { key, lookupId } = createApiKey(mode);
      const hash = hashApiKey(key);
      const record = await store.createApiKey({
        id: createId('key'),
        organizationId,
        mode,
        name,
        lookupId,
        hash,
      });
      return { record, key };
    },
    async listApiKeys(organizationId, page) {
      await get(organizationId);
      return store.listApiKeys(organizationId, page);
    },
    async revokeApiKey(organizationId, id) {
      const record = (await store.revokeApiKey(organizationId, id)) ?? missing('API key');
      await apiKeys.forget(record.lookupId);
      return record;
    },
    async authenticate(key) {
      const { id, organizationId, mode } = await apiKeys.verify(key);
      return { organizationId, mode, keyId: id };
    },

    async connectCarrier(scope, { accountId, secret, ...asked }) {
      await get(scope.organizationId);
      const connections = await store.listConnections(scope);
      const before = connections.find((known) => known.accountId === accountId);
      return verifyAndSave(scope, { accountId, secret }, asked, before ?? null);
    },
    async refreshConnection(scope, id) {
      const connection = await getConnection(scope, id);
      try {
        return await verifyAndSave(connection, accountOf(connection), {}, connection);
      } catch (error) {
        if (CallkiteError.isInstance(error) && error.code === 'provider_rejected') {
          await deps.storage.calls.pauseConnection(id);
        }
        throw error;
      }
    },
    getConnection,
    listConnections: (scope) => store.listConnections(scope),
    async deleteConnection(scope, id) {
      if (!(await store.deleteConnection(scope, id))) missing('Connection');
    },

    async listCarrierNumbers(scope, connectionId) {
      const connection = await getConnection(scope, connectionId);
      const [owned, numbers] = await Promise.all([numbersOfCarrier(connection), store.listNumbers(scope)]);
      const connected = new Set(
        numbers.filter((number) => number.connectionId === connectionId).map((number) => number.phoneNumber),
      );
      return owned.map((number) => ({ ...number, connected: connected.has(number.phoneNumber) }));
    },
    async connectNumber(scope, connectionId, phoneNumber) {
      const connection = await getConnection(scope, connectionId);
      const owned = await numbersOfCarrier(connection);
      const number =
        owned.find((candidate) => candidate.phoneNumber === phoneNumber) ??
        missing('Number on the carrier account');
      if (!number.canCall) invalid('phone_number', 'this number cannot place calls: choose one that can');
      return store.connectNumber({
        id: createId('num'),
        organizationId: scope.organizationId,
        connectionId,
        mode: scope.mode,
        phoneNumber,
        providerNumberId: number.providerNumberId,
      });
    },
    listNumbers: (scope) => store.listNumbers(scope),
    async disconnectNumber(scope, id) {
      if (!(await store.disconnectNumber(scope, id))) missing('Number');
    },
  };
}

/** @throws CallkiteError `validation_failed` */
function checked({ allowedCountries, ...settings }: OrganizationSettings): OrganizationSettings {
  const { dailyCallMinutes = null } = settings;
  if (dailyCallMinutes !== null && !(Number.isInteger(dailyCallMinutes) && dailyCallMinutes >= 1)) {
    invalid('daily_call_minutes', 'must be a whole number of at least 1, or null for no limit');
  }
  if (allowedCountries === undefined) return settings;
  if (allowedCountries.length === 0 || !allowedCountries.every((country) => isSupportedCountry(country))) {
    invalid('allowed_countries', 'must be one or more ISO 3166-1 alpha-2 codes such as US');
  }
  return { ...settings, allowedCountries: [...new Set(allowedCountries)] };
}

function missing(what: string): never {
  throw new CallkiteError('not_found', `${what} not found`);
}

function invalid(field: string, issue: string): never {
  throw new CallkiteError('validation_failed', `${field}: ${issue}`, { details: { [field]: [issue] } });
}
