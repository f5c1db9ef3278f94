import { CallkiteError, type SpeechModel } from '@callkite/core';
import { isLoud, listener, speak } from '@callkite/emulated-voice';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../embedded.ts';
import type { Visitor } from './visitor.ts';
import { startWebsite, type Website } from './website.ts';

let website: Website;

beforeAll(async () => {
  website = await startWebsite();
});

afterAll(() => website.stop());

const frameBytes = 160;

/** A vendor that refuses every session. */
const unavailable: SpeechModel = {
  open: () => ({
    listen(listener) {
      const error = new CallkiteError('provider_unavailable', 'The speech model is not available');
      setTimeout(() => listener({ type: 'closed', error }));
    },
    hear: () => undefined,
    say: () => undefined,
    respond: () => undefined,
    stop: () => undefined,
    tell: () => undefined,
    answerTool: () => undefined,
    heardOnly: () => undefined,
    instruct: () => undefined,
    close: () => undefined,
  }),
};

/** Says this over the visitor's microphone, in step with time. */
async function say(visitor: Visitor, text: string): Promise<void> {
  const { audio } = await speak(text, { voice: 'callee' });
  const startedAtMs = performance.now();
  for (let at = 0; at + frameBytes <= audio.length; at += frameBytes) {
    const dueMs = startedAtMs + at / 8;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    visitor.socket?.send(audio.subarray(at, at + frameBytes));
  }
}

/** On a busy machine sound may come in bits, and is said again then, as people do. */
async function sayUntilHeard(visitor: Visitor, text: string, pattern: RegExp): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await say(visitor, text);
    try {
      await visitor.saw('user', pattern, 10_000);
      return;
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}

/** What a machine understands of the sound that came. */
function heard(visitor: Visitor): string {
  const ear = listener();
  for (const frame of visitor.frames) ear.hear(frame);
  return ear
    .take()
    .map(({ text }) => text)
    .join(' ');
}

async function admitted(): Promise<Visitor> {
  const visitor = await website.admit({ media: 'audio' });
  await visitor.start({ media: 'audio' });
  expect(visitor.all('ready')).toMatchObject([{ media: 'audio', codec: 'mulaw/8000' }]);
  return visitor;
}

it('speaks and hears, and shows what was said', async () => {
  const visitor = await admitted();
  await visitor.saw('assistant', /AI assistant at Example Dental/);
  expect(heard(visitor)).toMatch(/AI assistant at Example Dental/i);
  expect(visitor.frames.every(({ length }) => length === frameBytes)).toBe(true);
  await visitor.agentLines(2);
  await sayUntilHeard(visitor, 'Can you repeat that?', /repeat that/i);
  await visitor.agentLines(3);
  visitor.hangUp();
  expect(await visitor.closed()).toBe(1000);
  const call = await website.finished(visitor.session.call_id);
  expect(call).toMatchObject({ call_status: 'success', phone_number_from: 'browser' });
  const last = visitor.lines.map(({ text }) => text.trim());
  expect(call.messages.slice(0, 4).map(({ content }) => content)).toEqual(last.slice(0, 4));
}, 90_000);

it('takes typed words as well, and answers them aloud', async () => {
  const visitor = await admitted();
  await visitor.agentLines(2);
  const frames = visitor.frames.length;
  const id = visitor.type('Can you repeat that?');
  expect((await visitor.saw('user', /repeat that/)).message_id).toBe(id);
  await visitor.agentLines(3);
  expect(visitor.frames.slice(frames).some(isLoud)).toBe(true);
  visitor.hangUp();
  await visitor.closed();
  const { messages } = await website.finished(visitor.session.call_id);
  expect(messages.filter(({ role }) => role === 'user')).toEqual([
    { role: 'user', content: 'Can you repeat that?' },
  ]);
}, 90_000);

it('stops speaking when the visitor speaks over it', async () => {
  const visitor = await admitted();
  await visitor.saw('assistant', /AI assistant/);
  await eventually('the agent’s next words', () => visitor.frames.slice(-5).some(isLoud));
  await sayUntilHeard(visitor, 'Wait a moment, please, I have a question.', /question/i);
  expect(visitor.all('clear').length).toBeGreaterThan(0);
  visitor.hangUp();
  await visitor.closed();
}, 90_000);

it('goes on speaking over the next socket, without a gap', async () => {
  const visitor = await admitted();
  await eventually('the first words', () => visitor.frames.filter((frame) => isLoud(frame)).length > 20);
  visitor.lose();
  await visitor.start({ media: 'audio', resume: visitor.position });
  await visitor.saw('assistant', /AI assistant at Example Dental/);
  expect(heard(visitor)).toMatch(/Hello,? I am the AI assistant at Example Dental/i);
  visitor.hangUp();
  await visitor.closed();
}, 90_000);

it('keeps quiet while the visitor has it on hold, and asks whether he is there when he is back', async () => {
  const visitor = await admitted();
  const lines = await visitor.agentLines(2);
  await eventually('the end of the words', () => visitor.all('status').at(-1)?.status === 'listening');
  visitor.send({ type: 'mute', on: true });
  visitor.send({ type: 'pause', on: true });
  const frames = visitor.frames.length;
  // Longer than the silence after which the agent asks.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  expect(visitor.lines).toHaveLength(lines.length);
  expect(visitor.frames).toHaveLength(frames);
  visitor.send({ type: 'pause', on: false });
  visitor.send({ type: 'mute', on: false });
  await visitor.saw('assistant', /still there/);
  visitor.hangUp();
  await visitor.closed();
}, 90_000);

it('goes on in writing when no speech model can be had, and says first what it is', async () => {
  const mute = await startWebsite({ embedded: { callkite: { speechModel: unavailable } } });
  try {
    const visitor = await mute.admit({ media: 'audio' });
    await visitor.start({ media: 'audio' });
    const [first] = await visitor.agentLines(2);
    expect(first?.text).toBe('Hello, I am the AI assistant at Example Dental.');
    visitor.type('Can you repeat that?');
    await visitor.agentLines(3);
    expect(visitor.frames.some(isLoud)).toBe(false);
    visitor.hangUp();
    expect(await visitor.closed()).toBe(1000);
    const { messages } = await mute.finished(visitor.session.call_id);
    expect(messages).toEqual(visitor.lines.map(({ role, text }) => ({ role, content: text.trim() })));
  } finally {
    await mute.stop();
  }
}, 90_000);

it('goes on in writing when the microphone is refused', async () => {
  const visitor = await website.admit({ media: 'audio' });
  await visitor.start({ media: 'text' });
  expect(visitor.all('ready')).toMatchObject([{ media: 'text', codec: null }]);
  await visitor.agentLines(2);
  expect(visitor.frames).toEqual([]);
  visitor.hangUp();
  await visitor.closed();
}, 90_000);
