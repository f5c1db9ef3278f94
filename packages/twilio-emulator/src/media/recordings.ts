import { toWav } from '@callkite/emulated-voice';
import { FRAME_BYTES } from '../line/callee-ear.ts';

const DEFAULT_MAXIMUM_BYTES = 64 * 1024 * 1024;

interface Recording {
  callee: Uint8Array[];
  agent: Uint8Array[];
}

/** The sound of media streams, both sides of it: some seventy minutes of the newest streams. */
export class Recordings {
  readonly #recordings = new Map<string, Recording>();
  readonly #maximumBytes: number;
  #bytes = 0;

  constructor(maximumBytes = DEFAULT_MAXIMUM_BYTES) {
    this.#maximumBytes = maximumBytes;
  }

  /** @returns what records a stream, frame by frame */
  start(streamSid: string): (callee: Uint8Array, agent: Uint8Array) => void {
    const recording: Recording = { callee: [], agent: [] };
    this.#recordings.set(streamSid, recording);
    return (callee, agent) => {
      if (this.#recordings.get(streamSid) !== recording) return;
      recording.callee.push(callee);
      recording.agent.push(agent);
      this.#bytes += 2 * FRAME_BYTES;
      if (this.#bytes > this.#maximumBytes) this.#forgetOldest();
    };
  }

  /** How many frames of a stream are recorded. */
  length(streamSid: string): number {
    return this.#recordings.get(streamSid)?.callee.length ?? 0;
  }

  /** Both sides of a stream between two frames; undefined when nothing of it is kept. */
  frames(streamSid: string, from: number, to: number): { callee: Uint8Array; agent: Uint8Array } | undefined {
    const recording = this.#recordings.get(streamSid);
    return (
      recording && {
        callee: Buffer.concat(recording.callee.slice(from, to)),
        agent: Buffer.concat(recording.agent.slice(from, to)),
      }
    );
  }

  /** A WAV file with the callee on the left and the agent on the right. */
  wav(streamSid: string): Uint8Array | undefined {
    const recording = this.#recordings.get(streamSid);
    return recording && toWav([Buffer.concat(recording.callee), Buffer.concat(recording.agent)]);
  }

  clear(): void {
    this.#recordings.clear();
    this.#bytes = 0;
  }

  #forgetOldest(): void {
    for (const [streamSid, { callee }] of this.#recordings) {
      this.#recordings.delete(streamSid);
      this.#bytes -= 2 * FRAME_BYTES * callee.length;
      return;
    }
  }
}
