import { Frames } from './frames.ts';
import { encodeMuLaw } from './mu-law.ts';
import { PlaybackQueue } from './playback-queue.ts';
import { Resampler } from './resampler.ts';
import type { PlaybackCommand, PlaybackReport } from './worklet-messages.ts';

// The scope of worklets, which TypeScript's library does not describe.
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

const lineRate = 8000;
/** Pieces in which sound is taken from the queue: 5 ms. */
const pieceSamples = 40;

/** Microphone to µ-law frames of 20 ms. */
class Capture extends AudioWorkletProcessor {
  readonly #resampler = new Resampler(sampleRate, lineRate);
  readonly #frames = new Frames((frame) => this.port.postMessage(frame.buffer, [frame.buffer]));

  process([input]: Float32Array[][]): boolean {
    const samples = input?.[0];
    if (samples)
      for (const sample of this.#resampler.process(samples)) this.#frames.push(encodeMuLaw(sample));
    return true;
  }
}

/** µ-law of any length to the loudspeaker. */
class Playback extends AudioWorkletProcessor {
  readonly #queue = new PlaybackQueue();
  readonly #resampler = new Resampler(lineRate, sampleRate);
  readonly #piece = new Float32Array(pieceSamples);
  #ready = new Float32Array(0);
  #wasPlaying = false;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<PlaybackCommand>) => {
      if (data === 'clear') {
        this.#queue.clear();
        this.#ready = new Float32Array(0);
      } else if (data instanceof ArrayBuffer) this.#queue.push(new Uint8Array(data));
      else this.#queue.mark(data.mark);
    };
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const output = outputs[0]?.[0];
    if (!output) return true;
    while (this.#ready.length < output.length) {
      for (const mark of this.#queue.take(this.#piece)) this.#report({ played: mark });
      const more = this.#resampler.process(this.#piece);
      const joined = new Float32Array(this.#ready.length + more.length);
      joined.set(this.#ready);
      joined.set(more, this.#ready.length);
      this.#ready = joined;
    }
    output.set(this.#ready.subarray(0, output.length));
    this.#ready = this.#ready.slice(output.length);
    if (this.#queue.playing !== this.#wasPlaying) {
      this.#wasPlaying = this.#queue.playing;
      this.#report({ speaking: this.#wasPlaying });
    }
    return true;
  }

  #report(report: PlaybackReport): void {
    this.port.postMessage(report);
  }
}

registerProcessor('callkite-capture', Capture);
registerProcessor('callkite-playback', Playback);
