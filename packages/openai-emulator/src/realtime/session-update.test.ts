import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../index.ts';
import { connectSpeech, openRealtime } from '../testing/speech-client.ts';

const telephone = { type: 'audio/pcmu' };
const tool = {
  type: 'function',
  name: 'find',
  description: 'Finds.',
  parameters: { type: 'object', properties: {} },
};
const input = (fields: object) => ({ audio: { input: fields } });
const output = (fields: object) => ({ audio: { output: fields } });
const vad = (fields: object) => input({ turn_detection: { type: 'server_vad', ...fields } });

describe('the settings of a realtime session', () => {
  let emulator: OpenAiEmulator;
  beforeAll(async () => {
    emulator = await startOpenAiEmulator({ speech: { thinkMs: 0, timesRealTime: 500 } });
  });
  afterAll(() => emulator.close());

  it('are told first, with the defaults of the API', async () => {
    const client = await connectSpeech(emulator.url, '/realtime?model=gpt-realtime-2.1');
    const created = await client.next('session.created');
    expect(client.events[0]).toBe(created);
    expect(created.event_id).toMatch(/^event_/);
    expect(created.session).toMatchObject({
      id: expect.stringMatching(/^sess_/),
      object: 'realtime.session',
      type: 'realtime',
      model: 'gpt-realtime-2.1',
      output_modalities: ['audio'],
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          transcription: null,
          noise_reduction: null,
          turn_detection: {
            type: 'server_vad',
            threshold: 0.5,
            prefix_padding_ms: 300,
            silence_duration_ms: 500,
            create_response: true,
            interrupt_response: true,
            idle_timeout_ms: null,
          },
        },
        output: { format: { type: 'audio/pcm', rate: 24_000 }, speed: 1 },
      },
      tools: [],
      tool_choice: 'auto',
      max_output_tokens: 'inf',
      truncation: 'auto',
    });
    await client.close();
  });

  it('are merged and told again', async () => {
    const client = await openRealtime(emulator.url, {
      instructions: 'Be kind.',
      tools: [tool],
      output_modalities: ['text'],
    });
    client.send({
      type: 'session.update',
      event_id: 'second',
      session: {
        type: 'realtime',
        max_output_tokens: 4096,
        tool_choice: { type: 'function', name: 'find' },
        audio: {
          input: {
            transcription: { model: 'gpt-transcribe', language: 'en' },
            noise_reduction: { type: 'far_field' },
          },
          output: { voice: 'cedar', speed: 1.5 },
        },
      },
    });
    const { session } = await client.next('session.updated');
    expect(session).toMatchObject({
      instructions: 'Be kind.',
      tools: [tool],
      tool_choice: { type: 'function', name: 'find' },
      output_modalities: ['text'],
      max_output_tokens: 4096,
      audio: {
        input: {
          format: telephone,
          transcription: { model: 'gpt-transcribe', language: 'en' },
          noise_reduction: { type: 'far_field' },
          turn_detection: { type: 'server_vad' },
        },
        output: { format: telephone, voice: 'cedar', speed: 1.5 },
      },
    });
    client.send({
      type: 'session.update',
      session: { type: 'realtime', ...input({ transcription: null, turn_detection: null }) },
    });
    const next = await client.next('session.updated');
    expect(next.session.audio.input).toMatchObject({
      transcription: null,
      turn_detection: null,
      format: telephone,
    });
    await client.close();
  });

  it.each([
    ['no type', { type: undefined }, 'session.type', 'missing_required_parameter'],
    ['another type', { type: 'transcription' }, 'session.type', 'invalid_value'],
    ['another model', { model: 'gpt-realtime-2' }, 'session.model', 'cannot_update_model'],
    [
      'two modalities',
      { output_modalities: ['audio', 'text'] },
      'session.output_modalities',
      'array_above_max_length',
    ],
    [
      'an unknown modality',
      { output_modalities: ['video'] },
      'session.output_modalities[0]',
      'invalid_value',
    ],
    ['the modalities of the beta', { modalities: ['audio'] }, 'session.modalities', 'unknown_parameter'],
    ['the voice of the beta', { voice: 'alloy' }, 'session.voice', 'unknown_parameter'],
    ['an unknown voice', output({ voice: 'gandalf' }), 'session.audio.output.voice', 'invalid_value'],
    ['a speed too high', output({ speed: 2.5 }), 'session.audio.output.speed', 'decimal_above_max_value'],
    [
      'A-law',
      output({ format: { type: 'audio/pcma' } }),
      'session.audio.output.format',
      'emulator_unsupported',
    ],
    [
      'PCM',
      input({ format: { type: 'audio/pcm', rate: 24_000 } }),
      'session.audio.input.format',
      'emulator_unsupported',
    ],
    [
      'PCM of another rate',
      input({ format: { type: 'audio/pcm', rate: 8000 } }),
      'session.audio.input.format.rate',
      'invalid_value',
    ],
    [
      'the format names of the beta',
      input({ format: 'g711_ulaw' }),
      'session.audio.input.format',
      'invalid_type',
    ],
    [
      'a rate for µ-law',
      input({ format: { ...telephone, rate: 8000 } }),
      'session.audio.input.format.rate',
      'unknown_parameter',
    ],
    ['no tokens', { max_output_tokens: 0 }, 'session.max_output_tokens', 'integer_below_min_value'],
    ['too many tokens', { max_output_tokens: 4097 }, 'session.max_output_tokens', 'integer_above_max_value'],
    [
      'nested tools',
      { tools: [{ type: 'function', function: { name: 'find' } }] },
      'session.tools[0].name',
      'missing_required_parameter',
    ],
    ['strict tools', { tools: [{ ...tool, strict: true }] }, 'session.tools[0].strict', 'unknown_parameter'],
    [
      'a tool of another type',
      { tools: [{ type: 'mcp', server_label: 'x' }] },
      'session.tools[0].type',
      'invalid_value',
    ],
    ['a choice without tools', { tool_choice: 'required' }, 'tool_choice', null],
    [
      'an unknown choice',
      { tools: [tool], tool_choice: { type: 'function', name: 'other' } },
      'tool_choice',
      null,
    ],
    [
      'a threshold above 1',
      vad({ threshold: 1.5 }),
      'session.audio.input.turn_detection.threshold',
      'decimal_above_max_value',
    ],
    [
      'a negative padding',
      vad({ prefix_padding_ms: -1 }),
      'session.audio.input.turn_detection.prefix_padding_ms',
      'integer_below_min_value',
    ],
    [
      'half a millisecond',
      vad({ silence_duration_ms: 0.5 }),
      'session.audio.input.turn_detection.silence_duration_ms',
      'invalid_type',
    ],
    [
      'a short idle time',
      vad({ idle_timeout_ms: 100 }),
      'session.audio.input.turn_detection.idle_timeout_ms',
      'integer_below_min_value',
    ],
    [
      'an unknown detection',
      input({ turn_detection: { type: 'none' } }),
      'session.audio.input.turn_detection.type',
      'invalid_value',
    ],
    [
      'idle time for semantic detection',
      input({ turn_detection: { type: 'semantic_vad', idle_timeout_ms: 6000 } }),
      'session.audio.input.turn_detection.idle_timeout_ms',
      'unknown_parameter',
    ],
    [
      'an unknown transcriber',
      input({ transcription: { model: 'gpt-6-luna' } }),
      'session.audio.input.transcription.model',
      'invalid_value',
    ],
    [
      'a delay for a transcriber without',
      input({ transcription: { model: 'whisper-1', delay: 'low' } }),
      'session.audio.input.transcription.delay',
      'unsupported_parameter',
    ],
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, 'session.prompt', 'unsupported_parameter'],
  ])('refuse %s, and the session goes on unchanged', async (_what, session, param, code) => {
    const client = await openRealtime(emulator.url);
    client.send({ type: 'session.update', event_id: 'faulty', session: { type: 'realtime', ...session } });
    const { error } = await client.next('error');
    expect(error).toMatchObject({ type: 'invalid_request_error', param, code, event_id: 'faulty' });
    expect(error.message).not.toBe('');
    client.send({ type: 'session.update', session: { type: 'realtime' } });
    const updated = await client.next('session.updated');
    expect(updated.session).toEqual(client.events.find(({ type }) => type === 'session.updated')?.session);
    await client.close();
  });

  it('keep the voice once something was said', async () => {
    const client = await openRealtime(emulator.url);
    client.send({ type: 'session.update', session: { type: 'realtime', ...output({ voice: 'marin' }) } });
    await client.next('session.updated');
    client.send({ type: 'response.create' });
    await client.next('response.done');
    client.send({
      type: 'session.update',
      event_id: 'voice',
      session: { type: 'realtime', ...output({ voice: 'cedar' }) },
    });
    expect((await client.next('error')).error).toMatchObject({
      code: 'cannot_update_voice',
      event_id: 'voice',
    });
    client.send({ type: 'response.create', event_id: 'once', response: output({ voice: 'cedar' }) });
    expect((await client.next('error')).error).toMatchObject({
      code: 'cannot_update_voice',
      event_id: 'once',
    });
    client.send({
      type: 'session.update',
      session: { type: 'realtime', ...output({ voice: 'marin', format: telephone }) },
    });
    await client.next('session.updated');
    await client.close();
  });

  it('keep the speed while a response is under way', async () => {
    emulator.configure({ faults: { hang: { times: 1 } } });
    const client = await openRealtime(emulator.url);
    client.send({ type: 'response.create' });
    await client.next('response.created');
    const update = { type: 'session.update', session: { type: 'realtime', ...output({ speed: 1.2 }) } };
    client.send({ ...update, event_id: 'fast' });
    expect((await client.next('error')).error).toMatchObject({
      code: 'cannot_update_speed',
      event_id: 'fast',
    });
    client.send({ type: 'response.cancel' });
    await client.next('response.done');
    client.send(update);
    await client.next('session.updated');
    await client.close();
  });

  it('refuse sound in a format that was not agreed', async () => {
    const client = await connectSpeech(emulator.url, '/realtime?model=gpt-realtime-2.1');
    client.send({ type: 'input_audio_buffer.append', event_id: 'sound', audio: 'AAAA' });
    expect((await client.next('error')).error).toMatchObject({
      code: 'emulator_unsupported',
      event_id: 'sound',
    });
    client.send({ type: 'response.create', event_id: 'speak' });
    expect((await client.next('error')).error).toMatchObject({
      code: 'emulator_unsupported',
      event_id: 'speak',
    });
    await client.close();
  });
});
