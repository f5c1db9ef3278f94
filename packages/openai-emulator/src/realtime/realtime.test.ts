import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../index.ts';
import { connectSpeech, type SpeechClient, wordsIn } from '../testing/speech-client.ts';

const path = '/realtime?model=gpt-realtime-2.1';
const telephone = { format: { type: 'audio/pcmu' } };

describe('a realtime session', () => {
  let emulator: OpenAiEmulator;
  beforeAll(async () => {
    emulator = await startOpenAiEmulator({ speech: { thinkMs: 0, transcriptionMs: 50, timesRealTime: 200 } });
  });
  afterAll(() => emulator.close());

  async function open(session: object = {}): Promise<SpeechClient> {
    const client = await connectSpeech(emulator.url, path);
    await client.next('session.created');
    client.send({
      type: 'session.update',
      session: {
        type: 'realtime',
        audio: {
          input: { ...telephone, transcription: { model: 'gpt-transcribe' } },
          output: telephone,
        },
        ...session,
      },
    });
    await client.next('session.updated');
    return client;
  }

  it('hears a turn, answers it and transcribes it, in the order of the API', async () => {
    const client = await open();
    await client.say('The gate is green today.');
    const done = await client.next('response.done');
    expect(done.response).toMatchObject({ status: 'completed', status_details: null });
    await client.next('conversation.item.input_audio_transcription.completed');
    const types = client.events
      .map((event) => event.type)
      .filter(
        (type, index, all) =>
          type !== all[index - 1] && !type.includes('transcription') && type !== 'rate_limits.updated',
      );
    expect(types.slice(0, 12)).toEqual([
      'session.created',
      'session.updated',
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
    expect(types.slice(-7)).toEqual([
      'response.output_audio.delta',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'response.output_item.done',
      'conversation.item.done',
      'response.done',
    ]);
    const audio = client.events.filter((event) => event.type === 'response.output_audio.delta');
    const transcript = client.events.find((event) => event.type === 'response.output_audio_transcript.done');
    expect(wordsIn(audio.map((event) => event.delta))).toBe(transcript?.transcript);
    expect(transcript?.transcript).toContain('The gate is green today');
    const heard = client.events.find((event) => event.type.endsWith('transcription.completed'));
    expect(heard?.transcript).toBe('The gate is green today.');
    await client.close();
  });
});
