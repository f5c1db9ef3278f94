import type { Mode } from './mode.ts';

/** A sealed text in the store, and what it was sealed for. */
export type SealedSecret = { readonly id: string; readonly sealed: string } & (
  | {
      readonly place: 'connection';
      readonly organizationId: string;
      readonly mode: Mode;
      readonly accountId: string;
      readonly isInUse: boolean;
    }
  /** The signing secret of a webhook integration, or the one before it that still counts. */
  | { readonly place: 'webhook' | 'former_webhook' }
  /** The bearer token for the callback of a call that is not finished. */
  | { readonly place: 'call' }
  /** The same, of a notification that is pending. */
  | { readonly place: 'delivery'; readonly callId: string }
);

/** Secrets as they lie in the store, for checking and changing the key they are sealed with. */
export interface SecretStore {
  /** Every secret that may still be needed. */
  list(): Promise<readonly SealedSecret[]>;
  /** Replaces a sealed text. No effect when it was changed in the meantime. */
  replace(secret: SealedSecret, sealed: string): Promise<void>;
}
