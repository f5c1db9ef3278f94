import { type SpeechModel, withSecondSpeechModel } from '@callkite/core';
import { type ModelReply, speechModelContract } from '@callkite/core/testing';
import { listener, speak } from '@callkite/emulated-voice';
import { startOpenAiEmulator } from '@callkite/openai-emulator';
import { describe, it } from 'vitest';
import { openAiLive } from './live.ts';
import { openAiRealtime } from './realtime.ts';

const pace = { thinkMs: 10, transcriptionMs: 10, timesRealTime: 50, liveTimesRealTime: 10 };

async function createFixture(model: (options: { apiKey: string; baseURL: string }) => SpeechModel) {
  const emulator = await startOpenAiEmulator({ apiKeys: ['right'], speech: pace, script: [] });
  return {
    model: model({ apiKey: 'right', baseURL: emulator.url }),
    refused: model({ apiKey: 'wrong', baseURL: emulator.url }),
    unreachable: model({ apiKey: 'right', baseURL: 'http://127.0.0.1:9/v1' }),
    replyWith(...replies: ModelReply[]) {
      emulator.configure({ script: replies.map(scripted) });
    },
    voice: async (text: string) => (await speak(text, { voice: 'callee' })).audio,
    wordsIn,
    stop: () => emulator.close(),
  };
}

function scripted(reply: ModelReply) {
  if ('text' in reply) return reply.text;
  return { toolCalls: [{ name: reply.tool, arguments: { ...reply.arguments } }] };
}

function wordsIn(audio: Uint8Array): string {
  const ear = listener();
  ear.hear(audio);
  return ear
    .take()
    .map(({ text }) => text)
    .join(' ');
}

describe('the Realtime API', () => {
  speechModelContract({ it, createFixture: () => createFixture(openAiRealtime) });
});

describe('the Live API', () => {
  speechModelContract({ it, createFixture: () => createFixture(openAiLive) });
});

describe('a model that stands in for one that refuses', () => {
  const withSecond: typeof openAiRealtime = (options) =>
    withSecondSpeechModel(openAiRealtime({ ...options, apiKey: 'wrong' }), openAiRealtime(options));
  speechModelContract({ it, createFixture: () => createFixture(withSecond) });
});
