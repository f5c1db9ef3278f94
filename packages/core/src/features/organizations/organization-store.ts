import type { CarrierConnection, ConnectedNumber } from '../../calls/carrier-connection.ts';
import type { Mode, Scope } from '../../kernel/mode.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';

export interface Organization {
  readonly id: string;
  readonly name: string;
  /** ISO 3166-1 alpha-2 codes of countries that may be called. */
  readonly allowedCountries: readonly string[];
  /** Minutes that its live phone calls may take in a UTC day. `null`: unlimited; `default`: what the server says. */
  readonly dailyCallMinutes: number | null | 'default';
  readonly createdAt: Date;
}

export interface ApiKeyRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly mode: Mode;
  readonly name: string;
  /** First characters after the prefix; not secret. */
  readonly lookupId: string;
  /** SHA-256 of the whole key, hex. */
  readonly hash: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

export interface OrganizationStore {
  /** @param organization its `dailyCallMinutes` are `default` when left out */
  create(
    organization: Omit<Organization, 'createdAt' | 'dailyCallMinutes'> &
      Partial<Pick<Organization, 'dailyCallMinutes'>>,
  ): Promise<Organization>;
  get(organizationId: string): Promise<Organization | null>;
  list(page: PageRequest): Promise<Page<Organization>>;
  /** A change of the limit makes the alarms of the day due again. `null` when there is none such. */
  update(
    organizationId: string,
    change: Partial<Pick<Organization, 'name' | 'allowedCountries' | 'dailyCallMinutes'>>,
  ): Promise<Organization | null>;

  createApiKey(key: Omit<ApiKeyRecord, 'createdAt' | 'revokedAt'>): Promise<ApiKeyRecord>;
  /** Looks across organizations: the key is what tells the organization. Revoked keys are returned too. */
  findApiKey(lookupId: string): Promise<ApiKeyRecord | null>;
  listApiKeys(organizationId: string, page: PageRequest): Promise<Page<ApiKeyRecord>>;
  /** @returns `null` when the organization has no such key. Revoking again changes nothing. */
  revokeApiKey(organizationId: string, id: string): Promise<ApiKeyRecord | null>;

  /** Inserts, or updates by (organization, mode, accountId), which also makes it `active` and clears `downUntil`. */
  saveConnection(
    connection: Omit<CarrierConnection, 'createdAt' | 'status' | 'downUntil'>,
  ): Promise<CarrierConnection>;
  getConnection(scope: Scope, id: string): Promise<CarrierConnection | null>;
  listConnections(scope: Scope): Promise<readonly CarrierConnection[]>;
  /**
   * Removes the connection and its numbers. `conflict` while it has open attempts, and while a recording of its calls is
   * still at the carrier, where nobody could delete it any more; `false` when there is none.
   */
  deleteConnection(scope: Scope, id: string): Promise<boolean>;
  /**
   * Sets the phone network of a mode's calls. Connections to another network become `out_of_use`, and their numbers are no
   * longer default; those of this network come back into use. Connections without a network are taken for this one's.
   * @returns the connections whose status changed
   */
  useNetwork(mode: Mode, network: string): Promise<readonly CarrierConnection[]>;
  /**
   * Settles everything on connections that are `out_of_use` and belong to a network that no longer exists: queued calls
   * end as `carrier_unavailable`, open attempts as `carrier_record_missing` or, if never confirmed, as
   * `placement_unconfirmed`; recordings are gone. Each call is one step: if interrupted, call it again.
   * @returns how many calls ended and how many recordings were given up
   */
  settleNetwork(
    mode: Mode,
    network: string,
  ): Promise<{ readonly calls: number; readonly recordings: number }>;

  /** Connects a number; the first usable one of an organization and mode becomes its default. Connecting again changes nothing. */
  connectNumber(number: Omit<ConnectedNumber, 'createdAt' | 'isDefault'>): Promise<ConnectedNumber>;
  listNumbers(scope: Scope): Promise<readonly ConnectedNumber[]>;
  /** `false` when there is no such number. Calls in progress keep it; another number becomes default. */
  disconnectNumber(scope: Scope, id: string): Promise<boolean>;
}
