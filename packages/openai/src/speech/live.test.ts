import { type SpeechModelEvent, type SpeechSessionRequest, silentLogger } from '@callkite/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import {
  endOf,
  record,
  type ServerSide,
  type SpeechServer,
  sessionRequest,
  settled,
  startSpeechServer,
  told,
} from '../testing/speech-server.ts';
import { type OpenAiLiveOptions, openAiLive } from './live.ts';

const pauseMs = 20_000;

let server: SpeechServer;
beforeEach(async () => {
  server = await startSpeechServer();
  return () => server.close();
});

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function openSession(
  options: Partial<OpenAiLiveOptions> = {},
  request: Partial<SpeechSessionRequest> = {},
) {
  // No pause but those of the sound, unless a test wants one.
  const model = openAiLive({ apiKey: 'test-key', baseURL: server.baseURL, pauseMs, ...options });
  const session = model.open({ ...sessionRequest, ...request });
  closers.push(() => session.close());
  return { session, events: record(session), side: await server.session() };
}

async function readySession(options: Partial<OpenAiLiveOptions> = {}) {
  const opened = await openSession(options);
  const { events, side } = opened;
  await side.expect('session.start');
  side.send({ type: 'session.started', session: {} });
  await told(events, 1);
  expect(events.splice(0)).toEqual([{ type: 'ready' }]);
  return opened;
}

/** Ids without what tells the session. */
const plain = (events: readonly SpeechModelEvent[]): SpeechModelEvent[] =>
  JSON.parse(JSON.stringify(events).replaceAll(/"[0-9a-f]{8}_((?:utterance|turn)_\d+)"/g, '"$1"'));

/** A tone, which is loud, or silence. */
const loud = (milliseconds: number) => Buffer.alloc(milliseconds * 8, 0x2a).toString('base64');
const quiet = (milliseconds: number) => Buffer.alloc(milliseconds * 8, 0xff).toString('base64');
const sound = (delta: string) => ({ type: 'session.output_audio.delta', delta });
const words = (delta: string) => ({
  type: 'session.output_transcript.delta',
  delta,
  start_ms: 0,
  end_ms: 100,
});
const heard = (delta: string, start_ms: number, end_ms: number) => ({
  type: 'session.input_transcript.delta',
  delta,
  start_ms,
  end_ms,
});
const delegated = (event: object, delegation_id: string | null = 'dlg_1') => ({
  type: 'response.event',
  event_id: 'event_1',
  delegation_id,
  event,
});
const call = (call_id: string, over: object = {}) => ({
  type: 'response.output_item.done',
  output_index: 0,
  item: { type: 'function_call', call_id, name: 'look', arguments: '{"x":1}', status: 'completed', ...over },
});
const serverError = (code: string, over: object = {}) => ({
  type: 'error',
  error: { type: 'invalid_request_error', code, message: 'quotes the secret', ...over },
});

describe('the beginning of a session', () => {
  it('is everything at once, after which it is waited', async () => {
    const { session, events, side } = await openSession(
      {},
      {
        voice: 'quartz',
        tools: [{ name: 'look', description: 'Looks', input: z.object({ x: z.number() }) }],
        history: [
          ...Array.from({ length: 200 }, () => ({ role: 'user' as const, content: 'Hello?' })),
          { role: 'assistant', content: 'Good morning.' },
        ],
      },
    );
    expect(side.request.url).toBe('/v1/live/sessions');
    expect(side.request.headers.authorization).toBe('Bearer test-key');
    session.hear(loud(20));
    const { session: started } = await side.expect('session.start');
    const { input, ...configuration } = started as { input: object[] };
    expect(configuration).toEqual({
      model: 'gpt-live-1',
      instructions: 'You are on the phone.',
      audio: { format: { type: 'audio/pcmu', rate: 8000 }, output: { voice: 'quartz' } },
      delegation: {
        type: 'responses',
        responses: {
          model: 'gpt-6-luna',
          instructions: 'You are on the phone.',
          reasoning: { effort: 'none' },
          tools: [
            {
              type: 'function',
              name: 'look',
              description: 'Looks',
              parameters: {
                type: 'object',
                properties: { x: { type: 'number' } },
                required: ['x'],
                additionalProperties: false,
              },
              strict: true,
            },
          ],
        },
      },
    });
    expect(input).toHaveLength(128);
    expect(input[0]).toEqual({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'Hello?' }],
    });
    expect(input.at(-1)).toEqual({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Good morning.' }],
    });
    await settled(side);
    expect(events).toEqual([]);
    side.send({ type: 'session.started' });
    await side.expect('session.input_audio.append');
    expect(side.frames.at(-1)).toBe(`{"type":"session.input_audio.append","audio":"${loud(20)}"}`);
    expect(events).toEqual([{ type: 'ready' }]);
  });

  it('follows the options', async () => {
    const { side } = await openSession({
      model: 'gpt-live-2',
      voice: 'voice_7',
      delegateModel: 'gpt-6.1-sol',
      delegateReasoningEffort: null,
    });
    const { session } = await side.expect('session.start');
    expect(session).toMatchObject({ model: 'gpt-live-2', audio: { output: { voice: { id: 'voice_7' } } } });
    expect((session as { delegation: { responses: object } }).delegation.responses).toEqual({
      model: 'gpt-6.1-sol',
      instructions: 'You are on the phone.',
      tools: [],
    });
  });
});

describe('the sound of the agent', () => {
  it('becomes utterances, separated by pauses', async () => {
    const { events, side } = await readySession();
    side.send(
      sound(quiet(200)),
      words('Good '),
      sound(loud(200)),
      sound(quiet(pauseMs / 2)),
      words('morning.'),
      sound(loud(100)),
      sound(quiet(pauseMs / 2)),
      sound(quiet(pauseMs / 2)),
      sound(quiet(pauseMs)),
      words(' Next.'),
      sound(loud(60)),
    );
    await told(events, 11);
    const [one, two] = ['utterance_1', 'utterance_2'] as const;
    expect(plain(events)).toEqual<SpeechModelEvent[]>([
      { type: 'speech', utteranceId: one, audio: loud(200) },
      { type: 'speech-text', utteranceId: one, text: 'Good ' },
      { type: 'speech', utteranceId: one, audio: quiet(pauseMs / 2) },
      { type: 'speech-text', utteranceId: one, text: 'morning.' },
      { type: 'speech', utteranceId: one, audio: loud(100) },
      { type: 'speech', utteranceId: one, audio: quiet(pauseMs / 2) },
      { type: 'speech', utteranceId: one, audio: quiet(pauseMs / 2) },
      { type: 'speech-ended', utteranceId: one },
      { type: 'response-ended', how: 'completed' },
      { type: 'speech', utteranceId: two, audio: loud(60) },
      { type: 'speech-text', utteranceId: two, text: ' Next.' },
    ]);
  });

  it('becomes utterances also where nothing comes in a pause', async () => {
    const { events, side } = await readySession({ pauseMs: 50 });
    side.send(sound(loud(200)));
    await told(events, 3);
    expect(plain(events.slice(1))).toEqual([
      { type: 'speech-ended', utteranceId: 'utterance_1' },
      { type: 'response-ended', how: 'completed' },
    ]);
  });

  it('is read also where it is not written plainly', async () => {
    const { events, side } = await readySession();
    side.socket.send(JSON.stringify(sound(loud(20)), null, 1));
    await told(events, 1);
    expect(plain(events)).toEqual([{ type: 'speech', utteranceId: 'utterance_1', audio: loud(20) }]);
  });
});

describe('what the callee says', () => {
  it('becomes turns, separated by pauses', async () => {
    const { session, events, side } = await readySession();
    side.send(
      heard(' Who', 1000, 1200),
      heard(' is this?', 1200, 1700),
      heard(' Hello?', 1700 + pauseMs + 1, 1700 + pauseMs + 300),
    );
    await settled(side);
    session.close();
    expect(await endOf(events)).toBeNull();
    expect(plain(events)).toEqual<SpeechModelEvent[]>([
      { type: 'said', turnId: 'turn_1', text: 'Who is this?' },
      { type: 'said', turnId: 'turn_2', text: 'Hello?' },
      { type: 'closed', error: null },
    ]);
  });

  it('becomes turns also where nothing comes in a pause', async () => {
    const { events, side } = await readySession({ pauseMs: 50 });
    side.send(heard(' ', 1000, 1100), heard('Bye.', 1100, 1200));
    await told(events, 1);
    expect(plain(events)).toEqual([{ type: 'said', turnId: 'turn_1', text: 'Bye.' }]);
  });

  it('is not taken for what was said in another session', async () => {
    const turnIds = [];
    for (const text of ['Bye.', 'Hello.']) {
      const { events, side } = await readySession({ pauseMs: 50 });
      side.send(heard(text, 1000, 1100));
      await told(events, 1);
      turnIds.push(events[0]?.type === 'said' && events[0].turnId);
    }
    expect(new Set(turnIds).size).toBe(2);
  });
});

const verbatim = (text: string) => ({
  delegation_id: null,
  content: `Say exactly the following and nothing else: "${text}"`,
});

describe('words of ours', () => {
  it('are asked for one after the other, and not into what is spoken', async () => {
    const { session, events, side } = await readySession();
    side.send(sound(loud(20)));
    await told(events, 1);
    session.say('This call is recorded.');
    session.say('How are you?');
    await settled(side);
    side.send(sound(quiet(pauseMs)));
    expect(await side.expect('session.commentary.append')).toMatchObject({
      ...verbatim('This call is recorded.'),
      event_id: 'say_1',
    });
    await settled(side);
    side.send(sound(loud(20)), sound(quiet(pauseMs)));
    expect(await side.expect('session.commentary.append')).toMatchObject(verbatim('How are you?'));
  });

  it('are a failed response when they are refused', async () => {
    const warn = vi.fn();
    const { session, events, side } = await readySession({ logger: { ...silentLogger, warn } });
    session.say('Too long.');
    session.say('Short.');
    const { event_id } = await side.expect('session.commentary.append');
    side.send(serverError('string_above_max_length', { client_event_id: event_id }));
    await side.expect('session.commentary.append');
    expect(events).toEqual([{ type: 'response-ended', how: 'failed' }]);
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      { code: 'string_above_max_length' },
      'the speech model refused a command',
    );
  });

  it('are dropped by a stop while they wait', async () => {
    const { session, events, side } = await readySession();
    session.say('One.');
    session.say('Two.');
    await side.expect('session.commentary.append');
    session.stop();
    side.send(sound(loud(20)), sound(quiet(pauseMs)));
    await told(events, 4);
    await settled(side);
  });
});

describe('tools', () => {
  it('are used when the delegated response is complete, and gone on from when they are answered', async () => {
    const { session, events, side } = await readySession();
    side.send(
      { type: 'session.delegation.created', delegation: { id: 'dlg_1', target: 'responses' } },
      delegated({ type: 'response.created', response: {} }),
      delegated({ type: 'response.output_item.done', item: { type: 'reasoning' } }),
      delegated(call('call_1')),
      delegated(call('call_2', { arguments: '' })),
      delegated(call('call_3', { status: 'incomplete' })),
    );
    await settled(side);
    expect(events).toEqual([]);
    side.send(delegated({ type: 'response.completed', response: {} }));
    await told(events, 3);
    expect(events).toEqual<SpeechModelEvent[]>([
      { type: 'tool-call', call: { id: 'call_1', name: 'look', arguments: '{"x":1}' } },
      { type: 'tool-call', call: { id: 'call_2', name: 'look', arguments: '{}' } },
      { type: 'response-ended', how: 'completed' },
    ]);
    session.answerTool('call_1', 'found');
    session.tell({ role: 'tool', toolCallId: 'call_2', content: 'nothing' });
    session.answerTool('call_2', 'again');
    session.answerTool('call_9', 'never asked');
    session.respond();
    expect((await side.expect('response.item.create')).item).toEqual({
      type: 'function_call_output',
      call_id: 'call_1',
      output: 'found',
    });
    await side.expect('response.item.create');
    expect(await side.expect('response.create')).toEqual({ type: 'response.create' });
    await settled(side);
  });

  it.each(['response.failed', 'response.incomplete'])('are not used after %s', async (type) => {
    const { events, side } = await readySession();
    side.send(
      delegated({ type: 'response.created' }, null),
      delegated(call('call_1'), null),
      delegated({ type }, null),
      delegated({ type: 'response.created' }, null),
      delegated({ type: 'response.completed' }, null),
      sound(loud(20)),
    );
    await told(events, 2);
    expect(events[0]).toEqual({ type: 'response-ended', how: 'failed' });
    expect(events[1]).toMatchObject({ type: 'speech' });
  });
});

describe('what is told to the model', () => {
  it('is context, and instructions for the model that is turned to', async () => {
    const { session, side } = await readySession();
    session.tell({ role: 'user', content: '(pressed 1)' });
    session.tell({ role: 'assistant', content: '' });
    session.respond();
    session.instruct(sessionRequest.instructions);
    session.instruct('Be brief.');
    session.heardOnly('utterance_1', 20);
    expect(await side.expect('session.thinking.append')).toMatchObject({
      delegation_id: null,
      content: 'user: (pressed 1)',
    });
    expect((await side.expect('session.instructions.append')).delegation_id).toBeNull();
    expect((await side.expect('session.update')).session).toEqual({
      delegation: { type: 'responses', responses: { instructions: 'Be brief.' } },
    });
    await settled(side);
  });
});

describe('the end of a session', () => {
  it('is asked for', async () => {
    const { session, events, side } = await readySession();
    session.close();
    await side.expect('session.close');
    expect(await endOf(events)).toBeNull();
  });

  it.each<[string, (side: ServerSide) => void, boolean]>([
    ['its time is over', (side) => side.send({ type: 'session.closed', reason: 'expired' }), true],
    [
      'the connection was lost',
      (side) => side.send({ type: 'session.closed', reason: 'connection_lost' }),
      true,
    ],
    ['of what was said', (side) => side.send({ type: 'session.closed', reason: 'content' }), false],
    ['the socket broke', (side) => side.socket.terminate(), true],
    ['the account is empty', (side) => side.send(serverError('credit_balance_exhausted')), false],
  ])('comes because %s', async (_, act, retryable) => {
    const { events, side } = await readySession();
    act(side);
    expect(await endOf(events)).toMatchObject({
      code: retryable ? 'provider_unavailable' : 'provider_rejected',
      retryable,
    });
  });

  it.each([
    ['invalid_request_error', false],
    ['server_error', true],
  ])('comes before the beginning with a %s', async (type, retryable) => {
    const { events, side } = await openSession();
    await side.expect('session.start');
    side.send(serverError('unknown_parameter', { type }));
    const error = await endOf(events);
    expect(error?.retryable).toBe(retryable);
    expect(JSON.stringify(error) + error?.message).not.toContain('secret');
  });

  it('is not an error later', async () => {
    const { events, side } = await readySession();
    side.send(serverError('invalid_value'), { type: 'info' }, sound(loud(20)));
    await told(events, 1);
    expect(events[0]).toMatchObject({ type: 'speech' });
  });
});
