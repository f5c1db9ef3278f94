import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../index.ts';
import { openRealtime, type SpeechClient, spokenWords } from '../testing/speech-client.ts';

const said = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const create = (item: object) => ({ type: 'conversation.item.create', item });
const tool = {
  type: 'function',
  name: 'find_weather',
  description: 'Finds the weather.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};
const brief = `You are Maya, calling on behalf of Harbor Dental.
## Objective
Confirm the appointment.
## Opening
Hello, this is Maya from Harbor Dental.
## Steps
1. Ask whether Tuesday at nine is fine.`;

describe('realtime responses', () => {
  let emulator: OpenAiEmulator;
  let slow: OpenAiEmulator;
  beforeAll(async () => {
    emulator = await startOpenAiEmulator({ speech: { thinkMs: 0, timesRealTime: 500 } });
    slow = await startOpenAiEmulator({ speech: { thinkMs: 0, timesRealTime: 0.2 } });
  });
  afterAll(async () => {
    await emulator.close();
    await slow.close();
  });

  async function respond(client: SpeechClient, response?: object) {
    client.send({ type: 'response.create', response });
    return (await client.next('response.done')).response;
  }

  it('open the call as the brief says when nobody has spoken', async () => {
    const client = await openRealtime(emulator.url, { instructions: brief });
    await respond(client);
    expect(spokenWords(client)).toContain('Hello, this is Maya from Harbor Dental.');
    await client.close();
  });

  it('say word for word what their instructions quote', async () => {
    const client = await openRealtime(emulator.url, { instructions: brief, tools: [tool] });
    const words = 'This call is recorded. Say "stop" to end it.';
    await respond(client, {
      instructions: `Say exactly the following and nothing else: "${words}"`,
      tool_choice: 'none',
    });
    expect(spokenWords(client)).toBe(words);
    const { transcript } = await client.next('response.output_audio_transcript.done');
    expect(transcript).toBe(words);
    await client.close();
  });

  it('come one at a time in the conversation, and any number beside it', async () => {
    const client = await openRealtime(slow.url);
    client.send({ type: 'response.create' });
    const { response } = await client.next('response.created');
    client.send({ type: 'response.create', event_id: 'second' });
    expect((await client.next('error')).error).toMatchObject({
      code: 'conversation_already_has_active_response',
      message: expect.stringContaining(response.id),
      event_id: 'second',
    });
    client.send({
      type: 'response.create',
      response: { conversation: 'none', metadata: { topic: 'aside' } },
    });
    const aside = await client.next('response.created');
    expect(aside.response).toMatchObject({ conversation_id: null, metadata: { topic: 'aside' } });
    client.send({ type: 'response.cancel', response_id: aside.response.id });
    const done = await client.next('response.done');
    expect(done.response).toMatchObject({
      id: aside.response.id,
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'client_cancelled' },
    });
    client.send({ type: 'response.cancel' });
    expect((await client.next('response.done')).response.id).toBe(response.id);
    client.send({ type: 'response.cancel', event_id: 'late' });
    expect((await client.next('error')).error).toMatchObject({
      code: 'response_cancel_not_active',
      event_id: 'late',
    });
    await client.close();
  });

  it('are closed event by event when they are cancelled', async () => {
    const client = await openRealtime(slow.url);
    client.send({ type: 'response.create' });
    await client.next('response.output_audio.delta');
    client.send({ type: 'response.cancel' });
    const { response } = await client.next('response.done');
    expect(response.output[0].status).toBe('incomplete');
    await client.next('rate_limits.updated');
    const types = client.events.map(({ type }) => type);
    expect(types.slice(types.lastIndexOf('response.output_audio.delta') + 1)).toEqual([
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'response.output_item.done',
      'conversation.item.done',
      'response.done',
      'rate_limits.updated',
    ]);
    await client.close();
  });

  it('write instead of speaking when told so', async () => {
    const client = await openRealtime(emulator.url, { output_modalities: ['text'] });
    client.send(create(said('The gate is green today.')));
    const response = await respond(client);
    expect(response.output[0].content).toEqual([
      { type: 'output_text', text: 'I understand: The gate is green today.' },
    ]);
    const deltas = client.events.filter(({ type }) => type === 'response.output_text.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe('I understand: The gate is green today.');
    expect(client.events.some(({ type }) => type.includes('output_audio'))).toBe(false);
    await client.close();
  });

  it('call functions and use what they return', async () => {
    const client = await openRealtime(emulator.url, { tools: [tool], tool_choice: 'required' });
    client.send(create(said('What is the weather in Boston?')));
    const response = await respond(client);
    const call = response.output[0];
    await client.next('rate_limits.updated');
    expect(call).toMatchObject({ type: 'function_call', name: 'find_weather', status: 'completed' });
    expect(JSON.parse(call.arguments)).toEqual({ city: expect.any(String) });
    const types = client.events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    expect(types.slice(types.indexOf('response.created'))).toEqual([
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'conversation.item.done',
      'response.done',
      'rate_limits.updated',
    ]);
    const done = await client.next('response.function_call_arguments.done');
    expect(done).toMatchObject({ call_id: call.call_id, name: 'find_weather', arguments: call.arguments });
    client.send(create({ type: 'function_call_output', call_id: call.call_id, output: '{"sky":"clear"}' }));
    const spoken = await respond(client, { tool_choice: 'none' });
    expect(spoken.output[0].content[0].transcript).toContain('clear');
    await client.close();
  });

  it('keep to what is given for one of them', async () => {
    const client = await openRealtime(emulator.url, { instructions: brief, tools: [tool] });
    client.send(create({ ...said('The gate is green today.'), id: 'gate' }));
    const response = await respond(client, {
      conversation: 'none',
      instructions: 'You are a helper.',
      output_modalities: ['text'],
      input: [{ type: 'item_reference', id: 'gate' }],
      tools: [],
      max_output_tokens: 3,
      metadata: { a: 'b' },
    });
    expect(response).toMatchObject({
      status: 'incomplete',
      status_details: { type: 'incomplete', reason: 'max_output_tokens' },
      output_modalities: ['text'],
      max_output_tokens: 3,
      metadata: { a: 'b' },
      output: [{ content: [{ type: 'output_text', text: 'I understand: The' }] }],
    });
    // Nothing of it is in the conversation.
    expect(client.events.filter(({ type }) => type === 'conversation.item.added')).toHaveLength(1);
    const cleared = await respond(client, { input: [], output_modalities: ['text'], instructions: '' });
    expect(cleared.output[0].content[0].text).toBe('How can I help you?');
    await client.close();
  });

  it.each([
    ['an unknown field', { voice: 'marin' }, 'response.voice'],
    ['an unknown conversation', { conversation: 'other' }, 'response.conversation'],
    ['an unknown item', { input: [{ type: 'item_reference', id: 'x' }] }, 'item_id'],
    [
      'an output without a call',
      { input: [{ type: 'function_call_output', call_id: 'x', output: '' }] },
      'item.call_id',
    ],
    ['a choice without tools', { tool_choice: 'required' }, 'tool_choice'],
    ['too many tokens', { max_output_tokens: 10_000 }, 'response.max_output_tokens'],
    ['two modalities', { output_modalities: ['text', 'audio'] }, 'response.output_modalities'],
    [
      'another format',
      { audio: { output: { format: { type: 'audio/pcma' } } } },
      'response.audio.output.format',
    ],
    ['a temperature', { temperature: 0.8 }, 'response.temperature'],
  ])('are refused for %s', async (_what, response, param) => {
    const client = await openRealtime(emulator.url);
    client.send({ type: 'response.create', response, event_id: 'faulty' });
    expect((await client.next('error')).error).toMatchObject({ param, event_id: 'faulty' });
    expect((await respond(client)).status).toBe('completed');
    await client.close();
  });

  it('take scripted replies in place of the model, but not of quoted words', async () => {
    const scripted = await startOpenAiEmulator({
      speech: { thinkMs: 0, timesRealTime: 500 },
      script: [{ text: 'First.', toolCalls: [{ name: 'find_weather', arguments: { city: 'Bath' } }] }],
    });
    const client = await openRealtime(scripted.url, { tools: [tool] });
    await respond(client, { instructions: 'Say exactly: "Before anything else."' });
    const response = await respond(client);
    expect(response.output).toMatchObject([
      { type: 'message', content: [{ transcript: 'First.' }] },
      { type: 'function_call', arguments: '{"city":"Bath"}' },
    ]);
    client.send({ type: 'response.create', event_id: 'beyond' });
    expect((await client.next('error')).error).toMatchObject({
      code: 'script_exhausted',
      event_id: 'beyond',
    });
    await client.close();
    await expect(scripted.close()).rejects.toThrow('1 requests came after its end');
  });
});
