import { startOpenAiEmulator } from '@callkite/openai-emulator';
import { defineCallee, startTwilioEmulator } from '@callkite/twilio-emulator';
import { eventually } from '../embedded.ts';
import { fictionalNumber } from '../faults/fictional-number.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { placeCalls } from './place-calls.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

export interface LiveCalls {
  readonly server: ServerProcess;
  /** Places so many calls to talkative callees and waits until all are in conversation. */
  place(count: number): Promise<void>;
  /** Waits for the end of every call placed so far. */
  ended(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A server under live relay calls of callees who answer whatever they hear.
 * @param speed how much faster than life the callees are
 */
export async function startLiveCalls(speed = 1): Promise<LiveCalls> {
  const chatty = defineCallee({
    name: 'chatty',
    description: 'answers everything, and at length',
    numbers: Array.from({ length: 5000 }, (_, index) => fictionalNumber(200 + index)),
    ring: { afterMs: 200 },
    async converse(line) {
      for (let turn = 0; turn < 20; turn += 1) {
        await line.heard();
        await line.say(
          'Well, let me think about that for a moment. Could you tell me a little more about it?',
        );
      }
    },
  });
  const database = await startPostgres();
  const carrier = await startTwilioEmulator({
    speed,
    allowInsecureLoopback: true,
    callees: [chatty],
    transcripts: false,
  });
  const model = await startOpenAiEmulator({ firstTokenMs: 50 });
  const server = await startServerProcess('callkite', {
    DATABASE_URL: database.url,
    TWILIO_URL: carrier.url,
    OPENAI_URL: model.url,
  });
  const access = await server.ask<{ key: string; workflowId: string }>('access');
  let placed = 0;
  return {
    server,
    async place(count) {
      await placeCalls(server.url, access, placed, count);
      placed += count;
      await eventually(
        'the answer of every call',
        () => carrier.calls().filter((record) => record.timeline.answeredAt !== undefined).length >= placed,
        60_000,
      );
    },
    async ended() {
      await eventually(
        'the end of every call',
        () => carrier.calls().every((record) => record.timeline.endedAt !== undefined),
        600_000,
      );
    },
    async stop() {
      await server.stop();
      await carrier.close();
      await model.close();
      await database.stop();
    },
  };
}
