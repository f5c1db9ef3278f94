import { spawn } from 'node:child_process';
import type { RawSpeech, Utterance } from './speech.ts';

const TIMEOUT_MS = 3000;
const AT_ONCE = 2;
const MOST_WAITING = 32;
const WAV_HEADER_BYTES = 44;
const MAXIMUM_BYTES = 64 * 1024 * 1024;

const variants = { agent: 'f3', callee: 'm3' } as const;

let isMissing = false;
let running = 0;
const waiting: (() => void)[] = [];

/**
 * Speech of the program `espeak-ng`; undefined when it is not installed, has no such language, fails, takes longer than
 * three seconds, or has more to do than it can.
 */
export async function espeak(utterance: Utterance): Promise<RawSpeech | undefined> {
  if (isMissing || waiting.length >= MOST_WAITING) return undefined;
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return (await run(utterance, utterance.language)) ?? (await run(utterance, primary(utterance.language)));
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

function primary(language: string): string {
  return language.split('-')[0] ?? language;
}

function run({ text, voice, wordsPerMinute }: Utterance, language: string): Promise<RawSpeech | undefined> {
  const args = ['--stdin', '--stdout', '-z', '-b', '1', '-s', String(Math.round(wordsPerMinute))];
  const child = spawn('espeak-ng', [...args, '-v', `${language.toLowerCase()}+${variants[voice]}`], {
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAXIMUM_BYTES) child.kill('SIGKILL');
    });
    child.on('error', (error) => {
      if ('code' in error && error.code === 'ENOENT') isMissing = true;
      resolve(undefined);
    });
    child.on('close', (code) => resolve(code === 0 ? readWav(Buffer.concat(chunks)) : undefined));
    // It may end before it has read everything; its exit code tells.
    child.stdin.on('error', () => {});
    // Two brackets would begin phonemes.
    child.stdin.end(text.replaceAll('[', ' ').replaceAll('\0', ' '));
  });
}

/** Reads 16-bit mono. The length in the header is no use: the program writes it before it knows. */
function readWav(wav: Buffer): RawSpeech | undefined {
  if (wav.length <= WAV_HEADER_BYTES || wav.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  const count = (wav.length - WAV_HEADER_BYTES) >> 1;
  const samples = Float64Array.from(
    { length: count },
    (_, at) => wav.readInt16LE(WAV_HEADER_BYTES + 2 * at) / 32768,
  );
  return { samples, sampleRate: wav.readUInt32LE(24) };
}
