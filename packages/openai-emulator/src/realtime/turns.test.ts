import { silence, speak } from '@callkite/emulated-voice';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../index.ts';
import { openRealtime, type SpeechClient, spokenWords } from '../testing/speech-client.ts';

const transcription = { model: 'gpt-transcribe' };
const SENTENCE = 'The gate is green today.';

/** The types of events, a type in a row once, without those that may come at any time. */
function order(client: SpeechClient): string[] {
  return client.events
    .map(({ type }) => type)
    .filter((type, index, all) => type !== all[index - 1] && !type.includes('transcription'));
}

describe('turns of a realtime session', () => {
  let emulator: OpenAiEmulator;
  let slow: OpenAiEmulator;
  beforeAll(async () => {
    emulator = await startOpenAiEmulator({ speech: { thinkMs: 0, transcriptionMs: 0, timesRealTime: 500 } });
    slow = await startOpenAiEmulator({ speech: { thinkMs: 0, transcriptionMs: 0, timesRealTime: 0.2 } });
  });
  afterAll(async () => {
    await emulator.close();
    await slow.close();
  });

  it('are heard, answered and told of in the order of the API', async () => {
    const client = await openRealtime(emulator.url);
    await client.say(SENTENCE);
    await client.next('rate_limits.updated');
    const types = order(client);
    expect(types.slice(2, 12)).toEqual([
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_audio_transcript.delta',
    ]);
    expect(types[12]).toBe('response.output_audio.delta');
    expect(types.slice(-8)).toEqual([
      'response.output_audio.delta',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'response.output_item.done',
      'conversation.item.done',
      'response.done',
      'rate_limits.updated',
    ]);
    const [userItem, answerItem] = client.events.filter(({ type }) => type === 'conversation.item.added');
    const started = await client.next('input_audio_buffer.speech_started');
    expect(started.item_id).toBe(userItem?.item.id);
    expect(answerItem?.previous_item_id).toBe(userItem?.item.id);
    expect(answerItem?.item).toMatchObject({ status: 'in_progress', role: 'assistant', content: [] });
    const transcript = await client.next('response.output_audio_transcript.done');
    expect(transcript.transcript).toBe('I understand: The gate is green today.');
    expect(spokenWords(client)).toBe(transcript.transcript);
    const { response } = await client.next('response.done');
    expect(response).toMatchObject({
      status: 'completed',
      status_details: null,
      output: [
        { status: 'completed', content: [{ type: 'output_audio', transcript: transcript.transcript }] },
      ],
    });
    expect(response.usage.total_tokens).toBe(response.usage.input_tokens + response.usage.output_tokens);
    expect(new Set(client.events.map(({ event_id }) => event_id)).size).toBe(client.events.length);
    await client.close();
  });

  it('are transcribed only when that was asked for', async () => {
    const client = await openRealtime(emulator.url, {}, { transcription });
    await client.say(SENTENCE);
    const completed = await client.next('conversation.item.input_audio_transcription.completed');
    expect(completed).toMatchObject({ content_index: 0, transcript: SENTENCE, usage: { type: 'tokens' } });
    const deltas = client.events.filter(({ type }) => type.endsWith('transcription.delta'));
    expect(deltas.map(({ delta }) => delta).join('')).toBe(SENTENCE);
    client.send({ type: 'conversation.item.retrieve', item_id: completed.item_id });
    const { item } = await client.next('conversation.item.retrieved');
    expect(item.content[0].transcript).toBe(SENTENCE);
    expect(Buffer.from(item.content[0].audio, 'base64').length).toBeGreaterThan(8000);
    await client.close();

    const silent = await openRealtime(emulator.url);
    await silent.say(SENTENCE);
    await silent.next('rate_limits.updated');
    expect(silent.events.filter(({ type }) => type.includes('transcription'))).toEqual([]);
    await silent.close();
  });

  it('begin before the first loud sound, and end with the silence asked for', async () => {
    const turn_detection = {
      type: 'server_vad',
      prefix_padding_ms: 100,
      silence_duration_ms: 1000,
      create_response: false,
    };
    const client = await openRealtime(emulator.url, {}, { turn_detection });
    const { audio } = await speak(SENTENCE, { voice: 'callee' });
    client.hear(silence(1000));
    client.hear(audio);
    client.hear(silence(280));
    client.send({ type: 'session.update', session: { type: 'realtime' } });
    const [started] = [
      await client.next('input_audio_buffer.speech_started'),
      await client.next('session.updated'),
    ];
    expect(client.events.some(({ type }) => type === 'input_audio_buffer.speech_stopped')).toBe(false);
    expect(started.audio_start_ms).toBeGreaterThanOrEqual(900);
    expect(started.audio_start_ms).toBeLessThan(1100);
    client.hear(silence(1000));
    const stopped = await client.next('input_audio_buffer.speech_stopped');
    expect(stopped.audio_end_ms).toBeGreaterThan(started.audio_start_ms + 1500);
    await client.next('conversation.item.done');
    client.send({ type: 'session.update', session: { type: 'realtime' } });
    await client.next('session.updated');
    expect(client.events.some(({ type }) => type === 'response.created')).toBe(false);
    await client.close();
  });

  it('go on when their detection is changed meanwhile', async () => {
    const client = await openRealtime(emulator.url, {}, { transcription });
    const { audio } = await speak(SENTENCE, { voice: 'callee' });
    client.hear(audio.subarray(0, 4800));
    await client.next('input_audio_buffer.speech_started');
    const turn_detection = { type: 'server_vad', create_response: false, interrupt_response: false };
    client.send({
      type: 'session.update',
      session: { type: 'realtime', audio: { input: { turn_detection } } },
    });
    client.hear(audio.subarray(4800));
    client.hear(silence(1000));
    const completed = await client.next('conversation.item.input_audio_transcription.completed');
    expect(completed.transcript).toBe(SENTENCE);
    const types = client.events.map(({ type }) => type);
    expect(types.filter((type) => type.includes('speech_'))).toHaveLength(2);
    expect(types).not.toContain('response.created');
    await client.close();
  });

  it('are not noticed below the threshold', async () => {
    const turn_detection = { type: 'server_vad', threshold: 1 };
    const client = await openRealtime(emulator.url, {}, { turn_detection });
    await client.say(SENTENCE);
    client.send({ type: 'session.update', session: { type: 'realtime' } });
    await client.next('session.updated');
    expect(client.events.map(({ type }) => type)).toEqual([
      'session.created',
      'session.updated',
      'session.updated',
    ]);
    await client.close();
  });

  it('end sooner or later as semantic detection is eager', async () => {
    const stopsAfter = async (eagerness: string) => {
      const client = await openRealtime(
        emulator.url,
        {},
        { turn_detection: { type: 'semantic_vad', eagerness } },
      );
      await client.say(SENTENCE, 3000);
      const { audio_end_ms } = await client.next('input_audio_buffer.speech_stopped');
      await client.close();
      return audio_end_ms;
    };
    const high = await stopsAfter('high');
    expect(await stopsAfter('low')).toBeGreaterThan(high + 500);
  });

  it('cancel the answer under way when the callee speaks', async () => {
    const client = await openRealtime(slow.url);
    await client.say(SENTENCE);
    await client.next('response.output_audio.delta');
    await client.say('Wait a moment please.');
    const started = client.events.findLastIndex(({ type }) => type === 'input_audio_buffer.speech_started');
    const done = await client.next('response.done');
    expect(done.response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'turn_detected' },
      output: [{ status: 'incomplete' }],
    });
    expect(client.events.indexOf(done)).toBeGreaterThan(started);
    await client.next('response.created', (event) => event.response.id !== done.response.id);
    await client.close();
  });

  it('do not interrupt when told so, and then cannot be answered meanwhile', async () => {
    const client = await openRealtime(
      slow.url,
      {},
      { turn_detection: { type: 'server_vad', interrupt_response: false } },
    );
    await client.say(SENTENCE);
    await client.next('response.output_audio.delta');
    await client.say('Wait a moment please.');
    const { error } = await client.next('error');
    expect(error).toMatchObject({ code: 'conversation_already_has_active_response', event_id: null });
    expect(client.events.some(({ type }) => type === 'response.done')).toBe(false);
    await client.close();
  });

  it('are asked for after a long silence, counted from the end of the last answer', async () => {
    const turn_detection = { type: 'server_vad', idle_timeout_ms: 5000 };
    const client = await openRealtime(emulator.url, {}, { turn_detection });
    client.hear(silence(20_000));
    await client.say(SENTENCE);
    const answered = await client.next('response.done');
    expect(client.events.some(({ type }) => type.endsWith('timeout_triggered'))).toBe(false);
    client.hear(silence(12_000));
    const timeout = await client.next('input_audio_buffer.timeout_triggered');
    expect(timeout.audio_end_ms - timeout.audio_start_ms).toBeGreaterThanOrEqual(5000);
    expect(timeout.audio_end_ms - timeout.audio_start_ms).toBeLessThan(5100);
    expect(
      (await client.next('input_audio_buffer.committed', ({ item_id }) => item_id === timeout.item_id))
        .previous_item_id,
    ).toBe(answered.response.output[0].id);
    await client.next('response.created', ({ response }) => response.id !== answered.response.id);
    await client.close();
  });

  it('can be taken by hand', async () => {
    const client = await openRealtime(emulator.url, {}, { turn_detection: null, transcription });
    client.send({ type: 'input_audio_buffer.commit', event_id: 'mine' });
    expect((await client.next('error')).error).toMatchObject({
      code: 'input_audio_buffer_commit_empty',
      event_id: 'mine',
    });
    await client.say('Forget this.');
    client.send({ type: 'input_audio_buffer.clear' });
    await client.next('input_audio_buffer.cleared');
    client.send({ type: 'input_audio_buffer.commit' });
    expect((await client.next('error')).error.code).toBe('input_audio_buffer_commit_empty');
    await client.say(SENTENCE);
    client.send({ type: 'input_audio_buffer.commit' });
    expect((await client.next('conversation.item.input_audio_transcription.completed')).transcript).toBe(
      SENTENCE,
    );
    expect(client.events.some(({ type }) => /speech_|response\./.test(type))).toBe(false);
    client.send({ type: 'response.create' });
    await client.next('response.done');
    expect(spokenWords(client)).toContain('The gate is green today');
    await client.close();
  });
});
