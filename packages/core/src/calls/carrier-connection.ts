import type { Mode } from '../kernel/mode.ts';
import type { BusinessProfileStatus } from './carrier-adapter.ts';

/** An organization's account at a carrier: the line its calls go out on, and the limits of that line. */
export interface CarrierConnection {
  readonly id: string;
  readonly organizationId: string;
  readonly mode: Mode;
  readonly accountId: string;
  /** See `CarrierAdapter.network`. `null`: connected before this was kept, and not used since. */
  readonly network: string | null;
  /** Sealed with the server's key; see `SecretBox`. */
  readonly sealedSecret: string;
  readonly accountName: string;
  readonly accountType: 'trial' | 'full';
  readonly businessProfile: BusinessProfileStatus;
  readonly callsPerSecond: number;
  /** `null`: unlimited. */
  readonly maximumConcurrentCalls: number | null;
  /**
   * `paused`: the carrier refused the credentials or the account; nothing is dialed until it is verified again.
   * `out_of_use`: it belongs to another phone network than the one this server uses; nothing is dialed.
   */
  readonly status: 'active' | 'paused' | 'out_of_use';
  /** While in the future, the carrier is known to be down and nothing is dialed. */
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
