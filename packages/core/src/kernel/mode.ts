/** Calls of `ck_live_` keys ring phones; those of `ck_test_` keys stay in the emulated network. */
export type Mode = 'live' | 'test';

/**
 * One side of an organization, which is all that a key opens. What belongs to a mode is read and changed under a scope
 * only, so a query that forgets the mode does not compile. Callers, calls and deliveries are scopes themselves.
 */
export interface Scope {
  readonly organizationId: string;
  readonly mode: Mode;
}

/** Who is asking: what an API key stands for. */
export interface Principal extends Scope {
  readonly keyId: string;
}
