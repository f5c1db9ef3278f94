/** Calls of `ck_live_` keys ring phones; those of `ck_test_` keys stay in the emulated network. */
export type Mode = 'live' | 'test';
