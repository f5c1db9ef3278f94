// Makes the recordings in `clips/` with espeak-ng. Build first: `pnpm build && pnpm --filter @callkite/emulated-voice make-clips`.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { toSpeechBand } from '../dist/filters.js';
import { encodeMuLaw } from '../dist/mu-law.js';
import { clipFile, clipTexts, DEFAULT_WORDS_PER_MINUTE } from '../dist/speech/clips.js';
import { espeak } from '../dist/speech/espeak.js';

const folder = new URL('../clips/', import.meta.url);
await rm(folder, { recursive: true, force: true });
await mkdir(folder);
for (const [voice, texts] of Object.entries(clipTexts)) {
  for (const text of texts) {
    const utterance = { text, voice, wordsPerMinute: DEFAULT_WORDS_PER_MINUTE, language: 'en-US' };
    const speech = await espeak(utterance);
    if (!speech) throw new Error('espeak-ng is needed to make the clips: install it');
    const samples = toSpeechBand(speech.samples, speech.sampleRate);
    await writeFile(new URL(clipFile(voice, text), folder), encodeMuLaw(samples));
  }
}
