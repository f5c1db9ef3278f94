import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { startOpenAiEmulator } from './index.ts';

const request = { model: 'gpt-6-luna', messages: [{ role: 'user' as const, content: 'hi' }] };

describe('scripted mode', () => {
  it('gives exact replies in order and reports what did not fit', async () => {
    const emulator = await startOpenAiEmulator({
      keepBodies: true,
      script: [
        'first',
        { text: 'second', toolCalls: [{ name: 'end_call', arguments: { reason: 'done' } }] },
        'third',
      ],
    });
    const client = new OpenAI({ baseURL: emulator.url, apiKey: 'sk-any', maxRetries: 0 });
    const first = await client.chat.completions.create(request);
    expect(first.choices[0]?.message.content).toBe('first');
    const second = await client.responses.create({ model: request.model, input: 'hi' });
    expect(second.output).toMatchObject([
      { type: 'message' },
      { type: 'function_call', name: 'end_call', arguments: '{"reason":"done"}' },
    ]);
    expect(emulator.scriptReport()).toEqual({ unconsumed: ['third'], unexpectedRequests: 0 });
    expect(emulator.requests()).toMatchObject([
      { path: '/v1/chat/completions', status: 200, body: request },
      { path: '/v1/responses', status: 200 },
    ]);
    await expect(emulator.close()).rejects.toThrow('1 replies were never asked for');
  });

  it('refuses requests beyond its end and can be replaced', async () => {
    const emulator = await startOpenAiEmulator({ script: [] });
    const client = new OpenAI({ baseURL: emulator.url, apiKey: 'sk-any' });
    await expect(client.chat.completions.create(request)).rejects.toMatchObject({ code: 'script_exhausted' });
    expect(emulator.scriptReport().unexpectedRequests).toBe(1);
    emulator.configure({ script: [{ toolCalls: [{ name: 'f', arguments: '{broken' }] }] });
    const broken = await client.chat.completions.create(request);
    expect(broken.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [{ function: { arguments: '{broken' } }] },
    });
    emulator.configure({ script: null });
    const free = await client.chat.completions.create(request);
    expect(free.choices[0]?.finish_reason).toBe('stop');
    await emulator.close();
  });

  it('keeps no contents unless told to', async () => {
    const emulator = await startOpenAiEmulator();
    const client = new OpenAI({ baseURL: emulator.url, apiKey: 'sk-any' });
    await client.chat.completions.create(request);
    expect(emulator.requests()).toEqual([
      {
        id: expect.stringMatching(/^req_/),
        method: 'POST',
        path: '/v1/chat/completions',
        status: 200,
        model: request.model,
        stream: false,
        retryCount: 0,
        cut: false,
      },
    ]);
    await emulator.close();
    await emulator.close();
  });

  it('serves many streams at once', async () => {
    const emulator = await startOpenAiEmulator({ firstTokenMs: 20, tokensPerSecond: 500 });
    const client = new OpenAI({ baseURL: emulator.url, apiKey: 'sk-any' });
    const texts = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        client.chat.completions
          .stream({ model: request.model, messages: [{ role: 'user', content: `Stream number ${index}` }] })
          .finalContent(),
      ),
    );
    for (const [index, text] of texts.entries()) expect(text).toContain(`number ${index}`);
    await emulator.close();
  });
});
