import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../index.ts';
import {
  connectSpeech,
  openRealtime,
  refusedSpeech,
  type SpeechClient,
  spokenWords,
} from '../testing/speech-client.ts';

const path = '/realtime?model=gpt-realtime-2.1';
const transcription = { model: 'gpt-transcribe' };
const completed = 'conversation.item.input_audio_transcription.completed';

describe('faults of speech models', () => {
  let emulator: OpenAiEmulator;
  beforeAll(async () => {
    emulator = await startOpenAiEmulator({ speech: { thinkMs: 0, transcriptionMs: 0, timesRealTime: 500 } });
  });
  afterEach(() => emulator.configure({ faults: {} }));
  afterAll(() => emulator.close());

  const quote = (text: string) => ({
    type: 'response.create',
    response: { instructions: `Say exactly: "${text}"` },
  });

  async function openTranscribed(): Promise<SpeechClient> {
    const turn_detection = { type: 'server_vad', create_response: false };
    return openRealtime(emulator.url, {}, { transcription, turn_detection });
  }

  it('refuse the socket, and only the socket', async () => {
    for (const status of [401, 503]) {
      emulator.configure({ faults: { error: { status, on: 'speech', times: 1 } } });
      expect((await refusedSpeech(emulator.url, path)).status).toBe(status);
    }
    emulator.configure({ faults: { rateLimit: { on: 'speech' } } });
    expect(await refusedSpeech(emulator.url, path)).toMatchObject({
      status: 429,
      error: { code: 'rate_limit_exceeded' },
      headers: { 'retry-after': '1' },
    });
    const text = await fetch(`${emulator.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-any' },
      body: JSON.stringify({ model: 'gpt-6-luna', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(text.status).toBe(200);
    emulator.configure({ faults: { error: { on: 'text' } } });
    await (await openRealtime(emulator.url)).close();
  });

  it('leave the socket neither open nor refused', async () => {
    const hanging = await startOpenAiEmulator({ faults: { connectHang: {} } });
    const refused = connectSpeech(hanging.url, path).catch((error: unknown) => error);
    await expect.poll(() => hanging.requests()).toMatchObject([{ status: null, path: '/v1/realtime' }]);
    await hanging.close();
    expect(await refused).toBeInstanceOf(Error);
  });

  it('stay silent until they are cancelled', async () => {
    emulator.configure({ faults: { hang: { times: 1 } } });
    const client = await openRealtime(emulator.url);
    client.send({ type: 'response.create' });
    await client.next('response.created');
    client.send({ type: 'response.cancel' });
    const { response } = await client.next('response.done');
    expect(response).toMatchObject({ status: 'cancelled', output: [] });
    await client.close();
  });

  it('are slow to begin', async () => {
    emulator.configure({ faults: { slowFirstToken: { delayMs: 60_000, times: 1 } } });
    const client = await openRealtime(emulator.url);
    client.send({ type: 'response.create', response: { conversation: 'none', metadata: { n: '1' } } });
    client.send({ type: 'response.create' });
    const { response } = await client.next('response.done');
    expect(response.metadata).toBeNull();
    await client.close();
  });

  it('cut the socket in mid-sentence', async () => {
    emulator.configure({ faults: { socketCut: { afterTokens: 2, times: 1 } } });
    const client = await openRealtime(emulator.url);
    client.send(quote('One two three four five six seven eight nine ten eleven twelve.'));
    expect(await client.closed).toBe(1006);
    expect(spokenWords(client)).toContain('One');
    expect(client.events.some(({ type }) => type === 'response.done')).toBe(false);
  });

  it('fail in mid-sentence, and can be asked again', async () => {
    emulator.configure({ faults: { streamError: { afterTokens: 2, times: 1 } } });
    const client = await openRealtime(emulator.url);
    client.send(quote('One two three four five six seven eight nine ten eleven twelve.'));
    const { response } = await client.next('response.done');
    expect(response).toMatchObject({
      status: 'failed',
      status_details: { type: 'failed', error: { code: 'server_error' } },
      output: [{ status: 'incomplete' }],
    });
    client.send(quote('Again.'));
    expect((await client.next('response.done')).response.status).toBe('completed');
    await client.close();
  });

  it('stop for their length or content', async () => {
    const client = await openRealtime(emulator.url);
    for (const [fault, reason] of [
      ['lengthStop', 'max_output_tokens'],
      ['contentFilter', 'content_filter'],
    ] as const) {
      emulator.configure({ faults: { [fault]: { afterTokens: 2 } } });
      client.send(quote('One two three four five.'));
      const { response } = await client.next('response.done');
      expect(response).toMatchObject({ status: 'incomplete', status_details: { reason } });
      expect(response.output[0].content[0].transcript).toBe('One two');
    }
    await client.close();
  });

  it('report errors out of nowhere, and go on', async () => {
    emulator.configure({ faults: { errorEvent: { code: 'odd', message: 'Odd.', times: 1 } } });
    const client = await openRealtime(emulator.url);
    client.send({ type: 'response.create' });
    expect((await client.next('error')).error).toEqual({
      type: 'server_error',
      code: 'odd',
      message: 'Odd.',
      param: null,
      event_id: null,
    });
    expect((await client.next('response.done')).response.status).toBe('completed');
    await client.close();
  });

  it('say something else than they were told to', async () => {
    emulator.configure({ faults: { misquote: { text: 'Nothing is recorded.', times: 1 } } });
    const client = await openRealtime(emulator.url);
    client.send(quote('This call is recorded.'));
    await client.next('response.done');
    expect(spokenWords(client)).toBe('Nothing is recorded.');
    client.send(quote('This call is recorded.'));
    await client.next('response.done');
    expect(spokenWords(client)).toBe('Nothing is recorded. This call is recorded.');
    await client.close();
  });

  it('never transcribe a turn, or say that they could not', async () => {
    emulator.configure({ faults: { transcriptionLost: { times: 1 } } });
    const client = await openTranscribed();
    await client.say('The first turn.');
    await client.say('The second turn.');
    expect((await client.next(completed)).transcript).toBe('The second turn.');
    emulator.configure({ faults: { transcriptionLost: { tell: true } } });
    await client.say('The third turn.');
    const failed = await client.next('conversation.item.input_audio_transcription.failed');
    expect(failed).toMatchObject({ content_index: 0, error: { code: 'audio_unintelligible' } });
    expect(client.events.filter(({ type }) => type === completed)).toHaveLength(1);
    await client.close();
  });

  it('transcribe late, and out of order', async () => {
    const client = await openTranscribed();
    emulator.configure({ faults: { transcriptionLate: { delayMs: 1500, times: 1 } } });
    await client.say('The first turn.');
    await client.say('The second turn.');
    expect((await client.next(completed)).transcript).toBe('The second turn.');
    expect((await client.next(completed)).transcript).toBe('The first turn.');
    emulator.configure({ faults: { transcriptionOvertaken: { times: 1 } } });
    await client.say('The third turn.');
    await client.say('The fourth turn.');
    expect((await client.next(completed)).transcript).toBe('The fourth turn.');
    expect((await client.next(completed)).transcript).toBe('The third turn.');
    await client.close();
  });
});
