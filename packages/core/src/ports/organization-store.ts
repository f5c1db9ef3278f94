import type { Mode, Scope } from './mode.ts';
import type { Page, PageRequest } from './page.ts';
import type { BusinessProfileStatus } from './telephony.ts';

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

/** An organization's account at a carrier: the line its calls go out on, and the limits of that line. */
export interface CarrierConnection {
  readonly id: string;
  readonly organizationId: string;
  readonly mode: Mode;
  readonly accountId: string;
  /** Sealed with the server's key; see `SecretBox`. */
  readonly sealedSecret: string;
  readonly accountName: string;
  readonly accountType: 'trial' | 'full';
  readonly businessProfile: BusinessProfileStatus;
  readonly callsPerSecond: number;
  /** `null`: unlimited. */
  readonly maximumConcurrentCalls: number | null;
  /** `paused`: the carrier refused the credentials or the account; nothing is dialled until it is verified again. */
  readonly status: 'active' | 'paused';
  /** While in the future, the carrier is known to be down and nothing is dialled. */
  readonly downUntil: Date | null;
  readonly createdAt: Date;
}

export interface ConnectedNumber {
  readonly id: string;
  readonly organizationId: string;
  readonly connectionId: string;
  readonly mode: Mode;
  /** E.164 */
  readonly phoneNumber: string;
  readonly providerNumberId: string;
  /** The organization's calls go out from its default number. Exactly one per organization and mode, if any. */
  readonly isDefault: boolean;
  readonly createdAt: Date;
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

  /** Inserts, or updates by (organization, mode, accountId), which also clears `paused` and `downUntil`. */
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

  /** Connects a number; the first of an organization and mode becomes its default. Connecting again changes nothing. */
  connectNumber(number: Omit<ConnectedNumber, 'createdAt' | 'isDefault'>): Promise<ConnectedNumber>;
  listNumbers(scope: Scope): Promise<readonly ConnectedNumber[]>;
  /** `false` when there is no such number. Calls in progress keep it; another number becomes default. */
  disconnectNumber(scope: Scope, id: string): Promise<boolean>;

  /**
   * Puts a number on the do-not-call list of a mode and ends queued calls of that mode to it as `blocked_dnc`. Idempotent.
   */
  addDoNotCall(
    scope: Scope,
    entry: {
      /** E.164 */
      readonly phoneNumber: string;
      readonly source: 'callee' | 'api';
      readonly callId: string | null;
    },
  ): Promise<void>;
  isOnDoNotCall(scope: Scope, phoneNumber: string): Promise<boolean>;
}
