/** To the playback worklet: µ-law to play, a place to tell of when it was played, or to drop everything. */
export type PlaybackCommand = ArrayBuffer | { readonly mark: string } | 'clear';

/** From the playback worklet: a mark was reached, or the speaker began or stopped. */
export type PlaybackReport = { readonly played: string } | { readonly speaking: boolean };
