import type { WorkflowDefinitionInput } from '@callkite/contract';
import { type VoiceMode, withFallbackLanguageModel, withFallbackSpeechModel } from '@callkite/core';
import { openAi, openAiRealtime } from '@callkite/openai';
import { type OpenAiEmulator, startOpenAiEmulator } from '@callkite/openai-emulator';
import { type CalleeLine, defineCallee } from '@callkite/twilio-emulator';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';
import { spokenCall } from './spoken-call.ts';

// Calls take their time.
vi.setConfig({ testTimeout: 120_000 });

/** Sound is to get through also on a busy machine. */
const speeds = { relay: 10, realtime: 4 };
const to = '+12025550165';
const definition: WorkflowDefinitionInput = {
  objective: 'Remind the recipient of the appointment on Tuesday at 3 pm.',
  steps: [{ title: 'Confirm', instruction: 'Ask whether Tuesday at 3 pm still suits them.' }],
};
/** Never said but by the first model, when it is told to. */
const staleWords = 'Zebra zebra zebra zebra zebra zebra.';

let embedded: Embedded;
let first: OpenAiEmulator;
let second: OpenAiEmulator;
let isFirstStopped: boolean;

beforeEach(async () => {
  isFirstStopped = false;
  const pace = { thinkMs: 60, transcriptionMs: 120, timesRealTime: 10 * speeds.realtime };
  first = await startOpenAiEmulator({ speech: pace, keepBodies: true });
  second = await startOpenAiEmulator({ speech: pace, keepBodies: true });
});
afterEach(async () => {
  await embedded.stop();
  await Promise.all([stopFirst(), second.close()]);
});

/** As a server that is killed: its connections end at once, and nobody listens any more. */
async function stopFirst(): Promise<void> {
  if (isFirstStopped) return;
  isFirstStopped = true;
  first.configure({ script: null });
  await first.close();
}

async function start(
  voiceMode: VoiceMode,
  options: { slowAfterMs: number; converse?: (line: CalleeLine) => Promise<void> },
): Promise<void> {
  const { slowAfterMs, converse = answers } = options;
  const [one, two] = [first, second].map(({ url: baseURL }) => ({
    apiKey: 'emulated',
    baseURL,
    turnRetries: 0,
  }));
  if (one === undefined || two === undefined) throw new Error('there are two');
  embedded = await startEmbedded({
    speed: speeds[voiceMode],
    emulator: {
      callees: [defineCallee({ name: 'own', description: 'of the test', numbers: [to], converse })],
    },
    callkite: {
      voiceMode,
      languageModel: withFallbackLanguageModel(openAi(one), openAi(two), { slowAfterMs, restMs }),
      speechModel: withFallbackSpeechModel(openAiRealtime(one), openAiRealtime(two), { slowAfterMs, restMs }),
    },
  });
}

async function answers(line: CalleeLine): Promise<void> {
  await line.heard();
  await line.say('Yes, that is fine.');
  await line.heard();
  await line.hangUp();
}

/** Longer than any call here. */
const restMs = 600_000;
const carrierCall = () => embedded.twilioEmulator.calls().find((record) => record.to === to);
const turnsOf = (emulator: OpenAiEmulator) => emulator.requests().filter(({ stream }) => stream);
/** Longer than any first token takes here, also on a busy machine. */
const unhurried = 60_000;

async function place() {
  const result = await spokenCall(embedded, to, definition);
  const lines = result.messages.map(({ role, content }) => `${role}: ${content}`);
  const told = JSON.stringify([lines, carrierCall()?.transcript, carrierCall()?.mediaStreams]);
  return { result, lines, told, agentLines: lines.filter((line) => line.startsWith('assistant')) };
}

describe('a call in words', () => {
  it('never asks the second while the first is well', async () => {
    await start('relay', { slowAfterMs: unhurried });
    const { result } = await place();
    expect(result).toMatchObject({ call_status: 'success', reason: null });
    expect(turnsOf(first).length).toBeGreaterThan(1);
    expect(second.requests()).toEqual([]);
    expect(second.connections()).toEqual([]);
  });

  it.each([
    ['is down', { error: { status: 503 } }, 503],
    ['takes no more requests', { rateLimit: {} }, 429],
    ['refuses the key', { error: { status: 401 } }, 401],
  ])('is held by the second where the first %s, which is then left alone', async (_, faults, status) => {
    first.configure({ faults });
    await start('relay', { slowAfterMs: unhurried });
    const { result, agentLines } = await place();
    expect(result).toMatchObject({ call_status: 'success', reason: null });
    expect(agentLines.length).toBeGreaterThan(1);
    expect(agentLines.join()).not.toContain('technical problem');
    expect(first.requests().map((request) => request.status)).toEqual([status]);
    expect(turnsOf(second).length).toBeGreaterThan(1);
    // The summary, too.
    expect(second.requests().some(({ stream }) => !stream)).toBe(true);
    expect(result.call_summary).not.toContain('No written summary');
  });

  it('is held by the second where the first is slow, whose words are never heard', async () => {
    first.configure({ faults: { slowFirstToken: { delayMs: 60_000 } }, script: Array(20).fill(staleWords) });
    await start('relay', { slowAfterMs: 1000 });
    const { result, told } = await place();
    expect(result).toMatchObject({ call_status: 'success', reason: null });
    expect(told).not.toMatch(/zebra/i);
    expect(turnsOf(second).length).toBeGreaterThan(1);
    expect(turnsOf(first)).not.toEqual([]);
    await eventually('the end of the canceled request', () => turnsOf(first).every(({ cut }) => cut));
  });

  it('goes on with the second in the middle of a sentence that the first broke off', async () => {
    first.configure({
      faults: { socketCut: { afterTokens: 3, on: 'text' } },
      script: Array(20).fill(staleWords),
    });
    await start('relay', { slowAfterMs: unhurried });
    const { result, told } = await place();
    expect(result).toMatchObject({ call_status: 'success', reason: null });
    const asked = turnsOf(second).map(({ body }) => JSON.stringify(body));
    expect(asked).toContainEqual(
      expect.stringMatching(
        /"assistant","content":"zebra.*"user","content":"\(Your words broke off here\. Finish the sentence[^)]*\)"/i,
      ),
    );
    // What was said cannot be taken back, and was said once.
    expect(told).toMatch(/zebra/i);
    expect(told).not.toContain(staleWords);
  });

  it('goes on with the second when the first is killed', async () => {
    await start('relay', {
      slowAfterMs: unhurried,
      async converse(line) {
        await line.heard();
        await stopFirst();
        await line.say('Yes, that is fine.');
        await line.heard();
        await line.hangUp();
      },
    });
    const { result, agentLines } = await place();
    expect(result).toMatchObject({ reason: null });
    expect(agentLines.join()).not.toContain('technical problem');
    expect(turnsOf(second).length).toBeGreaterThan(0);
  });

  it('ends politely where both are down', async () => {
    first.configure({ faults: { error: { status: 503 } } });
    second.configure({ faults: { error: { status: 503 } } });
    await start('relay', { slowAfterMs: unhurried });
    const { result, agentLines } = await place();
    expect(result).toMatchObject({ call_status: 'not_picked_up', reason: 'agent_unavailable' });
    expect(agentLines.at(-1)).toContain('technical problem');
    expect([turnsOf(first).length, turnsOf(second).length]).toEqual([2, 2]);
  });
});

describe('a call in sound', () => {
  it('never asks the second while the first is well', async () => {
    await start('realtime', { slowAfterMs: unhurried });
    const { result } = await place();
    expect(result).toMatchObject({ call_status: 'success', reason: null });
    expect(first.connections()).toHaveLength(1);
    expect(second.connections()).toEqual([]);
    expect(second.requests()).toEqual([]);
  });

  it('is held by the second where the first is down', async () => {
    first.configure({ faults: { error: { status: 503, on: 'speech' } } });
    await start('realtime', { slowAfterMs: unhurried });
    const { result, agentLines } = await place();
    expect(result).toMatchObject({ call_status: 'success', reason: null });
    expect(agentLines.length).toBeGreaterThan(1);
    expect(first.connections()).toEqual([]);
    expect(second.connections()).not.toEqual([]);
  });

  it('is held by the second where the first does not answer, which is left', async () => {
    first.configure({ faults: { connectHang: { on: 'speech' } } });
    await start('realtime', { slowAfterMs: 1000 });
    const { result, agentLines } = await place();
    expect(result).toMatchObject({ call_status: 'success', reason: null });
    expect(agentLines.length).toBeGreaterThan(1);
    const tries = first.requests().filter(({ path }) => path === '/v1/realtime');
    expect(tries).not.toEqual([]);
    await eventually('the end of the try', () => tries.every(({ cut }) => cut));
  });

  it('goes on with the second when the first falls silent', async () => {
    await start('realtime', {
      slowAfterMs: unhurried,
      async converse(line) {
        await line.heard();
        first.configure({ faults: { hang: { on: 'speech' } } });
        await line.say('Yes, that is fine.');
        await line.heard({ withinMs: speeds.realtime * 20_000 });
        await line.hangUp();
      },
    });
    const { result, agentLines } = await place();
    expect(result).toMatchObject({ call_status: 'success', reason: null });
    expect(agentLines.length).toBeGreaterThan(1);
    expect(first.connections()).toHaveLength(1);
    expect(second.connections()[0]?.sent).toContain('response.output_audio.delta');
  });

  it('goes on with the second when the first is killed', async () => {
    await start('realtime', {
      slowAfterMs: unhurried,
      async converse(line) {
        await line.heard();
        await stopFirst();
        await line.say('Yes, that is fine.');
        await line.heard();
        await line.heard({ withinMs: 10_000 });
        await line.hangUp();
      },
    });
    const { result, lines, agentLines } = await place();
    expect(result).toMatchObject({ reason: null });
    expect(agentLines.join()).not.toContain('technical problem');
    expect(lines.filter((line) => line.includes('AI assistant'))).toHaveLength(1);
    const [next] = second.connections();
    // It knows what was said before.
    expect(next?.received.map(({ type }) => type)).toContain('conversation.item.create');
    expect(next?.sent).toContain('response.output_audio.delta');
  });
});
