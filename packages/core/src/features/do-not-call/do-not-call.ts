import { CallkiteError } from '../../kernel/errors.ts';
import type { Principal, Scope } from '../../kernel/mode.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';
import type { DoNotCallEntry, DoNotCallStore, HashedNumber, OptOuts } from './do-not-call-store.ts';
import type { KeyedHashes } from './keyed-hashes.ts';

export interface DoNotCallImport {
  readonly added: number;
  readonly alreadyListed: number;
  /** Rows that are no phone numbers, counted from 1. The others were added. */
  readonly refused: readonly { readonly row: number; readonly error: string }[];
}

/** The numbers that calls and transfers of a mode do not ring. Changes count at once, for waiting calls too. */
export interface DoNotCall {
  /** Adding a number again changes nothing. Throws `invalid_phone_number`. */
  add(
    caller: Principal,
    input: { readonly phoneNumber: string; readonly reason?: string | undefined },
  ): Promise<DoNotCallEntry>;
  /** Adds many. Spaces, dots, dashes and parentheses in numbers are ignored. */
  import(
    caller: Principal,
    input: { readonly rows: readonly string[]; readonly reason?: string | undefined },
  ): Promise<DoNotCallImport>;
  /** Newest first. */
  list(
    scope: Scope,
    filter: { readonly phoneNumber?: string | undefined; readonly lifted?: boolean | undefined },
    page: PageRequest,
  ): Promise<Page<DoNotCallEntry>>;
  /**
   * Lets a number be called again. The entry stays on record, with who lifted it and why. Throws `not_found`, and
   * `forbidden` without a reason where the callee asked for no more calls.
   */
  lift(
    caller: Principal,
    phoneNumber: string,
    input: { readonly reason?: string | undefined },
  ): Promise<DoNotCallEntry>;
}

/** So many numbers are stored at once; in between others get their turn. */
const batchSize = 2000;

export function createDoNotCall(deps: { store: DoNotCallStore; keyedHashes: KeyedHashes }): DoNotCall {
  const { store, keyedHashes } = deps;

  async function hashed({ organizationId }: Scope, phoneNumber: string): Promise<HashedNumber> {
    if (!isNumber(phoneNumber)) throw new CallkiteError('invalid_phone_number', notANumber);
    const keyOf = await keyedHashes.of(organizationId);
    return { phoneNumber, numberKey: keyOf(phoneNumber) };
  }

  return {
    async add(caller, { phoneNumber, reason = null }) {
      const number = await hashed(caller, phoneNumber);
      await store.add(caller, [number], { source: 'api', reason, callId: null, addedBy: caller.keyId });
      return (await store.find(caller, number)) ?? missing();
    },

    async import(caller, { rows, reason = null }) {
      const keyOf = await keyedHashes.of(caller.organizationId);
      const refused: { row: number; error: string }[] = [];
      const numbers = new Set<string>();
      let valid = 0;
      for (const [index, text] of rows.entries()) {
        const phoneNumber = text.replaceAll(/[\s().-]/g, '');
        if (isNumber(phoneNumber)) {
          valid += 1;
          numbers.add(phoneNumber);
        } else refused.push({ row: index + 1, error: notANumber });
      }
      const all = [...numbers];
      let added = 0;
      for (let start = 0; start < all.length; start += batchSize) {
        const batch = all.slice(start, start + batchSize);
        added += await store.add(
          caller,
          batch.map((phoneNumber) => ({ phoneNumber, numberKey: keyOf(phoneNumber) })),
          { source: 'import', reason, callId: null, addedBy: caller.keyId },
        );
      }
      return { added, alreadyListed: valid - added, refused };
    },

    async list(scope, { phoneNumber, lifted = false }, page) {
      if (phoneNumber === undefined) return store.list(scope, { lifted }, page);
      return store.list(scope, { lifted, number: await hashed(scope, phoneNumber) }, page);
    },

    async lift(caller, phoneNumber, { reason = null }) {
      const number = await hashed(caller, phoneNumber);
      const entry = (await store.find(caller, number)) ?? missing();
      if (entry.source === 'callee' && reason === null) {
        throw new CallkiteError(
          'forbidden',
          'The callee asked for no more calls: give a reason why this number may be called again',
        );
      }
      return (await store.lift(caller, number, { liftedBy: caller.keyId, reason })) ?? missing();
    },
  };
}

export function createOptOuts({
  store,
  keyedHashes,
}: {
  store: DoNotCallStore;
  keyedHashes: KeyedHashes;
}): OptOuts {
  return {
    async addDoNotCall(call, { phoneNumber, source, callId }) {
      const keyOf = await keyedHashes.of(call.organizationId);
      await store.add(call, [{ phoneNumber, numberKey: keyOf(phoneNumber) }], {
        source,
        reason: null,
        callId,
        addedBy: null,
      });
    },
  };
}

/**
 * The rows of a CSV text whose first column is a phone number, with whatever else stands in them left out. Where the
 * first line holds no number it is the header, and its row is empty.
 */
export function firstColumn(csv: string): { readonly rows: readonly string[]; readonly hasHeader: boolean } {
  const lines = csv.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  const rows = lines.map((line) => (/^\s*"?([^",;\t]*)/.exec(line)?.[1] ?? '').trim());
  return { rows, hasHeader: rows[0] !== undefined && !/[0-9]/.test(rows[0]) };
}

const notANumber = 'not a phone number in E.164 form: "+", country code and number';

function isNumber(text: string): boolean {
  return /^\+[1-9][0-9]{5,14}$/.test(text);
}

function missing(): never {
  throw new CallkiteError('not_found', 'This number is not on the do-not-call list');
}
