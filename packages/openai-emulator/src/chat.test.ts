import OpenAI, { APIError } from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type OpenAiEmulator, startOpenAiEmulator } from './index.ts';

const model = 'gpt-6-luna';
const user = (content: string) => ({ role: 'user' as const, content });
const weatherTool = {
  type: 'function' as const,
  function: {
    name: 'find_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
      required: ['city', 'unit'],
      additionalProperties: false,
    },
    strict: true,
  },
};

describe('chat completions', () => {
  let emulator: OpenAiEmulator;
  let client: OpenAI;

  beforeAll(async () => {
    emulator = await startOpenAiEmulator({ apiKeys: ['sk-known-key'], models: ['local-model'] });
    client = new OpenAI({ baseURL: emulator.url, apiKey: 'sk-known-key', maxRetries: 0 });
  });
  afterAll(() => emulator.close());

  async function failure(body: object): Promise<{ status: number; error: Record<string, unknown> }> {
    const response = await fetch(`${emulator.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-known-key' },
      body: JSON.stringify(body),
    });
    const parsed = (await response.json()) as { error: Record<string, unknown> };
    return { status: response.status, error: parsed.error };
  }

  it('answers with the full shape, the same for the same request', async () => {
    const ask = () => client.chat.completions.create({ model, messages: [user('Hello there')] });
    const first = await ask();
    expect(first).toMatchObject({
      object: 'chat.completion',
      model,
      choices: [
        { index: 0, finish_reason: 'stop', logprobs: null, message: { role: 'assistant', refusal: null } },
      ],
    });
    expect(first.id).toMatch(/^chatcmpl-/);
    expect(first._request_id).toMatch(/^req_/);
    expect(first.usage?.total_tokens).toBe(
      (first.usage?.prompt_tokens ?? 0) + (first.usage?.completion_tokens ?? 0),
    );
    const second = await ask();
    expect(second.choices[0]?.message.content).toBe(first.choices[0]?.message.content);
  });

  it('streams role, fragments, finish, usage and [DONE] in this order', async () => {
    const response = await fetch(`${emulator.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-known-key' },
      body: JSON.stringify({
        model,
        messages: [user('Hello there')],
        stream: true,
        stream_options: { include_usage: true, include_obfuscation: false },
      }),
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    const lines = (await response.text()).split('\n\n').filter((line) => line !== '');
    expect(lines.pop()).toBe('data: [DONE]');
    const frames = lines.map((line) => JSON.parse(line.slice('data: '.length)));
    expect(new Set(frames.map((frame) => frame.id)).size).toBe(1);
    expect(frames[0].choices[0].delta).toEqual({ role: 'assistant', content: '', refusal: null });
    expect(frames[0].usage).toBeNull();
    expect(frames.at(-2).choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
    expect(frames.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(frames[1]).not.toHaveProperty('obfuscation');
  });

  it('streams the same text that it sends whole', async () => {
    const messages = [user('Please remember that the door code is 1234 and that the gate is green.')];
    const whole = await client.chat.completions.create({ model, messages });
    const stream = client.chat.completions.stream({ model, messages });
    expect(await stream.finalContent()).toBe(whole.choices[0]?.message.content);
  });

  it('calls a demanded tool with valid arguments, in fragments when streamed', async () => {
    const stream = await client.chat.completions.create({
      model,
      messages: [user('What is the weather in Lisbon in celsius?')],
      tools: [weatherTool],
      tool_choice: 'required',
      stream: true,
    });
    let json = '';
    let fragments = 0;
    let finish: string | null = null;
    for await (const chunk of stream) {
      const choice = chunk.choices[0];
      const call = choice?.delta.tool_calls?.[0];
      if (call?.function?.arguments) {
        expect(call.id).toBeUndefined();
        fragments += 1;
        json += call.function.arguments;
      }
      finish = choice?.finish_reason ?? finish;
    }
    expect(fragments).toBeGreaterThan(1);
    expect(finish).toBe('tool_calls');
    expect(JSON.parse(json)).toEqual({ city: expect.any(String), unit: 'celsius' });
  });

  it('goes on after a tool result', async () => {
    const asked = await client.chat.completions.create({
      model,
      messages: [user('Weather in Lisbon?')],
      tools: [weatherTool],
      tool_choice: { type: 'function', function: { name: 'find_weather' } },
    });
    const message = asked.choices[0]?.message;
    if (!message) throw new Error('no message');
    const call = message.tool_calls?.[0];
    const answered = await client.chat.completions.create({
      model,
      messages: [
        user('Weather in Lisbon?'),
        message,
        { role: 'tool', tool_call_id: call?.id ?? '', content: 'Sunny, 24 degrees' },
      ],
      tools: [weatherTool],
    });
    expect(answered.choices[0]?.message.content).toContain('Sunny, 24 degrees');
  });

  it('parses structured output made with the zod helpers', async () => {
    const Contact = z.object({
      name: z.string(),
      email: z.string().nullable(),
      phone: z.string().nullable(),
      party_size: z.int().min(1).max(10),
      priority: z.enum(['low', 'high']),
    });
    const completion = await client.chat.completions.parse({
      model,
      messages: [user('Book for Jordan Lee, jordan@example.com, a table for four people, high priority')],
      response_format: zodResponseFormat(Contact, 'contact'),
    });
    expect(completion.choices[0]?.message.parsed).toEqual({
      name: 'Jordan Lee',
      email: 'jordan@example.com',
      phone: null,
      party_size: 4,
      priority: 'high',
    });
  });

  it('fills nested, recursive and bounded schemas validly', async () => {
    const Node = z.object({
      label: z.string(),
      get children() {
        return z.array(Node);
      },
    });
    const Anything = z.object({
      tree: Node,
      ratio: z.number().min(0.5).max(0.9),
      step: z.int().min(3).multipleOf(5),
      tags: z.array(z.enum(['a', 'b'])).min(2),
      choice: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('none') }),
        z.object({ kind: z.literal('some'), value: z.boolean() }),
      ]),
      nothing: z.object({ code: z.string() }).nullable(),
    });
    const completion = await client.chat.completions.parse({
      model,
      messages: [user('anything')],
      response_format: zodResponseFormat(Anything, 'anything'),
    });
    expect(completion.choices[0]?.message.parsed).toMatchObject({ nothing: null, step: 5, tags: ['a', 'a'] });
  });

  it('accepts tools made with the zod helper', async () => {
    const tool = zodFunction({
      name: 'save_slot',
      parameters: z.object({ day: z.string(), time: z.string() }),
    });
    const completion = await client.chat.completions.parse({
      model,
      messages: [user('Save the slot on Tuesday at 3pm')],
      tools: [tool],
      tool_choice: 'required',
    });
    expect(completion.choices[0]?.message.tool_calls?.[0]?.function.parsed_arguments).toEqual({
      day: 'Tuesday',
      time: '3pm',
    });
  });

  it('stops at the token limit', async () => {
    const completion = await client.chat.completions.create({
      model,
      messages: [user('Say something long about many different things')],
      max_completion_tokens: 2,
    });
    expect(completion.choices[0]?.finish_reason).toBe('length');
    expect(completion.usage?.completion_tokens).toBe(2);
  });

  it('refuses unknown keys, models and addresses', async () => {
    const stranger = new OpenAI({ baseURL: emulator.url, apiKey: 'sk-another-key', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
    await expect(
      client.chat.completions.create({ model: 'gpt-0', messages: [user('hi')] }),
    ).rejects.toMatchObject({ status: 404, code: 'model_not_found', type: 'invalid_request_error' });
    await expect(client.models.retrieve('gpt-0')).rejects.toMatchObject({ code: 'model_not_found' });
    await expect(client.embeddings.create({ model, input: 'x' })).rejects.toMatchObject({ status: 404 });
    const local = await client.models.retrieve('local-model');
    expect(local).toMatchObject({ id: 'local-model', object: 'model' });
  });

  it.each([
    [{ model }, 'missing_required_parameter', 'messages'],
    [{ messages: [user('hi')] }, 'missing_required_parameter', 'model'],
    [{ model, messages: [] }, 'array_below_min_length', 'messages'],
    [{ model, messages: [{ role: 'robot', content: 'hi' }] }, 'invalid_value', 'messages[0].role'],
    [{ model, messages: [{ role: 'user' }] }, 'missing_required_parameter', 'messages[0].content'],
    [{ model, messages: [{ role: 'user', content: 5 }] }, 'invalid_type', 'messages[0].content'],
    [{ model, messages: [user('hi')], max_tokens: 5 }, 'unsupported_parameter', 'max_tokens'],
    [{ model, messages: [user('hi')], temperature: 3 }, 'integer_above_max_value', 'temperature'],
    [{ model, messages: [user('hi')], temperature: 2.5 }, 'decimal_above_max_value', 'temperature'],
    [{ model, messages: [user('hi')], shout: true }, 'unknown_parameter', 'shout'],
    [{ model, messages: [user('hi')], reasoning_effort: 'huge' }, 'invalid_value', 'reasoning_effort'],
    [{ model, messages: [user('hi')], tool_choice: 'required' }, null, 'tool_choice'],
    [{ model, messages: [user('hi')], stream_options: {} }, null, 'stream_options'],
    [{ model, messages: [user('hi')], response_format: { type: 'json_object' } }, null, 'messages'],
    [
      { model, messages: [user('hi'), { role: 'tool', tool_call_id: 'x', content: '' }] },
      null,
      'messages.[1].role',
    ],
    [
      {
        model,
        messages: [
          {
            role: 'assistant',
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          user('hi'),
        ],
      },
      null,
      'messages.[0].role',
    ],
    [
      { model, messages: [user('hi')], tools: [{ type: 'function', function: { name: 'not a name' } }] },
      'invalid_value',
      'tools[0].function.name',
    ],
  ])('refuses %j', async (body, code, param) => {
    const refused = await failure(body);
    expect(refused.status).toBe(400);
    expect(refused.error).toMatchObject({ type: 'invalid_request_error', code, param });
    expect(refused.error.message).toEqual(expect.any(String));
  });

  it('reads every text of a conversation with parts and developer messages', async () => {
    const completion = await client.chat.completions.create({
      model,
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'Answer briefly.' }] },
        { role: 'user', content: [{ type: 'text', text: 'The gate is green.' }] },
      ],
      response_format: { type: 'text' },
    });
    expect(completion.choices[0]?.message.content).toContain('gate is green');
  });

  it('gives errors the client understands', async () => {
    const error = await client.chat.completions
      .create({ model, messages: [user('hi')], temperature: 9 })
      .catch((reason: unknown) => reason);
    if (!(error instanceof APIError)) throw new Error('expected an APIError');
    expect(error.requestID).toMatch(/^req_/);
    expect(error.headers?.get('x-ratelimit-limit-requests')).toBe('10000');
  });
});
