import OpenAI, { APIConnectionTimeoutError, APIError } from 'openai';
import { ContentFilterFinishReasonError, LengthFinishReasonError } from 'openai/error';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type OpenAiEmulator, type RequestRecord, startOpenAiEmulator } from './index.ts';

const request = {
  model: 'gpt-6-luna',
  messages: [{ role: 'user' as const, content: 'The gate is green today.' }],
};
const format = zodResponseFormat(z.object({ title: z.string() }), 'title');

describe('faults', () => {
  let emulator: OpenAiEmulator;
  let client: OpenAI;
  const seen: RequestRecord[] = [];

  beforeAll(async () => {
    emulator = await startOpenAiEmulator({ onRequest: (record) => seen.push(record) });
    client = new OpenAI({ baseURL: emulator.url, apiKey: 'sk-any', maxRetries: 0 });
  });
  afterEach(() => {
    emulator.configure({ faults: {} });
    seen.length = 0;
  });
  afterAll(() => emulator.close());

  async function readStream(): Promise<string> {
    let text = '';
    for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
    }
    return text;
  }

  it('answers with a status, so often as told, and the client retries', async () => {
    emulator.configure({ faults: { error: { status: 503, times: 2 } } });
    const patient = new OpenAI({ baseURL: emulator.url, apiKey: 'sk-any', maxRetries: 2 });
    const completion = await patient.chat.completions.create(request);
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(seen.map((record) => record.status)).toEqual([503, 503, 200]);
    expect(seen.map((record) => record.retryCount)).toEqual([0, 1, 2]);
  });

  it('limits the rate with a hint when to come back', async () => {
    emulator.configure({ faults: { rateLimit: { retryAfterSeconds: 0.05, times: 1 } } });
    const error = await client.chat.completions.create(request).catch((reason: unknown) => reason);
    if (!(error instanceof APIError)) throw new Error('expected an APIError');
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'requests' });
    expect(error.headers?.get('retry-after')).toBe('1');
    expect(error.headers?.get('retry-after-ms')).toBe('50');
    expect(error.headers?.get('x-ratelimit-remaining-requests')).toBe('0');
  });

  it('runs out of quota', async () => {
    emulator.configure({ faults: { insufficientQuota: {} } });
    await expect(client.responses.create({ model: request.model, input: 'hi' })).rejects.toMatchObject({
      status: 429,
      code: 'insufficient_quota',
    });
  });

  it('breaks a stream with an error frame', async () => {
    emulator.configure({ faults: { streamError: { afterTokens: 2 } } });
    await expect(readStream()).rejects.toMatchObject({ status: undefined, code: 'server_error' });
    const responses = await client.responses.create({
      model: request.model,
      input: 'The gate is green.',
      stream: true,
    });
    const read = async () => {
      for await (const event of responses) expect(event.type).not.toBe('response.completed');
    };
    await expect(read()).rejects.toThrow(APIError);
  });

  it('cuts the socket', async () => {
    emulator.configure({ faults: { socketCut: { afterTokens: 2 } } });
    await expect(readStream()).rejects.toThrow();
    await expect(client.chat.completions.create(request)).rejects.toThrow();
  });

  it('hangs until the client gives up', async () => {
    emulator.configure({ faults: { hang: { times: 1 } } });
    await expect(client.chat.completions.create(request, { timeout: 100 })).rejects.toThrow(
      APIConnectionTimeoutError,
    );
    expect(seen).toMatchObject([{ status: null }]);
  });

  it('is slow to start', async () => {
    emulator.configure({ faults: { slowFirstToken: { delayMs: 5000 } } });
    await expect(client.chat.completions.create(request, { timeout: 100 })).rejects.toThrow(
      APIConnectionTimeoutError,
    );
  });

  it('refuses, stops early, filters and breaks the schema', async () => {
    const parse = () => client.chat.completions.parse({ ...request, response_format: format });
    emulator.configure({ faults: { refusal: { text: 'No.' } } });
    const refused = await parse();
    expect(refused.choices[0]?.message).toMatchObject({ content: null, parsed: null, refusal: 'No.' });
    const response = await client.responses.create({ model: request.model, input: 'hi' });
    expect(response.output[0]).toMatchObject({ content: [{ type: 'refusal', refusal: 'No.' }] });
    emulator.configure({ faults: { lengthStop: {} } });
    await expect(parse()).rejects.toThrow(LengthFinishReasonError);
    emulator.configure({ faults: { contentFilter: {} } });
    await expect(parse()).rejects.toThrow(ContentFilterFinishReasonError);
    emulator.configure({ faults: { schemaViolation: {} } });
    await expect(parse()).rejects.toThrow();
  });

  it('can be set over HTTP and fails at the same requests in every run', async () => {
    const configure = (faults: object) =>
      fetch(emulator.url.replace('/v1', '/_emulator/faults'), {
        method: 'POST',
        body: JSON.stringify(faults),
      });
    const run = async () => {
      const statuses: number[] = [];
      expect((await configure({ error: { probability: 0.5 } })).status).toBe(200);
      for (let index = 0; index < 12; index += 1) {
        const outcome = await client.chat.completions.create(request).catch((error: unknown) => error);
        statuses.push(outcome instanceof APIError ? (outcome.status ?? 0) : 200);
      }
      return statuses;
    };
    const first = await run();
    expect(first).toContain(500);
    expect(first).toContain(200);
    expect(await run()).toEqual(first);
    expect((await configure({ errors: {} })).status).toBe(400);
  });
});
