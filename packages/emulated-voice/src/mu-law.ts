/** Samples per second of all audio of this package. */
export const SAMPLE_RATE = 8000;
/** Bytes, and so samples, in a millisecond. */
export const SAMPLES_PER_MS = SAMPLE_RATE / 1000;

const SILENCE = 0xff;
const BIAS = 0x84;
const CLIP = 32635;

// Speech is made some 14 dB louder than this, the data carrier 11 dB quieter.
const LOUD_MEAN_SQUARE = 0.02 ** 2;

/** The 16-bit sample of each µ-law byte (ITU-T G.711). */
export const pcmOf: Int16Array = Int16Array.from({ length: 256 }, (_, byte) => {
  const inverted = ~byte & 0xff;
  const magnitude = ((((inverted & 0x0f) << 3) + BIAS) << ((inverted & 0x70) >> 4)) - BIAS;
  return inverted & 0x80 ? -magnitude : magnitude;
});

/** Encodes samples from -1 to 1; louder ones are clipped. */
export function encodeMuLaw(samples: Float64Array): Uint8Array {
  return Uint8Array.from(samples, (sample) => muLawOf(Math.round(sample * 32768)));
}

/** `ms` milliseconds of digital silence. */
export const silence = (ms: number): Uint8Array =>
  new Uint8Array(Math.round(ms * SAMPLES_PER_MS)).fill(SILENCE);

/** Whether a voice activity detector takes the frame for speech: its mean level is above -34 dB of full scale. */
export function isLoud(frame: Uint8Array): boolean {
  let energy = 0;
  for (const byte of frame) {
    const sample = (pcmOf[byte] ?? 0) / 32768;
    energy += sample * sample;
  }
  return energy > LOUD_MEAN_SQUARE * frame.length;
}

function muLawOf(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), CLIP) + BIAS;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}
