/** Zero crossings on each side of the filter: keeps the telephone band up to 3.5 kHz and nothing above 4.1 kHz. */
const crossings = 24;
const stepsPerCrossing = 512;
/** The part of the narrower band that passes; the rest is the slope of the filter. */
const passed = 0.96;

const kernel = Float32Array.from({ length: crossings * stepsPerCrossing + 2 }, (_, step) => {
  const at = step / stepsPerCrossing;
  if (at >= crossings) return 0;
  const sinc = at === 0 ? 1 : Math.sin(Math.PI * at) / (Math.PI * at);
  return sinc * (0.5 + 0.5 * Math.cos((Math.PI * at) / crossings));
});

function kernelAt(distance: number): number {
  const step = Math.abs(distance) * stepsPerCrossing;
  const below = Math.floor(step);
  const low = kernel[below] ?? 0;
  return low + ((kernel[below + 1] ?? 0) - low) * (step - below);
}

/**
 * Changes the sample rate of a stream, by any ratio. The browser chooses the rate of its audio context, and some throw
 * when it is asked for 8 kHz.
 */
export class Resampler {
  readonly #step: number;
  readonly #band: number;
  readonly #reach: number;
  #input: Float32Array;
  /** Where in the input the next sample of output lies. */
  #position: number;

  constructor(fromRate: number, toRate: number) {
    this.#step = fromRate / toRate;
    this.#band = Math.min(1, toRate / fromRate) * passed;
    this.#reach = crossings / this.#band;
    // Silence before the first sample, so that the filter has what to look back to.
    this.#input = new Float32Array(Math.ceil(this.#reach));
    this.#position = this.#input.length;
  }

  /** Takes the next samples of the stream. @returns what can be told of the output by now */
  process(samples: Float32Array): Float32Array<ArrayBuffer> {
    const input = new Float32Array(this.#input.length + samples.length);
    input.set(this.#input);
    input.set(samples, this.#input.length);
    const count = Math.max(0, Math.ceil((input.length - this.#reach - this.#position) / this.#step));
    const output = new Float32Array(count);
    for (let index = 0; index < count; index++) {
      output[index] = this.#sampleAt(input, this.#position);
      this.#position += this.#step;
    }
    const done = Math.max(0, Math.floor(this.#position - this.#reach));
    this.#input = input.slice(done);
    this.#position -= done;
    return output;
  }

  #sampleAt(input: Float32Array, position: number): number {
    const first = Math.max(0, Math.ceil(position - this.#reach));
    const last = Math.min(input.length - 1, Math.floor(position + this.#reach));
    let sum = 0;
    for (let index = first; index <= last; index++) {
      sum += (input[index] ?? 0) * kernelAt((index - position) * this.#band);
    }
    return sum * this.#band;
  }
}
