import type {
  ApiKeyRecord,
  CarrierConnection,
  ConnectedNumber,
  Organization,
} from '../ports/organization-store.ts';
import type { Mode, Page, PageRequest } from '../ports/storage.ts';
import type { CarrierNumber } from '../ports/telephony.ts';

/** Who is asking: what an API key stands for. */
export interface Caller {
  readonly organizationId: string;
  readonly mode: Mode;
  readonly keyId: string;
}

export interface Organizations {
  /** For the operator. @param allowedCountries ISO codes @default ['US', 'CA'] */
  create(input: { name: string; allowedCountries?: readonly string[] }): Promise<Organization>;
  get(organizationId: string): Promise<Organization>;
  list(page: PageRequest): Promise<Page<Organization>>;

  /** The key itself is returned here and never again. */
  createApiKey(
    organizationId: string,
    input: { mode: Mode; name: string },
  ): Promise<{ readonly record: ApiKeyRecord; readonly key: string }>;
  listApiKeys(organizationId: string, page: PageRequest): Promise<Page<ApiKeyRecord>>;
  /** Throws `not_found`. */
  revokeApiKey(organizationId: string, id: string): Promise<ApiKeyRecord>;
  /** The caller behind a key. Throws `unauthenticated`. A malformed key costs no storage access. */
  authenticate(key: string): Promise<Caller>;

  /**
   * Verifies the credentials with the carrier and stores them sealed, with the limits of the account's type:
   * trial 1 call a second and 4 at once; without an approved profile 1 and (default) 4; approved as configured
   * (default 1 and unlimited). Connecting the same account again verifies and updates it.
   * Throws `provider_rejected` or `provider_unavailable`, and `validation_failed` for limits the account does not allow.
   */
  connectCarrier(
    organizationId: string,
    input: {
      mode: Mode;
      accountId: string;
      secret: string;
      callsPerSecond?: number;
      maximumConcurrentCalls?: number | null;
    },
  ): Promise<CarrierConnection>;
  /** Verifies the stored credentials again and updates account type, profile and limits. */
  refreshConnection(organizationId: string, id: string): Promise<CarrierConnection>;
  listConnections(organizationId: string): Promise<readonly CarrierConnection[]>;
  /** Throws `not_found`, and `conflict` while calls are open on it. */
  deleteConnection(organizationId: string, id: string): Promise<void>;
  /** Numbers the carrier account owns, and which of them are connected. */
  listCarrierNumbers(
    organizationId: string,
    connectionId: string,
  ): Promise<readonly (CarrierNumber & { readonly connected: boolean })[]>;
  /** Throws `not_found` when the account does not own the number, `validation_failed` when it cannot place calls. */
  connectNumber(organizationId: string, connectionId: string, phoneNumber: string): Promise<ConnectedNumber>;
  listNumbers(organizationId: string): Promise<readonly ConnectedNumber[]>;
  disconnectNumber(organizationId: string, id: string): Promise<void>;
}
