import type { SavedCall } from './call.ts';
import type { SavedCallback } from './callback.ts';

/** The server keeps a lost call for 30 s. */
const keptMs = 30_000;

interface KeptCall {
  readonly atMs: number;
  readonly call: SavedCall;
}

/** Puts a call away while the tab goes to another page. */
export function keepCall(key: string, call: SavedCall): void {
  withStorage((storage) =>
    storage.setItem(key, JSON.stringify({ atMs: Date.now(), call } satisfies KeptCall)),
  );
}

/**
 * Takes the call out that an earlier page of this tab put away. It is there once: a copy of the tab does not get it.
 * @returns `null` when there is none, or the server has given it up by now
 */
export function takeKeptCall(key: string): SavedCall | null {
  return withStorage((storage) => {
    const text = storage.getItem(key);
    storage.removeItem(key);
    const kept = text === null ? null : (JSON.parse(text) as KeptCall);
    return kept !== null && Date.now() - kept.atMs < keptMs ? kept.call : null;
  });
}

const callbackKey = (key: string) => `${key}:callback`;

/** Keeps a call-back for as long as it is to come, or `null` for none any more. */
export function keepCallback(key: string, callback: SavedCallback | null): void {
  withStorage((storage) => {
    if (callback === null) storage.removeItem(callbackKey(key));
    else storage.setItem(callbackKey(key), JSON.stringify(callback));
  });
}

/** The call-back that this page, or an earlier one of this tab, was told of last; `null` when there is none to come. */
export function keptCallback(key: string): SavedCallback | null {
  return withStorage((storage) => {
    const text = storage.getItem(callbackKey(key));
    return text === null ? null : (JSON.parse(text) as SavedCallback);
  });
}

/** A browser may refuse storage to a page; then there is nothing to go on with. */
function withStorage<T>(use: (storage: Storage) => T): T | null {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}
