import { silence, speak } from '@callkite/emulated-voice';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../index.ts';
import { openRealtime, type SpeechClient } from '../testing/speech-client.ts';

const said = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const create = (item: object, more: object = {}) => ({ type: 'conversation.item.create', item, ...more });

describe('the conversation of a realtime session', () => {
  let emulator: OpenAiEmulator;
  beforeAll(async () => {
    emulator = await startOpenAiEmulator({ speech: { thinkMs: 0, timesRealTime: 500 } });
  });
  afterAll(() => emulator.close());

  async function answer(client: SpeechClient, response?: object): Promise<string> {
    client.send({ type: 'response.create', response });
    const done = await client.next('response.done');
    expect(done.response.status).toBe('completed');
    return done.response.output[0].content[0].transcript;
  }

  async function refused(client: SpeechClient, event: object): Promise<Record<string, unknown>> {
    client.send({ ...event, event_id: 'faulty' });
    const { error } = await client.next('error');
    expect(error.event_id).toBe('faulty');
    return error;
  }

  it('takes items at its end, at its beginning and between others', async () => {
    const client = await openRealtime(emulator.url);
    const places: unknown[] = [];
    for (const [id, previous_item_id] of [['b'], ['d'], ['a', 'root'], ['c', 'b']]) {
      client.send(create({ ...said(`This is ${id}.`), id }, { previous_item_id }));
      const added = await client.next('conversation.item.added');
      places.push([added.item.id, added.previous_item_id]);
      expect(added.item).toMatchObject({ object: 'realtime.item', status: 'completed', role: 'user' });
      await client.next('conversation.item.done', ({ item }) => item.id === id);
    }
    expect(places).toEqual([
      ['b', null],
      ['d', 'b'],
      ['a', null],
      ['c', 'b'],
    ]);
    expect(await refused(client, create({ ...said('Again.'), id: 'a' }))).toMatchObject({ param: 'item.id' });
    expect(await refused(client, create(said('Where?'), { previous_item_id: 'x' }))).toMatchObject({
      code: 'item_create_invalid_previous_item_id',
    });
    await client.close();
  });

  it.each([
    ['an unknown item type', { type: 'mcp_call' }, 'item.type'],
    ['an unknown role', { type: 'message', role: 'developer', content: [] }, 'item.role'],
    [
      'a picture',
      { type: 'message', role: 'user', content: [{ type: 'input_image' }] },
      'item.content[0].type',
    ],
    [
      'what the assistant said in sound',
      { type: 'message', role: 'assistant', content: [{ type: 'output_audio', transcript: 'Hi' }] },
      'item.content[0].type',
    ],
    [
      'the text type of the beta',
      { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
      'item.content[0].type',
    ],
    [
      'sound that is not base64',
      { type: 'message', role: 'user', content: [{ type: 'input_audio', audio: '!' }] },
      'item.content[0].audio',
    ],
    ['an unknown field', { ...said('Hi'), mood: 'good' }, 'item.mood'],
    [
      'an output without a call',
      { type: 'function_call_output', call_id: 'call_x', output: '{}' },
      'item.call_id',
    ],
    [
      'an output that is no text',
      { type: 'function_call_output', call_id: 'call_x', output: {} },
      'item.output',
    ],
  ])('refuses %s', async (_what, item, param) => {
    const client = await openRealtime(emulator.url);
    expect(await refused(client, create(item))).toMatchObject({ type: 'invalid_request_error', param });
    client.send(create(said('Hello.')));
    await client.next('conversation.item.done');
    await client.close();
  });

  it('understands sound that is given as an item', async () => {
    const client = await openRealtime(emulator.url);
    const { audio } = await speak('The gate is green today.', { voice: 'callee' });
    const part = { type: 'input_audio', audio: Buffer.from(audio).toString('base64') };
    client.send(create({ type: 'message', role: 'user', content: [part] }));
    expect((await client.next('conversation.item.added')).item.content).toEqual([
      { type: 'input_audio', transcript: null },
    ]);
    expect(await answer(client)).toBe('I understand: The gate is green today.');
    await client.close();
  });

  it('retrieves and deletes items, and forgets what was deleted', async () => {
    const client = await openRealtime(emulator.url);
    client.send(create({ ...said('The gate is green today.'), id: 'first' }));
    client.send(create({ ...said('The door is red.'), id: 'second' }));
    client.send({ type: 'conversation.item.retrieve', item_id: 'second' });
    expect((await client.next('conversation.item.retrieved')).item.content[0].text).toBe('The door is red.');
    client.send({ type: 'conversation.item.delete', item_id: 'second' });
    expect((await client.next('conversation.item.deleted')).item_id).toBe('second');
    expect(await answer(client)).toContain('The gate is green');
    expect(await refused(client, { type: 'conversation.item.delete', item_id: 'second' })).toMatchObject({
      code: 'item_delete_invalid_item_id',
      param: 'item_id',
    });
    expect(await refused(client, { type: 'conversation.item.retrieve', item_id: 'second' })).toMatchObject({
      code: 'item_retrieve_invalid_item_id',
    });
    await client.close();
  });

  it('truncates an answer to what was heard of it, and the model forgets the rest', async () => {
    const client = await openRealtime(emulator.url, {
      instructions:
        '## Objective\nAsk about the appointment.\n## Steps\n1. Ask whether Tuesday at nine is fine.',
    });
    const truncate = (audio_end_ms: number, item_id: string) => ({
      type: 'conversation.item.truncate',
      item_id,
      content_index: 0,
      audio_end_ms,
    });
    client.send({
      type: 'response.create',
      response: { instructions: 'Say exactly: "One two three four five six seven eight nine ten."' },
    });
    const { response } = await client.next('response.done');
    const [item] = response.output;
    client.send({ type: 'conversation.item.retrieve', item_id: item.id });
    const whole = (await client.next('conversation.item.retrieved')).item.content[0];
    const audioMs = Buffer.from(whole.audio, 'base64').length / 8;
    expect(await refused(client, truncate(audioMs + 1, item.id))).toMatchObject({
      message: `Audio content of ${audioMs}ms is already shorter than ${audioMs + 1}ms`,
      param: 'audio_end_ms',
    });
    const heardMs = Math.floor(audioMs / 2);
    client.send(truncate(heardMs, item.id));
    expect(await client.next('conversation.item.truncated')).toMatchObject({
      item_id: item.id,
      content_index: 0,
      audio_end_ms: heardMs,
    });
    client.send({ type: 'conversation.item.retrieve', item_id: item.id });
    const [part] = (await client.next('conversation.item.retrieved')).item.content;
    expect(part.transcript).toBeNull();
    expect(Buffer.from(part.audio, 'base64').length / 8).toBe(heardMs);
    expect(await refused(client, truncate(audioMs, item.id))).toMatchObject({ param: 'audio_end_ms' });
    // The last thing said is repeated: only the words heard are left of it.
    client.send(create(said('Can you repeat that?')));
    const repeated = await answer(client);
    expect(repeated).toContain('One two three');
    expect(repeated).not.toContain('ten');
    await client.close();
  });

  it('truncates nothing else', async () => {
    const client = await openRealtime(emulator.url);
    client.send(create({ ...said('Hello.'), id: 'mine' }));
    const truncate = { type: 'conversation.item.truncate', content_index: 0, audio_end_ms: 0 };
    expect(await refused(client, { ...truncate, item_id: 'mine' })).toMatchObject({
      code: 'unsupported_content_type',
    });
    expect(await refused(client, { ...truncate, item_id: 'other' })).toMatchObject({
      code: 'item_truncate_invalid_item_id',
    });
    expect(await refused(client, { ...truncate, item_id: 'mine', content_index: 1 })).toMatchObject({
      param: 'content_index',
    });
    expect(await refused(client, { ...truncate, item_id: 'mine', audio_end_ms: 0.5 })).toMatchObject({
      param: 'audio_end_ms',
    });
    await client.close();
  });

  it('takes sound only as base64 and at most 15 MiB at a time', async () => {
    const client = await openRealtime(emulator.url, {}, { turn_detection: null });
    const append = (audio: unknown) => ({ type: 'input_audio_buffer.append', audio });
    expect(await refused(client, append('not base64!'))).toMatchObject({
      param: 'audio',
      code: 'invalid_value',
    });
    expect(await refused(client, append('AAA'))).toMatchObject({ param: 'audio', code: 'invalid_value' });
    expect(await refused(client, append(undefined))).toMatchObject({ code: 'missing_required_parameter' });
    const tooLong = Buffer.alloc(15 * 1024 * 1024 + 3).toString('base64');
    expect(await refused(client, append(tooLong))).toMatchObject({ code: 'string_above_max_length' });
    client.send(append(Buffer.from(silence(200)).toString('base64')));
    client.send({ type: 'input_audio_buffer.commit' });
    await client.next('input_audio_buffer.committed');
    await client.close();
  });

  it('refuses events it does not know and frames that are no events', async () => {
    const client = await openRealtime(emulator.url);
    expect(await refused(client, { type: 'response.pause' })).toMatchObject({
      param: 'type',
      code: 'invalid_value',
    });
    expect(await refused(client, { type: 'output_audio_buffer.clear' })).toMatchObject({ param: 'type' });
    expect(await refused(client, {})).toMatchObject({ param: 'type' });
    expect(await refused(client, { type: 'input_audio_buffer.clear', all: true })).toMatchObject({
      param: 'all',
      code: 'unknown_parameter',
    });
    client.sendRaw('{"type":');
    expect((await client.next('error')).error).toMatchObject({ code: 'invalid_json', event_id: null });
    client.sendRaw('[]');
    expect((await client.next('error')).error).toMatchObject({ code: 'invalid_json' });
    client.sendRaw(Buffer.from([1, 2, 3]));
    expect((await client.next('error')).error).toMatchObject({ code: 'invalid_json' });
    client.send({ type: 'input_audio_buffer.clear' });
    await client.next('input_audio_buffer.cleared');
    await client.close();
  });
});
