import { encodeMuLaw } from '@callkite/emulated-voice';
import { ApiError } from '../api-error.ts';
import { readAudio } from '../speech/connection.ts';

const FIXTURE_RATE = 24_000;
const MAX_FIXTURE_SECONDS = 30;
const BYTES_PER_SAMPLE = 2;
/** Samples of a fixture for each of the telephone. */
const DECIMATION = 3;

/** Sound to be played as it is, from 16-bit PCM at 24 kHz to µ-law at 8 kHz. @throws ApiError 400 */
export function readFixture(base64: string): Uint8Array {
  const pcm = readAudio(base64, 'audio');
  const seconds = pcm.length / BYTES_PER_SAMPLE / FIXTURE_RATE;
  if (pcm.length === 0 || pcm.length % BYTES_PER_SAMPLE !== 0 || seconds > MAX_FIXTURE_SECONDS) {
    throw new ApiError(
      `Invalid 'audio': expected 16-bit mono PCM at 24 kHz, at most ${MAX_FIXTURE_SECONDS} seconds of it.`,
      { param: 'audio', code: 'invalid_value' },
    );
  }
  const samples = Float64Array.from(
    { length: Math.floor(pcm.length / BYTES_PER_SAMPLE / DECIMATION) },
    (_, index) => {
      let sum = 0;
      for (let offset = 0; offset < DECIMATION; offset += 1) {
        sum += pcm.readInt16LE((index * DECIMATION + offset) * BYTES_PER_SAMPLE);
      }
      return sum / DECIMATION / 32_768;
    },
  );
  return encodeMuLaw(samples);
}
