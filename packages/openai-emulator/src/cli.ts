#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { startOpenAiEmulator } from './emulator.ts';

const USAGE = `openai-emulator [--port 8787] [--host 127.0.0.1] [--first-token-ms 0] [--tokens-per-second 0]

Serves the OpenAI text and speech APIs over a deterministic, rule-based model: a stand-in, not a language model.`;

function wholeNumber(text: string, flag: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new Error(`--${flag} takes a whole number, not "${text}".`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8787' },
      host: { type: 'string', default: '127.0.0.1' },
      'first-token-ms': { type: 'string', default: '0' },
      'tokens-per-second': { type: 'string', default: '0' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const emulator = await startOpenAiEmulator({
    port: wholeNumber(values.port, 'port'),
    host: values.host,
    firstTokenMs: wholeNumber(values['first-token-ms'], 'first-token-ms'),
    tokensPerSecond: wholeNumber(values['tokens-per-second'], 'tokens-per-second') || undefined,
  });
  console.log(`openai-emulator (a rule-based stand-in, not a language model) listens on ${emulator.url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void emulator.close());
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  console.error(USAGE);
  process.exitCode = 1;
});
