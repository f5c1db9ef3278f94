/** The square of each µ-law byte's sample, where full scale is 1 (ITU-T G.711). */
const squares = Float64Array.from({ length: 256 }, (_, byte) => {
  const inverted = ~byte & 0xff;
  const magnitude = ((((inverted & 0x0f) << 3) + 0x84) << ((inverted & 0x70) >> 4)) - 0x84;
  return (magnitude / 32_768) ** 2;
});

/** What the threshold of 0.5 stands for, in decibels below full scale: halfway between line noise and speech. */
const MIDDLE_DECIBELS = -34;
const DECIBELS_OF_SCALE = 40;

/** How sure a voice detector is that a piece of µ-law audio is speech, from 0 to 1, judged by its energy alone. */
export function speechScore(audio: Uint8Array): number {
  let energy = 0;
  for (const byte of audio) energy += squares[byte] ?? 0;
  if (energy === 0) return 0;
  const decibels = 10 * Math.log10(energy / audio.length);
  return Math.min(Math.max(0.5 + (decibels - MIDDLE_DECIBELS) / DECIBELS_OF_SCALE, 0), 1);
}
