/**
 * How a word travels in the top of the band: one tone at a time, each 5 ms long. A frame is four tones that announce it, then
 * bytes of four tones each: the length of the word, its UTF-8, and a checksum. The tone that announces never carries data,
 * so the beginning of a frame is recognized at any moment, in the middle of a broken one too.
 */
export const SAMPLES_PER_SYMBOL = 40;

/** Periods of each tone in a symbol: whole numbers, so that the tones do not disturb each other. 3.0 to 3.8 kHz. */
export const tonePeriods: readonly number[] = [15, 16, 17, 18, 19];
/** Amplitude of the carrier: 25 dB below speech. Words are lost only when it is weaker by another 8 dB. */
export const CARRIER_AMPLITUDE = 0.008;
/** Index of the tone that carries no data. */
export const SYNC_TONE = 4;
export const syncSymbols: readonly number[] = [SYNC_TONE, 0, SYNC_TONE, 3];
export const SYMBOLS_PER_BYTE = 4;
/** Bytes of a frame besides those of its word. */
export const FRAME_BYTES = 3;
/** Bytes of the longest word. */
export const MAXIMUM_WORD_BYTES = 255;

/** The tones of a word of 1 to 255 bytes. */
export function symbolsOf(word: Uint8Array): number[] {
  const body = Uint8Array.of(word.length, ...word);
  const checksum = checksumOf(body);
  const bytes = [...body, checksum >> 8, checksum & 0xff];
  return [
    ...syncSymbols,
    ...bytes.flatMap((byte) => [byte >> 6, (byte >> 4) & 3, (byte >> 2) & 3, byte & 3]),
  ];
}

/** CRC-16 (CCITT) over the length and the bytes of a word. */
export function checksumOf(body: Uint8Array): number {
  let checksum = 0xffff;
  for (const byte of body) {
    checksum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      checksum = checksum & 0x8000 ? ((checksum << 1) ^ 0x1021) & 0xffff : (checksum << 1) & 0xffff;
    }
  }
  return checksum;
}
