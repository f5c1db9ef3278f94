import { createServer, type Socket } from 'node:net';
import type { SpeechModel } from '@callkite/core';
import type { ModelReply, SpeechModelFixture } from '@callkite/core/testing';
import { listener, speak } from '@callkite/emulated-voice';
import { startOpenAiEmulator } from '@callkite/openai-emulator';

const pace = { thinkMs: 10, transcriptionMs: 10, timesRealTime: 50, liveTimesRealTime: 10 };

export type CreateModel = (options: {
  apiKey: string;
  baseURL: string;
  connectTimeoutMs?: number;
}) => SpeechModel;

/** An adapter in front of an emulated model. */
export async function speechModelFixture(
  create: CreateModel,
  { canBeCut }: Pick<SpeechModelFixture, 'canBeCut'>,
): Promise<SpeechModelFixture> {
  const emulator = await startOpenAiEmulator({
    apiKeys: ['right'],
    speech: pace,
    script: [],
    keepBodies: true,
  });
  const deaf = await startDeafServer();
  return {
    model: create({ apiKey: 'right', baseURL: emulator.url }),
    refused: create({ apiKey: 'wrong', baseURL: emulator.url }),
    unreachable: create({ apiKey: 'right', baseURL: 'http://127.0.0.1:9/v1' }),
    silent: create({ apiKey: 'right', baseURL: deaf.baseURL, connectTimeoutMs: 200 }),
    canBeCut,
    replyWith(...replies) {
      emulator.configure({ script: replies.map(scripted) });
    },
    sent: () =>
      emulator
        .connections()
        .flatMap(({ received }) => received)
        .map(({ event }) => textsIn(event).join('\n'))
        .join('\n'),
    voice: async (text) => (await speak(text, { voice: 'callee' })).audio,
    wordsIn(audio) {
      const ear = listener();
      ear.hear(audio);
      return ear
        .take()
        .map(({ text }) => text)
        .join(' ');
    },
    async stop() {
      deaf.stop();
      await emulator.close();
    },
  };
}

function scripted(reply: ModelReply) {
  if ('text' in reply) return reply.text;
  return { toolCalls: [{ name: reply.tool, arguments: { ...reply.arguments } }] };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Takes every connection, and says nothing. */
async function startDeafServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    baseURL: `http://127.0.0.1:${address.port}/v1`,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
