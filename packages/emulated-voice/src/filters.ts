import { SAMPLE_RATE } from './mu-law.ts';

const SPEECH_BAND_HZ = 2650;
const HALF_WIDTH = 80;

/** Speech of any sample rate at 8 kHz, with nothing left above some 2.8 kHz: that is where the data carrier lives. */
export function toSpeechBand(samples: Float64Array, sampleRate: number): Float64Array {
  const ratio = sampleRate / SAMPLE_RATE;
  const kernel = kernelFor(sampleRate);
  const filtered = new Float64Array(Math.floor(samples.length / ratio));
  for (let at = 0; at < filtered.length; at += 1) {
    const row = kernel[at % kernel.length] ?? new Float64Array();
    const first = Math.floor(at * ratio) - (row.length >> 1);
    const last = Math.min(row.length, samples.length - first);
    let sum = 0;
    for (let tap = Math.max(0, -first); tap < last; tap += 1) {
      sum += (row[tap] ?? 0) * (samples[first + tap] ?? 0);
    }
    filtered[at] = sum;
  }
  return filtered;
}

const kernels = new Map<number, Float64Array[]>();

/** The taps around each output sample: where one falls between two input samples repeats after a while. */
function kernelFor(sampleRate: number): Float64Array[] {
  const known = kernels.get(sampleRate);
  if (known) return known;
  const ratio = sampleRate / SAMPLE_RATE;
  const reach = Math.ceil(HALF_WIDTH * ratio);
  const kernel = Array.from(
    { length: SAMPLE_RATE / greatestCommonDivisor(sampleRate, SAMPLE_RATE) },
    (_, row) =>
      Float64Array.from({ length: 2 * reach + 1 }, (_, tap) => {
        const offset = (tap - reach - ((row * ratio) % 1)) / ratio;
        return (lowPass(offset, SPEECH_BAND_HZ) * blackman(offset / HALF_WIDTH)) / ratio;
      }),
  );
  kernels.set(sampleRate, kernel);
  return kernel;
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right);
}

/** Taps of a filter that lets pass what lies above `cutoffHz`; `length` is odd, the delay `(length - 1) / 2` samples. */
export function highPassTaps(cutoffHz: number, length: number): Float64Array {
  const middle = (length - 1) / 2;
  return Float64Array.from({ length }, (_, index) => {
    const offset = index - middle;
    const tap = lowPass(offset, cutoffHz) * blackman(offset / (middle + 1));
    return (offset === 0 ? 1 : 0) - tap;
  });
}

function lowPass(offset: number, cutoffHz: number): number {
  const share = (2 * cutoffHz) / SAMPLE_RATE;
  return offset === 0 ? share : Math.sin(Math.PI * share * offset) / (Math.PI * offset);
}

function blackman(position: number): number {
  if (Math.abs(position) >= 1) return 0;
  return 0.42 + 0.5 * Math.cos(Math.PI * position) + 0.08 * Math.cos(2 * Math.PI * position);
}
