import { silence } from '@callkite/emulated-voice';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../index.ts';
import { connectSpeech, openRealtime, refusedSpeech } from '../testing/speech-client.ts';

const key = { authorization: 'Bearer sk-known' };
const path = '/realtime?model=gpt-realtime-2.1';

describe('sockets to speech models', () => {
  let emulator: OpenAiEmulator;
  beforeAll(async () => {
    emulator = await startOpenAiEmulator({
      apiKeys: ['sk-known'],
      models: ['local-model'],
      keepBodies: true,
    });
  });
  afterAll(() => emulator.close());

  it.each([
    ['without a key', path, {}, 401, 'invalid_api_key'],
    ['with another key', path, { authorization: 'Bearer sk-other' }, 401, 'invalid_api_key'],
    ['without a selector', '/realtime', key, 400, 'missing_required_parameter'],
    ['with two selectors', `${path}&intent=transcription`, key, 400, 'invalid_value'],
    ['with a selector twice', `${path}&model=gpt-realtime-2`, key, 400, 'invalid_value'],
    ['for a call', '/realtime?call_id=rtc_1', key, 400, 'emulator_unsupported'],
    ['for transcription only', '/realtime?intent=transcription', key, 400, 'emulator_unsupported'],
    ['for an unknown model', '/realtime?model=gpt-9', key, 404, 'model_not_found'],
    ['for a text model', '/realtime?model=gpt-6-luna', key, 404, 'model_not_found'],
    ['for a live model', '/realtime?model=gpt-live-1', key, 404, 'model_not_found'],
    ['in the beta protocol', path, { ...key, 'OpenAI-Beta': 'realtime=v1' }, 400, 'beta_api_shape_disabled'],
    ['at another path', '/chat/completions', key, 404, null],
    ['to the Live API with a query', '/live/sessions?model=gpt-live-1', key, 400, 'invalid_value'],
    ['to the Live API without a key', '/live/sessions', {}, 401, 'invalid_api_key'],
  ])('are refused %s', async (_what, target, headers, status, code) => {
    const refusal = await refusedSpeech(emulator.url, target, headers);
    expect(refusal).toMatchObject({ status, error: { code } });
    expect(refusal.error.message).not.toBe('');
    expect(refusal.headers['x-request-id']).toMatch(/^req_/);
  });

  it('are logged with what was received, sound only by its amount', async () => {
    const client = await connectSpeech(emulator.url, '/realtime?model=local-model', { key: 'sk-known' });
    client.send({
      type: 'session.update',
      session: { type: 'realtime', audio: { input: { format: { type: 'audio/pcmu' } } } },
    });
    await client.next('session.updated');
    client.hear(silence(200));
    client.send({ type: 'response.cancel', event_id: 'mine' });
    await client.next('error');
    expect(emulator.connections().at(-1)).toEqual({
      id: expect.stringMatching(/^req_/),
      path: '/v1/realtime',
      model: 'local-model',
      closeCode: null,
      received: [
        expect.objectContaining({ type: 'session.update', count: 1 }),
        {
          type: 'input_audio_buffer.append',
          count: 10,
          event: { type: 'input_audio_buffer.append', audio: '<216 characters>' },
        },
        { type: 'response.cancel', count: 1, event: { type: 'response.cancel', event_id: 'mine' } },
      ],
      sent: ['session.created', 'session.updated', 'error'],
    });
    await client.close();
    const response = await fetch(emulator.url.replace('/v1', '/_emulator/connections'));
    const { connections } = (await response.json()) as { connections: { path: string }[] };
    expect(connections.at(-1)?.path).toBe('/v1/realtime');
    expect(emulator.requests().at(-1)).toMatchObject({ method: 'GET', path: '/v1/realtime', status: 101 });
  });

  it('keep no contents unless told to, and end with the emulator', async () => {
    const other = await startOpenAiEmulator();
    const client = await openRealtime(other.url);
    expect(other.connections()).toMatchObject([{ received: [{ type: 'session.update', count: 1 }] }]);
    expect(other.connections()[0]?.received[0]).not.toHaveProperty('event');
    await other.close();
    expect(await client.closed).toBe(1006);
  });

  it('refuse speech models at the text endpoints', async () => {
    const response = await fetch(`${emulator.url}/chat/completions`, {
      method: 'POST',
      headers: key,
      body: JSON.stringify({ model: 'gpt-realtime-2.1', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(response.status).toBe(404);
  });

  it('live for an hour, or as long as told', async () => {
    const brief = await startOpenAiEmulator({ speech: { sessionMs: 300 } });
    const client = await connectSpeech(brief.url, path);
    expect((await client.next('error')).error).toMatchObject({ code: 'session_expired' });
    expect(await client.closed).toBe(1001);
    await brief.close();

    const hour = await connectSpeech(emulator.url, path, { key: 'sk-known' });
    const { session } = await hour.next('session.created');
    expect(session.expires_at).toBeGreaterThan(Date.now() / 1000 + 3500);
    await hour.close();
  });
});
