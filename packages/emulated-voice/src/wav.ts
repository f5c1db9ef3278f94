import { pcmOf, SAMPLE_RATE } from './mu-law.ts';

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;

/** A WAV file (16-bit PCM, 8 kHz) of µ-law tracks side by side, one channel each; shorter ones end in silence. */
export function toWav(tracks: readonly Uint8Array[]): Uint8Array {
  const frames = Math.max(0, ...tracks.map((track) => track.length));
  const frameBytes = tracks.length * BYTES_PER_SAMPLE;
  const wav = Buffer.alloc(HEADER_BYTES + frames * frameBytes);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(tracks.length, 22);
  wav.writeUInt32LE(SAMPLE_RATE, 24);
  wav.writeUInt32LE(SAMPLE_RATE * frameBytes, 28);
  wav.writeUInt16LE(frameBytes, 32);
  wav.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(frames * frameBytes, 40);
  for (const [channel, track] of tracks.entries()) {
    for (let frame = 0; frame < track.length; frame += 1) {
      wav.writeInt16LE(
        pcmOf[track[frame] ?? 0] ?? 0,
        HEADER_BYTES + frame * frameBytes + channel * BYTES_PER_SAMPLE,
      );
    }
  }
  return wav;
}
