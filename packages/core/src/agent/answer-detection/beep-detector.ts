/** Tells of the tone after which a mailbox records. */
export interface BeepDetector {
  /**
   * Takes in the callee's sound, without gaps: µ-law, 8 kHz, mono, as bytes or base64, in pieces of any length.
   * @returns whether a beep came to its end in this piece
   */
  hear(audio: Uint8Array | string): boolean;
}

const samplesPerSecond = 8_000;
const frameSamples = 160;
const frameMs = (frameSamples / samplesPerSecond) * 1000;
const lowestHertz = 700;
const highestHertz = 1_600;
/** A tone keeps its pitch; a voice, however steady, does not for so long. */
const steadyHertz = 25;
const shortestBeepMs = 150;
/** Longer tones are a line's, not a mailbox's. */
const longestBeepMs = 2_500;
/** Special information tones follow one another at once; after a beep it is quiet. */
const silenceAfterMs = 100;
/** Mean square of samples from -1 to 1. Below it nothing is to be heard. */
const leastPower = 0.0005;
/** Part of a frame's power that is in its one tone. Two tones at once, such as a key's, have half each. */
const tonePart = 0.85;
/** What counts as quiet after a beep, in parts of its power. */
const quietPart = 0.03;

/** ITU-T G.711: sign, three bits of exponent, four of mantissa, all inverted. */
const linear = Float32Array.from({ length: 256 }, (_, byte) => {
  const inverted = ~byte & 0xff;
  const magnitude = (((inverted & 0x0f) << 3) + 0x84) << ((inverted & 0x70) >> 4);
  return (inverted & 0x80 ? 0x84 - magnitude : magnitude - 0x84) / 32_768;
});

/** The one tone of a frame, by its power and pitch; `null` when there is none. */
function toneOf(frame: Float32Array, power: number): number | null {
  // Neighbours of a sample of a pure tone add up to 2cos(w) times the sample.
  let products = 0;
  let squares = 0;
  for (let index = 1; index < frameSamples - 1; index += 1) {
    const sample = frame[index] ?? 0;
    products += sample * ((frame[index - 1] ?? 0) + (frame[index + 1] ?? 0));
    squares += sample * sample;
  }
  const cosine = products / (2 * squares);
  const hertz = (Math.acos(Math.max(-1, Math.min(1, cosine))) / (2 * Math.PI)) * samplesPerSecond;
  if (hertz < lowestHertz || hertz > highestHertz) return null;
  return partAt(frame, cosine) >= tonePart * power ? hertz : null;
}

/** Power at one pitch, by Goertzel's algorithm. */
function partAt(frame: Float32Array, cosine: number): number {
  let last = 0;
  let beforeLast = 0;
  for (const sample of frame) {
    const next = sample + 2 * cosine * last - beforeLast;
    beforeLast = last;
    last = next;
  }
  const magnitude = last * last + beforeLast * beforeLast - 2 * cosine * last * beforeLast;
  return (2 * magnitude) / (frameSamples * frameSamples);
}

/** Listens for one steady tone of 700 to 1600 Hz, held and then followed by silence. A few multiplications a sample. */
export function beepDetector(): BeepDetector {
  const frame = new Float32Array(frameSamples);
  let filled = 0;
  let tone: { hertz: number; power: number; ms: number } | null = null;
  let silenceMs = 0;

  function endsBeep(): boolean {
    let power = 0;
    for (const sample of frame) power += sample * sample;
    power /= frameSamples;
    const hertz = power < leastPower ? null : toneOf(frame, power);
    if (hertz !== null) {
      const goesOn = tone !== null && silenceMs === 0 && Math.abs(hertz - tone.hertz) <= steadyHertz;
      tone = goesOn && tone ? { ...tone, power, ms: tone.ms + frameMs } : { hertz, power, ms: frameMs };
      silenceMs = 0;
      return false;
    }
    if (tone === null) return false;
    const isQuiet = power <= Math.max(leastPower, quietPart * tone.power);
    // The frame in which the tone stops is part of both.
    const isEdge = silenceMs === 0 && power < tone.power;
    if (!isQuiet && !isEdge) {
      tone = null;
      silenceMs = 0;
      return false;
    }
    silenceMs += frameMs;
    if (silenceMs < silenceAfterMs + frameMs) return false;
    const wasBeep = tone.ms + frameMs > shortestBeepMs && tone.ms <= longestBeepMs;
    tone = null;
    silenceMs = 0;
    return wasBeep;
  }

  return {
    hear(audio) {
      let isBeep = false;
      for (const byte of typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio) {
        frame[filled] = linear[byte] ?? 0;
        filled += 1;
        if (filled < frameSamples) continue;
        filled = 0;
        isBeep = endsBeep() || isBeep;
      }
      return isBeep;
    },
  };
}
