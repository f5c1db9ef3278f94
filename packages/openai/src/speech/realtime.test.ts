import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, type SpeechModelEvent, type SpeechSessionRequest, silentLogger } from '@callkite/core';
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
import { type OpenAiRealtimeOptions, openAiRealtime } from './realtime.ts';

const base64 = (milliseconds: number, byte = 0x2a) =>
  Buffer.alloc(Math.round(milliseconds * 8), byte).toString('base64');

let server: SpeechServer;
beforeEach(async () => {
  server = await startSpeechServer();
  return () => server.close();
});

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function openSession(
  options: Partial<OpenAiRealtimeOptions> = {},
  request: Partial<SpeechSessionRequest> = {},
) {
  const model = openAiRealtime({ apiKey: 'test-key', baseURL: server.baseURL, ...options });
  const session = model.open({ ...sessionRequest, ...request });
  closers.push(() => session.close());
  return session;
}

const sessionUpdated = (createResponse = true) => ({
  type: 'session.updated',
  session: { type: 'realtime', audio: { input: { turn_detection: { create_response: createResponse } } } },
});

/** A session that has told `ready`, with its events from then on. */
async function readySession(
  options: Partial<OpenAiRealtimeOptions> = {},
  request: Partial<SpeechSessionRequest> = {},
) {
  const session = openSession(options, request);
  const events = record(session);
  const side = await server.session();
  side.send({ type: 'session.created', session: {} });
  await side.expect('session.update');
  side.send(sessionUpdated());
  await told(events, 1);
  expect(events.splice(0)).toEqual([{ type: 'ready' }]);
  return { session, events, side };
}

const created = (id: string, request?: string) => ({
  type: 'response.created',
  response: { id, metadata: request === undefined ? null : { request } },
});
const sound = (item_id: string, delta: string, response_id = 'resp_1') => ({
  type: 'response.output_audio.delta',
  event_id: 'event_1',
  response_id,
  item_id,
  output_index: 0,
  content_index: 0,
  delta,
});
const words = (item_id: string, delta: string, response_id = 'resp_1') => ({
  ...sound(item_id, delta, response_id),
  type: 'response.output_audio_transcript.delta',
});
const itemDone = (item: object, response_id = 'resp_1') => ({
  type: 'response.output_item.done',
  response_id,
  item,
});
const done = (id: string, status = 'completed', details: object | null = null) => ({
  type: 'response.done',
  response: { id, status, status_details: details },
});
const serverError = (code: string | null, over: object = {}) => ({
  type: 'error',
  error: { type: 'invalid_request_error', code, message: 'quotes the secret', param: null, ...over },
});
const turn = (name: string, item_id: string, over: object = {}) => ({
  type: `input_audio_buffer.${name}`,
  item_id,
  ...over,
});
const transcript = (item_id: string, text: string) => ({
  type: 'conversation.item.input_audio_transcription.completed',
  item_id,
  content_index: 0,
  transcript: text,
});

describe('the beginning of a session', () => {
  it('is an upgrade, the history and the configuration', async () => {
    const session = openSession(
      {},
      {
        tools: [{ name: 'end_call', description: 'Ends it', input: z.object({ reason: z.string().max(9) }) }],
        history: [
          { role: 'user', content: 'Hello?' },
          { role: 'assistant', content: 'Good morning.' },
        ],
      },
    );
    const events = record(session);
    const side = await server.session();
    expect(side.request.url).toBe('/v1/realtime?model=gpt-realtime-2.1');
    expect(side.request.headers.authorization).toBe('Bearer test-key');
    expect(side.request.headers['sec-websocket-extensions']).toBeUndefined();
    side.send({ type: 'session.created', session: {} });
    expect((await side.expect('conversation.item.create')).item).toEqual({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'Hello?' }],
    });
    expect((await side.expect('conversation.item.create')).item).toEqual({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Good morning.' }],
    });
    expect((await side.expect('session.update')).session).toEqual({
      type: 'realtime',
      instructions: 'You are on the phone.',
      output_modalities: ['audio'],
      max_output_tokens: 2_000,
      audio: {
        input: {
          format: { type: 'audio/pcmu' },
          noise_reduction: { type: 'near_field' },
          transcription: { model: 'gpt-transcribe', language: 'en' },
          turn_detection: {
            type: 'server_vad',
            threshold: 0.5,
            prefix_padding_ms: 300,
            silence_duration_ms: 500,
            create_response: true,
            interrupt_response: true,
          },
        },
        output: { format: { type: 'audio/pcmu' }, voice: 'marin' },
      },
      tools: [
        {
          type: 'function',
          name: 'end_call',
          description: 'Ends it',
          parameters: {
            type: 'object',
            properties: { reason: { type: 'string' } },
            required: ['reason'],
            additionalProperties: false,
          },
        },
      ],
      tool_choice: 'auto',
    });
    await settled(side);
    expect(events).toEqual([]);
    side.send(sessionUpdated());
    await told(events, 1);
    expect(events).toEqual([{ type: 'ready' }]);
  });

  it.each([
    ['a key that no header can hold', { apiKey: 'sk-\n' }],
    ['an address that is none', { baseURL: 'api.example.com' }],
  ])('is refused before there is one with %s', (_, options) => {
    expect(() => openAiRealtime({ apiKey: 'test-key', ...options })).toThrow(TypeError);
  });

  it('follows the options', async () => {
    openSession(
      {
        model: 'gpt-realtime-2.1-mini',
        voice: 'voice_123',
        transcriptionModel: 'gpt-live-transcribe',
        turnDetection: { type: 'semantic_vad', eagerness: 'high' },
        noiseReduction: null,
        reasoningEffort: 'low',
      },
      { language: 'fil-PH', hints: ['Jordan Avery', 'Larkspur Lane'] },
    );
    const side = await server.session();
    expect(side.request.url).toContain('model=gpt-realtime-2.1-mini');
    side.send({ type: 'session.created' });
    expect((await side.expect('session.update')).session).toMatchObject({
      reasoning: { effort: 'low' },
      audio: {
        input: {
          transcription: {
            model: 'gpt-live-transcribe',
            prompt: 'Words that may come up: Jordan Avery, Larkspur Lane.',
          },
          turn_detection: { type: 'semantic_vad', eagerness: 'high', create_response: true },
        },
        output: { voice: { id: 'voice_123' } },
      },
    });
    const { session } = JSON.parse(side.frames[0] ?? '');
    expect(session.audio.input).not.toHaveProperty('noise_reduction');
    expect(session.audio.input.transcription).not.toHaveProperty('language');
  });

  it('lets everything wait that is asked for before', async () => {
    const session = openSession({}, { voice: 'cedar' });
    session.hear(base64(20, 1));
    session.tell({ role: 'user', content: '(key 1)' });
    session.instruct('Be brief.');
    session.say('Hello.');
    const side = await server.session();
    side.send({ type: 'session.created' });
    const { session: configuration } = await side.expect('session.update');
    expect(configuration).toMatchObject({
      instructions: 'Be brief.',
      audio: { output: { voice: 'cedar' } },
    });
    session.hear(base64(20, 2));
    session.instruct('Be briefer.');
    await settled(side);
    side.send(sessionUpdated());
    expect((await side.expect('input_audio_buffer.append')).audio).toBe(base64(20, 1));
    await side.expect('conversation.item.create');
    expect((await side.expect('input_audio_buffer.append')).audio).toBe(base64(20, 2));
    expect((await side.expect('session.update')).session).toEqual({
      type: 'realtime',
      instructions: 'Be briefer.',
    });
    await side.expect('session.update');
    await side.expect('response.create');
    const events = record(session);
    expect(events).toEqual([{ type: 'ready' }]);
  });
});

describe('the sound of the callee', () => {
  it('is passed on untouched', async () => {
    const { session, side } = await readySession();
    session.hear(base64(20));
    session.hear('');
    session.hear('","type":"session.update","x":"');
    session.hear('AA==');
    await side.expect('input_audio_buffer.append');
    await side.expect('input_audio_buffer.append');
    await settled(side);
    expect(side.frames.slice(-2)).toEqual([
      `{"type":"input_audio_buffer.append","audio":"${base64(20)}"}`,
      '{"type":"input_audio_buffer.append","audio":"AA=="}',
    ]);
  });
});

describe('the sound of the agent', () => {
  const audio = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64');
  const reversed = Object.fromEntries(Object.entries(sound('item_1', audio)).reverse());

  it.each([
    ['as the API writes it', JSON.stringify(sound('item_1', audio))],
    ['in another order', JSON.stringify(reversed)],
    ['with white space', JSON.stringify(sound('item_1', audio), null, 1)],
    ['with escaped slashes', JSON.stringify(sound('item_1', audio)).replaceAll('/', '\\/')],
  ])('is passed on untouched: %s', async (_, frame) => {
    const { events, side } = await readySession();
    side.socket.send(frame);
    await told(events, 1);
    expect(events).toEqual([{ type: 'speech', utteranceId: 'item_1', audio }]);
  });

  it('opens the utterance, whose words come in step, and whose end comes after all', async () => {
    const { events, side } = await readySession();
    side.send(
      created('resp_1'),
      words('item_1', 'Good '),
      words('item_1', 'mor'),
      sound('item_1', base64(20, 1)),
      sound('item_1', base64(20, 2)),
      words('item_1', 'ning "you".'),
      itemDone({ type: 'message', id: 'item_1', role: 'assistant', content: [] }),
      itemDone({ type: 'function_call', id: 'item_2', call_id: 'call_1', name: 'a', arguments: '{"x":1}' }),
      itemDone({ type: 'function_call', call_id: 'call_2', name: 'b', arguments: '', status: 'completed' }),
      itemDone({
        type: 'function_call',
        call_id: 'call_3',
        name: 'c',
        arguments: '{"x',
        status: 'incomplete',
      }),
      done('resp_1'),
    );
    await told(events, 8);
    expect(events).toEqual<SpeechModelEvent[]>([
      { type: 'speech', utteranceId: 'item_1', audio: base64(20, 1) },
      { type: 'speech-text', utteranceId: 'item_1', text: 'Good mor' },
      { type: 'speech', utteranceId: 'item_1', audio: base64(20, 2) },
      { type: 'speech-text', utteranceId: 'item_1', text: 'ning "you".' },
      { type: 'speech-ended', utteranceId: 'item_1' },
      { type: 'tool-call', call: { id: 'call_1', name: 'a', arguments: '{"x":1}' } },
      { type: 'tool-call', call: { id: 'call_2', name: 'b', arguments: '{}' } },
      { type: 'response-ended', how: 'completed' },
    ]);
  });

  it('is over when its response is, and an item without sound is none', async () => {
    const { events, side } = await readySession();
    side.send(
      created('resp_1'),
      sound('item_1', base64(20)),
      words('item_2', 'silent'),
      done('resp_1', 'cancelled', { type: 'cancelled', reason: 'turn_detected' }),
      sound('item_1', base64(20)),
      words('item_1', 'late'),
      created('resp_2'),
      done('resp_2'),
    );
    await told(events, 4);
    expect(events).toEqual<SpeechModelEvent[]>([
      { type: 'speech', utteranceId: 'item_1', audio: base64(20) },
      { type: 'speech-ended', utteranceId: 'item_1' },
      { type: 'response-ended', how: 'interrupted' },
      { type: 'response-ended', how: 'completed' },
    ]);
  });

  it.each<[string, object | null, string]>([
    ['incomplete', { reason: 'max_output_tokens' }, 'completed'],
    ['incomplete', { reason: 'content_filter' }, 'failed'],
    ['failed', { error: { type: 'server_error', code: 'server_error' } }, 'failed'],
    ['failed', null, 'failed'],
    ['cancelled', { reason: 'client_cancelled' }, 'interrupted'],
  ])('a response that is %s because of %j has %s', async (status, details, how) => {
    const { events, side } = await readySession();
    side.send(created('resp_1'), done('resp_1', status, details));
    await told(events, 1);
    expect(events).toEqual([{ type: 'response-ended', how }]);
  });
});

const verbatim = (text: string) => `Say exactly the following and nothing else: "${text}"`;

describe('words of ours', () => {
  it('are asked for one after the other, while the server takes no turns', async () => {
    const { session, events, side } = await readySession();
    session.say('This call is recorded.');
    session.say('How are you?');
    expect((await side.expect('session.update')).session).toEqual({
      type: 'realtime',
      audio: {
        input: {
          turn_detection: {
            type: 'server_vad',
            threshold: 0.5,
            prefix_padding_ms: 300,
            silence_duration_ms: 500,
            create_response: false,
            interrupt_response: false,
          },
        },
      },
    });
    expect((await side.expect('response.create')).response).toEqual({
      metadata: { request: 'request_1' },
      instructions: verbatim('This call is recorded.'),
      input: [],
      tools: [],
      tool_choice: 'none',
    });
    side.send(sessionUpdated(false), created('resp_1', 'request_1'), sound('item_1', base64(20)));
    await settled(side);
    side.send(done('resp_1'));
    expect((await side.expect('response.create')).response).toMatchObject({
      metadata: { request: 'request_2' },
      instructions: verbatim('How are you?'),
    });
    side.send(created('resp_2', 'request_2'), done('resp_2'));
    expect((await side.expect('session.update')).session).toMatchObject({
      audio: { input: { turn_detection: { create_response: true, interrupt_response: true } } },
    });
    side.send(sessionUpdated());
    await settled(side);
    expect(events.filter(({ type }) => type === 'response-ended')).toHaveLength(2);
  });

  it('wait for an answer that is under way', async () => {
    const { session, side } = await readySession();
    side.send(created('resp_1'), sound('item_1', base64(20)));
    await settled(side);
    session.say('One moment.');
    await settled(side);
    side.send(done('resp_1'));
    await side.expect('session.update');
    await side.expect('response.create');
  });

  it('wait also for an answer that the server had begun when it was asked', async () => {
    const { session, events, side } = await readySession();
    session.say('One moment.');
    await side.expect('session.update');
    const { event_id } = await side.expect('response.create');
    side.send(
      created('resp_1'),
      serverError('conversation_already_has_active_response', { event_id }),
      sessionUpdated(false),
    );
    await settled(side);
    side.send(done('resp_1'));
    const again = await side.expect('response.create');
    expect(again.response).toMatchObject({ instructions: verbatim('One moment.') });
    expect(events).toEqual([{ type: 'response-ended', how: 'completed' }]);
  });

  it('are a failed response when they are refused, after which others are asked for', async () => {
    const { session, events, side } = await readySession();
    session.say('One moment.');
    session.respond();
    await side.expect('session.update');
    const { event_id } = await side.expect('response.create');
    side.send(serverError('invalid_value', { event_id }));
    await side.expect('session.update');
    expect((await side.expect('response.create')).response).toEqual({ metadata: { request: 'request_2' } });
    expect(events).toEqual([{ type: 'response-ended', how: 'failed' }]);
  });

  /** Speaks words of ours until the server takes turns again, with something happening meanwhile. */
  async function sayWhile(meanwhile: readonly object[], afterwards: readonly object[] = []) {
    const ready = await readySession();
    const { session, side } = ready;
    session.say('This call is recorded.');
    await side.expect('session.update');
    await side.expect('response.create');
    side.send(sessionUpdated(false), created('resp_1', 'request_1'), ...meanwhile, done('resp_1'));
    await side.expect('session.update');
    side.send(...afterwards, sessionUpdated());
    return ready;
  }
  const aTurn = [
    turn('speech_started', 'item_8'),
    turn('speech_stopped', 'item_8'),
    turn('committed', 'item_8'),
  ];

  it('are not answered before they are out, and then they are', async () => {
    const { side } = await sayWhile(aTurn);
    expect((await side.expect('response.create')).response).toEqual({ metadata: { request: 'request_2' } });
    await settled(side);
  });

  it('are answered by the server when the callee speaks again', async () => {
    const { side } = await sayWhile([...aTurn, turn('speech_started', 'item_9')]);
    await settled(side);
  });

  it('are answered once when an answer is under way by then', async () => {
    const { side } = await sayWhile(aTurn, [created('resp_2')]);
    await settled(side);
  });

  it('are not answered after a stop', async () => {
    const { session, side } = await readySession();
    session.say('Goodbye.');
    await side.expect('session.update');
    await side.expect('response.create');
    side.send(sessionUpdated(false), created('resp_1', 'request_1'), ...aTurn);
    await settled(side);
    session.stop();
    await side.expect('response.cancel');
    side.send(done('resp_1', 'cancelled', { reason: 'client_cancelled' }));
    await side.expect('session.update');
    side.send(sessionUpdated());
    await settled(side);
  });
});

describe('asking for a response', () => {
  it('waits for the one under way, and is one request however often it was asked', async () => {
    const { session, side } = await readySession();
    session.respond();
    await side.expect('response.create');
    session.respond();
    session.respond();
    side.send(created('resp_1', 'request_1'));
    await settled(side);
    side.send(done('resp_1'));
    await side.expect('response.create');
    side.send(created('resp_2', 'request_2'), done('resp_2'));
    await settled(side);
  });

  it('is done with when the server answers by itself', async () => {
    const { session, events, side } = await readySession();
    session.respond();
    const { event_id } = await side.expect('response.create');
    session.respond();
    side.send(
      created('resp_1'),
      serverError('conversation_already_has_active_response', { event_id }),
      done('resp_1'),
    );
    await told(events, 1);
    await settled(side);
    expect(events).toEqual([{ type: 'response-ended', how: 'completed' }]);
  });
});

describe('stopping', () => {
  it('cancels the response, whose late sound is dropped, and what waits', async () => {
    const { session, events, side } = await readySession();
    side.send(created('resp_1'), sound('item_1', base64(20)));
    await told(events, 1);
    session.respond();
    session.say('Never.');
    session.stop();
    expect((await side.expect('response.cancel')).response_id).toBe('resp_1');
    side.send(
      sound('item_1', base64(20)),
      words('item_1', 'late'),
      sound('item_2', base64(20)),
      itemDone({ type: 'message', id: 'item_1' }),
      done('resp_1', 'cancelled', { reason: 'client_cancelled' }),
    );
    await told(events, 3);
    expect(events.slice(1)).toEqual([
      { type: 'speech-ended', utteranceId: 'item_1' },
      { type: 'response-ended', how: 'interrupted' },
    ]);
    await settled(side);
  });

  it('reaches a response that is asked for and not begun', async () => {
    const { session, events, side } = await readySession();
    session.respond();
    await side.expect('response.create');
    session.stop();
    await settled(side);
    side.send(created('resp_1', 'request_1'));
    expect((await side.expect('response.cancel')).response_id).toBe('resp_1');
    side.send(sound('item_1', base64(20)), done('resp_1', 'cancelled'));
    await told(events, 1);
    expect(events).toEqual([{ type: 'response-ended', how: 'interrupted' }]);
  });

  it('does nothing when nothing is under way, and no harm when that was over already', async () => {
    const warnings: string[] = [];
    const logger: Logger = { ...silentLogger, warn: (_, message) => warnings.push(message) };
    const { session, events, side } = await readySession({ logger });
    session.stop();
    await settled(side);
    side.send(created('resp_1'));
    await settled(side);
    session.stop();
    await side.expect('response.cancel');
    side.send(done('resp_1'), serverError('response_cancel_not_active'));
    await settled(side);
    expect(events).toEqual([{ type: 'response-ended', how: 'completed' }]);
    expect(warnings).toEqual([]);
  });
});

describe('what was heard only in part', () => {
  it('is truncated, never beyond the sound that came, and its late sound is dropped', async () => {
    const { session, events, side } = await readySession();
    side.send(created('resp_1'), sound('item_1', base64(250)), sound('item_1', base64(100.5)));
    await told(events, 2);
    session.heardOnly('item_1', 9000);
    expect(await side.expect('conversation.item.truncate')).toEqual({
      type: 'conversation.item.truncate',
      item_id: 'item_1',
      content_index: 0,
      audio_end_ms: 350,
    });
    side.send(sound('item_1', base64(100)), done('resp_1', 'cancelled'));
    await told(events, 4);
    expect(events.filter(({ type }) => type === 'speech')).toHaveLength(2);
    session.heardOnly('item_1', 120.7);
    expect((await side.expect('conversation.item.truncate')).audio_end_ms).toBe(120);
    session.heardOnly('item_1', -3);
    expect((await side.expect('conversation.item.truncate')).audio_end_ms).toBe(0);
  });

  it('is left alone when it was heard to its end, or is not known', async () => {
    const { session, events, side } = await readySession();
    side.send(created('resp_1'), sound('item_1', base64(100)), done('resp_1'));
    await told(events, 3);
    session.heardOnly('item_1', 100);
    session.heardOnly('item_7', 20);
    await settled(side);
    session.heardOnly('item_1', 99);
    expect((await side.expect('conversation.item.truncate')).audio_end_ms).toBe(99);
  });
});

describe('what is told to the model', () => {
  it('is an item of its kind', async () => {
    const { session, side } = await readySession();
    session.tell({ role: 'user', content: '(pressed 1)' });
    session.tell({
      role: 'assistant',
      content: 'Well.',
      toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }],
    });
    session.tell({
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c2', name: 'look', arguments: '{}' }],
    });
    session.answerTool('c1', 'found');
    const items = [];
    for (let index = 0; index < 5; index += 1)
      items.push((await side.expect('conversation.item.create')).item);
    expect(items).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: '(pressed 1)' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }] },
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
      { type: 'function_call', call_id: 'c2', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'found' },
    ]);
  });

  it('are instructions when they change', async () => {
    const { session, side } = await readySession();
    session.instruct(sessionRequest.instructions);
    session.instruct('Now be brief.');
    session.instruct('Now be brief.');
    expect((await side.expect('session.update')).session).toEqual({
      type: 'realtime',
      instructions: 'Now be brief.',
    });
    await settled(side);
  });
});

describe('what the callee says', () => {
  it('is told once for each turn, however late and in whatever order', async () => {
    const { events, side } = await readySession();
    side.send(
      turn('speech_started', 'item_1', { audio_start_ms: 0 }),
      turn('speech_stopped', 'item_1', { audio_end_ms: 900 }),
      turn('committed', 'item_1'),
      turn('speech_started', 'item_2'),
      turn('speech_stopped', 'item_2'),
      turn('committed', 'item_2'),
      transcript('item_2', ' Yes. \n'),
      { type: 'conversation.item.input_audio_transcription.failed', item_id: 'item_1', error: {} },
      transcript('item_2', 'Yes.'),
      transcript('item_1', 'Who is this?'),
      transcript('item_3', 'Unheralded.'),
    );
    await told(events, 7);
    expect(events).toEqual<SpeechModelEvent[]>([
      { type: 'callee-speaking', speaking: true, turnId: 'item_1' },
      { type: 'callee-speaking', speaking: false, turnId: 'item_1' },
      { type: 'callee-speaking', speaking: true, turnId: 'item_2' },
      { type: 'callee-speaking', speaking: false, turnId: 'item_2' },
      { type: 'said', turnId: 'item_2', text: 'Yes.' },
      { type: 'said', turnId: 'item_1', text: '' },
      { type: 'said', turnId: 'item_3', text: 'Unheralded.' },
    ]);
  });

  it('is nothing when the words do not come, or the session ends before', async () => {
    const { session, events, side } = await readySession({ transcriptionTimeoutMs: 60 });
    side.send(
      turn('speech_started', 'item_1'),
      turn('speech_stopped', 'item_1'),
      turn('committed', 'item_1'),
    );
    await told(events, 3);
    expect(events[2]).toEqual({ type: 'said', turnId: 'item_1', text: '' });
    side.send(transcript('item_1', 'Too late.'), turn('speech_started', 'item_2'));
    await told(events, 4);
    session.close();
    await endOf(events);
    expect(events.slice(3)).toEqual([
      { type: 'callee-speaking', speaking: true, turnId: 'item_2' },
      { type: 'said', turnId: 'item_2', text: '' },
      { type: 'closed', error: null },
    ]);
  });
});

describe('the end of a session', () => {
  it('is told once, and nothing has an effect or throws afterwards', async () => {
    const { session, events, side } = await readySession();
    const closed = new Promise<number>((resolve) => side.socket.once('close', resolve));
    session.close();
    session.close();
    session.hear(base64(20));
    session.say('Hello?');
    session.respond();
    session.stop();
    session.tell({ role: 'user', content: 'x' });
    session.answerTool('call_1', 'x');
    session.heardOnly('item_1', 1);
    session.instruct('x');
    expect(await closed).toBe(1000);
    expect(await endOf(events)).toBeNull();
    expect(events).toHaveLength(1);
    expect(side.isUpToDate()).toBe(true);
  });

  it('may come before it began', async () => {
    const session = openSession();
    session.close();
    expect(await endOf(record(session))).toBeNull();
  });

  it.each<[number, object, string, boolean]>([
    [401, { error: { code: 'invalid_api_key' } }, 'provider_rejected', false],
    [403, { error: { type: 'permission_error' } }, 'provider_rejected', false],
    [404, {}, 'provider_rejected', false],
    [400, { error: { code: 'model_not_found' } }, 'provider_rejected', false],
    [429, { error: { code: 'insufficient_quota' } }, 'provider_rejected', false],
    [429, { error: { code: 'rate_limit_exceeded' } }, 'provider_unavailable', true],
    [503, {}, 'provider_unavailable', true],
  ])('is the answer to an upgrade with %i %j: %s', async (status, body, code, retryable) => {
    server.refuse(status, body, { 'retry-after': '3' });
    const error = await endOf(record(openSession()));
    expect(error).toMatchObject({ code, retryable });
    expect(error?.retryAfterSeconds).toBe(retryable ? 3 : undefined);
    expect(error?.message).toContain(`HTTP ${status}`);
  });

  it.each<[string, object, boolean]>([
    ['an unknown model', serverError('model_not_found'), false],
    ['a wrong key', serverError('invalid_api_key'), false],
    ['an empty account', serverError('insufficient_quota', { type: 'insufficient_quota' }), false],
    ['a refused configuration', serverError('invalid_value', { event_id: 'configuration' }), false],
    ['a failing server', serverError('server_error', { type: 'server_error' }), true],
  ])('is what the server gives for %s before anything else', async (_, event, retryable) => {
    const events = record(openSession());
    const side = await server.session();
    side.send({ type: 'session.created' });
    await side.expect('session.update');
    side.send(event);
    const error = await endOf(events);
    expect(error).toMatchObject({
      code: retryable ? 'provider_unavailable' : 'provider_rejected',
      retryable,
    });
    expect(`${error?.message} ${JSON.stringify(error)}`).not.toContain('secret');
    expect(events).toHaveLength(1);
  });

  it('is not an item of the history that is refused', async () => {
    const events = record(openSession({}, { history: [{ role: 'user', content: '' }] }));
    const side = await server.session();
    side.send({ type: 'session.created' });
    await side.expect('conversation.item.create');
    await side.expect('session.update');
    side.send(serverError('invalid_value', { event_id: 'another' }), sessionUpdated());
    await told(events, 1);
    expect(events).toEqual([{ type: 'ready' }]);
  });

  it.each<[string, (side: ServerSide) => void, string]>([
    ['a close', (side) => side.socket.close(1011, 'the secret'), 'provider_unavailable'],
    ['a broken connection', (side) => side.socket.terminate(), 'provider_unavailable'],
    ['the longest duration', (side) => side.send(serverError('session_expired')), 'provider_unavailable'],
    [
      'a response for which the account is empty',
      (side) => side.send(done('resp_1', 'failed', { error: { code: 'insufficient_quota' } })),
      'provider_rejected',
    ],
  ])('is %s', async (_, act, code) => {
    const { events, side } = await readySession();
    side.send(created('resp_1'));
    act(side);
    expect(await endOf(events)).toMatchObject({ code, retryable: code === 'provider_unavailable' });
  });

  it('is not an error, nor what cannot be read', async () => {
    const { events, side } = await readySession();
    side.send(serverError('invalid_value'), serverError(null), { type: 'rate_limits.updated' }, {});
    side.socket.send('no json');
    side.send(turn('speech_started', 'item_1'));
    await told(events, 1);
    expect(events).toEqual([{ type: 'callee-speaking', speaking: true, turnId: 'item_1' }]);
  });

  it.each<[string, () => void | Promise<void>]>([
    ['nobody listens', () => server.close()],
    ['the upgrade is not answered', () => server.hang()],
    ['the session is not created', () => {}],
  ])('comes when %s', async (_, prepare) => {
    await prepare();
    const events = record(openSession({ connectTimeoutMs: 200 }));
    expect(await endOf(events)).toMatchObject({ code: 'provider_unavailable', retryable: true });
    expect(events).toHaveLength(1);
  });

  it('comes when the server falls silent, and not while it answers pings', async () => {
    const { events, side } = await readySession({ keepAliveMs: 200 });
    await delay(700);
    expect(events).toEqual([]);
    side.socket.pause();
    expect(await endOf(events)).toMatchObject({ code: 'provider_unavailable', retryable: true });
  });

  it('comes when the server takes no more sound', async () => {
    const { session, events, side } = await readySession();
    side.socket.pause();
    const minute = base64(60_000);
    await vi.waitFor(
      () => {
        session.hear(minute);
        expect(events.length).toBeGreaterThan(0);
      },
      { interval: 1, timeout: 5000 },
    );
    expect(await endOf(events)).toMatchObject({ code: 'provider_unavailable', retryable: true });
  });
});

describe('events', () => {
  it('wait for the listener, and keep their order when it acts on them', async () => {
    const { side, session } = await (async () => {
      const session = openSession();
      const side = await server.session();
      side.send({ type: 'session.created' });
      await side.expect('session.update');
      side.send(sessionUpdated(), turn('speech_started', 'item_1'), turn('speech_stopped', 'item_1'));
      await settled(side);
      return { side, session };
    })();
    const types: string[] = [];
    session.listen((event) => {
      types.push(event.type);
      if (event.type === 'ready') session.close();
    });
    await vi.waitFor(() => expect(types.at(-1)).toBe('closed'));
    expect(types).toEqual(['ready', 'callee-speaking', 'callee-speaking', 'said', 'closed']);
    expect(side.isUpToDate()).toBe(true);
  });
});
