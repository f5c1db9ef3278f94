const bias = 0x84;
const clip = 32_635;

/** One sample of -1 to 1 as a byte of µ-law (ITU-T G.711). */
export function encodeMuLaw(sample: number): number {
  const pcm = Math.round(sample * 32_767);
  const sign = pcm < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(pcm), clip) + bias;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

/** What each byte of µ-law sounds like, from -1 to 1. */
export const decodedMuLaw: Float32Array = Float32Array.from({ length: 256 }, (_, byte) => {
  const code = ~byte & 0xff;
  const magnitude = ((((code & 0x0f) << 3) + bias) << ((code >> 4) & 0x07)) - bias;
  return (code & 0x80 ? -magnitude : magnitude) / 32_768;
});

/** How loud a piece of µ-law is at its loudest, from 0 to 1, even to the ear: the code is logarithmic already. */
export function loudness(audio: Uint8Array): number {
  let loudest = 0;
  for (const byte of audio) loudest = Math.max(loudest, ~byte & 0x7f);
  return loudest / 127;
}
