import { pcmOf } from '@callkite/emulated-voice';

const FULL_SCALE = 32_768;
/** What the threshold of 0.5 stands for, in decibels below full scale: halfway between line noise and speech. */
const MIDDLE_DECIBELS = -34;
const DECIBELS_OF_SCALE = 40;

/** How sure a voice detector is that a piece of µ-law audio is speech, from 0 to 1, judged by its energy alone. */
export function speechScore(audio: Uint8Array): number {
  let energy = 0;
  for (const byte of audio) energy += ((pcmOf[byte] ?? 0) / FULL_SCALE) ** 2;
  if (energy === 0) return 0;
  const decibels = 10 * Math.log10(energy / audio.length);
  return Math.min(Math.max(0.5 + (decibels - MIDDLE_DECIBELS) / DECIBELS_OF_SCALE, 0), 1);
}
