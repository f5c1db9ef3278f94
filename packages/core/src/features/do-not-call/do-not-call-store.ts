import type { Mode, Scope } from '../../kernel/mode.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';

/** A number with the keyed hash that stands for it once the number itself is erased. */
export interface HashedNumber {
  /** E.164 */
  readonly phoneNumber: string;
  readonly numberKey: string;
}

export interface DoNotCallEntry {
  readonly id: string;
  readonly organizationId: string;
  readonly mode: Mode;
  /** E.164; `null` once the call it comes from is erased. */
  readonly phoneNumber: string | null;
  readonly source: 'callee' | 'api' | 'import';
  readonly reason: string | null;
  /** Of a callee who asked for it, unless that call is erased. */
  readonly callId: string | null;
  /** Id of the API key it was added with. */
  readonly addedBy: string | null;
  readonly createdAt: Date;
  /** `null` while it is in force. */
  readonly liftedAt: Date | null;
  /** Id of the API key it was lifted with. */
  readonly liftedBy: string | null;
  readonly liftReason: string | null;
}

/**
 * Numbers that are not called. An entry is in force until it is lifted, and stays on record afterwards. It holds for calls
 * and transfers of its mode: `CallStore.accept`, `CallStore.claimNext` and `TransferStore.proceed` look for the number and
 * for its keyed hash, which is all that is left of an opt-out whose call was erased.
 */
export interface DoNotCallStore {
  /**
   * Puts numbers on the list and ends queued calls to them as `blocked_dnc`. Those in force already stay as they are.
   * @returns how many are new
   */
  add(
    scope: Scope,
    numbers: readonly HashedNumber[],
    facts: Pick<DoNotCallEntry, 'source' | 'reason' | 'callId' | 'addedBy'>,
  ): Promise<number>;
  /** The entry in force for a number. */
  find(scope: Scope, number: HashedNumber): Promise<DoNotCallEntry | null>;
  list(
    scope: Scope,
    filter: { readonly number?: HashedNumber; readonly lifted: boolean },
    page: PageRequest,
  ): Promise<Page<DoNotCallEntry>>;
  /** Lifts what is in force for a number. @returns the entry; `null` when there is none */
  lift(
    scope: Scope,
    number: HashedNumber,
    by: { readonly liftedBy: string; readonly reason: string | null },
  ): Promise<DoNotCallEntry | null>;
  /**
   * Replaces numbers of opt-outs whose call was erased by an earlier version, which left them as they were. Does nothing
   * for as long as processes of that version may still run: they know no hashes, and would call these people.
   * @returns how many
   */
  hashErased(keyOf: (organizationId: string, phoneNumber: string) => string): Promise<number>;

  /** The sealed key of the hashes: the first one that was ever given. */
  hashKey(sealed: string): Promise<string>;
  /** Replaces it by the same key, sealed anew. */
  resealHashKey(sealed: string): Promise<void>;
}

/** Where conversations note that a callee wants no more calls. */
export interface OptOuts {
  addDoNotCall(
    call: Scope,
    entry: { readonly phoneNumber: string; readonly source: 'callee'; readonly callId: string },
  ): Promise<void>;
}
