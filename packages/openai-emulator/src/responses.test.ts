import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type OpenAiEmulator, startOpenAiEmulator } from './index.ts';

const model = 'gpt-6-luna';
const endCall = {
  type: 'function' as const,
  name: 'end_call',
  description: 'Ends the call',
  strict: true,
  parameters: {
    type: 'object',
    properties: { reason: { type: 'string', enum: ['completed', 'declined'] } },
    required: ['reason'],
    additionalProperties: false,
  },
};

describe('responses', () => {
  let emulator: OpenAiEmulator;
  let client: OpenAI;

  beforeAll(async () => {
    emulator = await startOpenAiEmulator();
    client = new OpenAI({ baseURL: emulator.url, apiKey: 'sk-any', maxRetries: 0 });
  });
  afterAll(() => emulator.close());

  it('answers with the full shape', async () => {
    const response = await client.responses.create({
      model,
      input: 'The gate is green.',
      instructions: 'Be brief.',
    });
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      instructions: 'Be brief.',
      output: [{ type: 'message', role: 'assistant', status: 'completed', phase: 'final_answer' }],
      usage: { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
    });
    expect(response.output_text).toContain('gate is green');
  });

  it('numbers the events of a stream in the documented order', async () => {
    const events: ResponseStreamEvent[] = [];
    const stream = await client.responses.create({ model, input: 'The gate is green today.', stream: true });
    for await (const event of stream) events.push(event);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const types = events.map((event) => event.type).filter((type, index, all) => type !== all[index - 1]);
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it('streams text followed by a tool call and takes its result with previous_response_id', async () => {
    const stream = client.responses.stream({
      model,
      instructions: '## Objective\nConfirm the appointment.\n\n## Steps\n1. Thank them and say goodbye.',
      input: [
        { role: 'assistant', content: 'Can you confirm the appointment?' },
        { role: 'user', content: 'Yes.' },
      ],
      tools: [endCall],
    });
    const first = await stream.finalResponse();
    expect(first.output.map((item) => item.type)).toEqual(['message', 'function_call']);
    const call = first.output[1];
    if (call?.type !== 'function_call') throw new Error('expected a call');
    expect(JSON.parse(call.arguments)).toEqual({ reason: 'completed' });

    const next = await client.responses.create({
      model,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'ok' }],
      tools: [endCall],
    });
    expect(next.previous_response_id).toBe(first.id);
    await expect(
      client.responses.create({ model, previous_response_id: first.id, input: 'hello?' }),
    ).rejects.toMatchObject({ status: 400, param: 'input' });
  });

  it('remembers nothing when store is false, and refuses unknown previous responses', async () => {
    const forgotten = await client.responses.create({ model, input: 'hi', store: false });
    for (const id of [forgotten.id, 'resp_unknown']) {
      await expect(
        client.responses.create({ model, input: 'hi', previous_response_id: id }),
      ).rejects.toMatchObject({ status: 404, code: 'previous_response_not_found' });
    }
  });

  it('takes replayed output items', async () => {
    const first = await client.responses.create({ model, input: 'The gate is green.' });
    const second = await client.responses.create({
      model,
      input: [
        { role: 'user', content: 'The gate is green.' },
        ...first.output.filter((item) => item.type === 'message'),
        { role: 'user', content: 'And the door is red.' },
      ],
    });
    expect(second.output_text).toContain('door is red');
  });

  it('parses structured output', async () => {
    const response = await client.responses.parse({
      model,
      input: 'Meet on Tuesday at 3pm',
      text: { format: zodTextFormat(z.object({ day: z.string(), time: z.string().nullable() }), 'slot') },
    });
    expect(response.output_parsed).toEqual({ day: 'Tuesday', time: '3pm' });
  });

  it('marks a response that reached its limit as incomplete', async () => {
    const stream = client.responses.stream({
      model,
      input: `Repeat this: ${'many words and more words '.repeat(12)}`,
      max_output_tokens: 16,
    });
    const response = await stream.finalResponse();
    expect(response.status).toBe('incomplete');
    expect(response.incomplete_details).toEqual({ reason: 'max_output_tokens' });
  });

  it.each([
    [{ input: 'hi' }, 'missing_required_parameter', 'model'],
    [{ model }, 'missing_required_parameter', 'input'],
    [{ model, input: 'hi', max_tokens: 5 }, 'unknown_parameter', 'max_tokens'],
    [{ model, input: 'hi', conversation: 'conv_1' }, 'unsupported_parameter', 'conversation'],
    [{ model, input: [{ role: 'robot', content: 'hi' }] }, 'invalid_value', 'input[0].role'],
    [{ model, input: [{ type: 'function_call_output', call_id: 'c', output: '' }] }, null, 'input'],
    [
      { model, input: 'hi', tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }] },
      'missing_required_parameter',
      'tools[0].strict',
    ],
    [
      { model, input: 'hi', tools: [{ type: 'function', function: { name: 'f' } }] },
      'missing_required_parameter',
      'tools[0].name',
    ],
  ])('refuses %j', async (body, code, param) => {
    const response = await fetch(`${emulator.url}/responses`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-any' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code, param, type: 'invalid_request_error' } });
  });
});
