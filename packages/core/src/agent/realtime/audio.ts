const bytesPerMs = 8;

/** Milliseconds of sound in base64 of µ-law at 8 kHz, mono. */
export function audioDurationMs(audio: string): number {
  const padding = audio.endsWith('==') ? 2 : audio.endsWith('=') ? 1 : 0;
  return ((audio.length / 4) * 3 - padding) / bytesPerMs;
}

/** One sample as µ-law byte (ITU-T G.711). */
function muLaw(sample: number): number {
  const magnitude = Math.min(Math.abs(Math.round(sample)), 32_635) + 132;
  const exponent = Math.floor(Math.log2(magnitude)) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff;
}

interface Tone {
  readonly ms: number;
  /** Of the sines that sound together; none for silence. */
  readonly hertz: readonly number[];
}

function soundOf(tones: readonly Tone[], loudness: number): string {
  const bytes = tones.flatMap(({ ms, hertz }) => {
    const length = ms * bytesPerMs;
    return Array.from({ length }, (_, at) => {
      const swell = Math.min(1, at / 80, (length - at) / 80);
      const sines = hertz.reduce((sum, each) => sum + Math.sin((2 * Math.PI * each * at) / 8000), 0);
      return muLaw(loudness * swell * sines);
    });
  });
  return Buffer.from(bytes).toString('base64');
}

/** Two soft tones that tell a waiting callee that the line is alive. */
export const comfortTone = soundOf(
  [
    { ms: 140, hertz: [440] },
    { ms: 110, hertz: [] },
    { ms: 140, hertz: [554] },
  ],
  2600,
);

const keyRows = ['123', '456', '789', '*0#'];
const rowHertz = [697, 770, 852, 941];
const columnHertz = [1209, 1336, 1477];

/** Keys as the tones of a telephone (ITU-T Q.23): 0-9, * and #, and w for half a second of silence. */
export function dtmfTones(digits: string): string {
  const tones = [...digits].flatMap((digit): Tone[] => {
    if (digit === 'w') return [{ ms: 500, hertz: [] }];
    const row = keyRows.findIndex((keys) => keys.includes(digit));
    const low = rowHertz[row];
    const high = columnHertz[keyRows[row]?.indexOf(digit) ?? -1];
    if (low === undefined || high === undefined) return [];
    return [
      { ms: 120, hertz: [low, high] },
      { ms: 80, hertz: [] },
    ];
  });
  return soundOf(tones, 8000);
}
