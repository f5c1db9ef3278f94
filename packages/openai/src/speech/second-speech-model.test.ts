import { setTimeout as pause } from 'node:timers/promises';
import { CallkiteError, type SpeechModel, type SpeechSession, withFallbackSpeechModel } from '@callkite/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  endOf,
  record,
  type ServerSide,
  type SpeechServer,
  sessionRequest,
  startSpeechServer,
  told,
} from '../testing/speech-server.ts';
import { openAiRealtime } from './realtime.ts';

let first: SpeechServer;
let second: SpeechServer;
let log: object[];
const sessions: SpeechSession[] = [];

beforeEach(async () => {
  first = await startSpeechServer();
  second = await startSpeechServer();
  log = [];
});
afterEach(() => {
  for (const session of sessions.splice(0)) session.close();
  first.close();
  second.close();
});

function withSecond(options: { slowAfterMs?: number; restMs?: number } = {}): SpeechModel {
  const [one, two] = [first, second].map(({ baseURL }) => openAiRealtime({ apiKey: 'sk-example', baseURL }));
  if (one === undefined || two === undefined) throw new Error('there are two');
  const note = (fields: object) => log.push(fields);
  const logger = { debug() {}, info: note, warn: note, error: note };
  // Nothing is slow unless the test says so.
  return withFallbackSpeechModel(one, two, { slowAfterMs: 60_000, logger, ...options });
}

function open(model: SpeechModel) {
  const session = model.open(sessionRequest);
  sessions.push(session);
  return { session, events: record(session) };
}

/** Takes a session as far as to be ready. */
async function accept(server: SpeechServer): Promise<ServerSide> {
  const side = await server.session();
  await agree(side);
  return side;
}

async function agree(side: ServerSide): Promise<void> {
  side.send({ type: 'session.created' });
  await side.expect('session.update');
  side.send({ type: 'session.updated', session: { audio: { input: {} } } });
}

describe('a session', () => {
  it('is at the first as long as that is well, and nobody asks the second', async () => {
    const { events, session } = open(withSecond());
    const side = await accept(first);
    await told(events, 1);
    session.hear('AAAA');
    await side.expect('input_audio_buffer.append');
    expect(second.asked).toBe(0);
    expect(events).toEqual([{ type: 'ready' }]);
    expect(log).toEqual([]);
    session.close();
    expect(await endOf(events)).toBeNull();
  });

  it.each([
    ['is down', 503, {}],
    ['is too busy', 429, { code: 'rate_limit_exceeded' }],
    ['refuses the key', 401, { code: 'invalid_api_key' }],
  ])('is at the second where the first %s, with all that was said until then', async (_, status, error) => {
    first.refuse(status, { error });
    const { events, session } = open(withSecond());
    session.hear('AAAA');
    session.tell({ role: 'user', content: '(pressed 1)' });
    session.say('Hello.');
    const side = await accept(second);
    await side.expect('conversation.item.create');
    expect(await side.expect('input_audio_buffer.append')).toMatchObject({ audio: 'AAAA' });
    // Words of ours are not to be interrupted.
    await side.expect('session.update');
    await side.expect('response.create');
    expect(events).toEqual([{ type: 'ready' }]);
    expect(log).toEqual([
      { request: 'session', model: 'first', error: expect.objectContaining({ message: expect.any(String) }) },
      { request: 'session', model: 'second' },
    ]);
  });

  it('is at the second where the first is silent, which is left then', async () => {
    first.hang();
    const { events } = open(withSecond({ slowAfterMs: 50 }));
    await accept(second);
    await told(events, 1);
    expect(events).toEqual([{ type: 'ready' }]);
  });

  it('is at the first where that is ready after all, and the second is closed', async () => {
    const { events, session } = open(withSecond({ slowAfterMs: 50 }));
    const late = await first.session();
    const side = await second.session();
    const closed = new Promise((resolve) => side.socket.once('close', resolve));
    await agree(late);
    await closed;
    session.hear('AAAA');
    await late.expect('input_audio_buffer.append');
    expect(events).toEqual([{ type: 'ready' }]);
    expect(side.frames).toEqual([]);
  });

  it('cannot be had where both fail, and says why, if possible by what may pass', async () => {
    first.refuse(401, { error: { code: 'invalid_api_key' } });
    second.refuse(503, { error: { code: 'overloaded' } });
    const { events } = open(withSecond());
    expect(await endOf(events)).toMatchObject({ code: 'provider_unavailable', retryable: true });
    expect(events).toHaveLength(1);
  });

  it('that is closed before it is ready is closed everywhere', async () => {
    const { events, session } = open(withSecond({ slowAfterMs: 50 }));
    const sides = [await first.session(), await second.session()];
    const closed = sides.map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)));
    session.close();
    await Promise.all(closed);
    expect(await endOf(events)).toBeNull();
    expect(events).toHaveLength(1);
  });

  it('that is closed while the first is tried is not opened at the second', async () => {
    first.hang();
    const { events, session } = open(withSecond({ slowAfterMs: 50 }));
    session.close();
    expect(await endOf(events)).toBeNull();
    await pause(100);
    expect(second.asked).toBe(0);
  });

  it('keeps what it tells until somebody listens', async () => {
    first.refuse(503, { error: {} });
    const session = withSecond({ slowAfterMs: 50 }).open(sessionRequest);
    sessions.push(session);
    await accept(second);
    const events = record(session);
    await told(events, 1);
    expect(events).toEqual([{ type: 'ready' }]);
  });
});

describe('a session that was lost', () => {
  async function lose(model: SpeechModel): Promise<void> {
    const { events } = open(model);
    const side = await accept(first);
    await told(events, 1);
    side.socket.terminate();
    expect(await endOf(events)).toMatchObject({ code: 'provider_unavailable', retryable: true });
  }

  it('is followed by one at the second', async () => {
    const model = withSecond();
    await lose(model);
    const { events } = open(model);
    await accept(second);
    await told(events, 1);
    expect(first.asked).toBe(1);
  });

  it('is followed by one at the first when that has had its rest', async () => {
    const model = withSecond({ restMs: 50 });
    await lose(model);
    await pause(100);
    for (let next = 1; next <= 2; next += 1) {
      const { events } = open(model);
      await accept(first);
      await told(events, 1);
    }
    expect(second.asked).toBe(0);
  });

  it.each([true, false])('and given up is followed by one at the second (ready: %s)', async (isReady) => {
    const model = withSecond();
    const silence = new CallkiteError('provider_unavailable', 'it is silent', { retryable: true });
    const { events, session } = open(model);
    const side = await first.session();
    const gone = new Promise((resolve) => side.socket.once('close', resolve));
    if (isReady) {
      await agree(side);
      await told(events, 1);
    }
    session.close(silence);
    expect(await endOf(events)).toBe(silence);
    await gone;
    expect(log).toEqual([
      { request: 'session', model: 'first', error: expect.objectContaining({ message: silence.message }) },
    ]);
    const { events: next } = open(model);
    await accept(second);
    await told(next, 1);
    expect(first.asked).toBe(1);
  });

  it('may be had elsewhere, also where the first will not give another', async () => {
    const { events } = open(withSecond());
    const side = await accept(first);
    await told(events, 1);
    side.send({
      type: 'error',
      error: { type: 'insufficient_quota', code: 'insufficient_quota', message: '' },
    });
    expect(await endOf(events)).toMatchObject({
      code: 'provider_unavailable',
      retryable: true,
      cause: { code: 'provider_rejected' },
    });
  });
});
