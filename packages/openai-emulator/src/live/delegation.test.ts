import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../index.ts';
import { append, openLive, refused, words } from '../testing/live-client.ts';
import type { SpeechClient } from '../testing/speech-client.ts';

const brief = `You are Maya, calling on behalf of Harbor Dental.
## Objective
Confirm the appointment.
## Opening
Hello, this is Maya from Harbor Dental.
## Steps
1. Ask whether Tuesday at nine is fine.
2. Use find_parking to look up where to park.`;
const parameters = {
  type: 'object',
  properties: { query: { type: 'string' } },
  required: ['query'],
  additionalProperties: false,
};
const tools = ['find_parking', 'end_call', 'do_not_call'].map((name) => ({
  type: 'function',
  name,
  parameters,
  strict: true,
}));
const responses = { model: 'gpt-6-luna', instructions: brief, tools, reasoning: { effort: 'none' } };

describe('work that a live model delegates to the application', () => {
  let emulator: OpenAiEmulator;
  beforeAll(async () => {
    emulator = await startOpenAiEmulator({ speech: { thinkMs: 0, liveTimesRealTime: 500 } });
  });
  afterAll(() => emulator.close());
  const open = (session: object = {}) => openLive(emulator.url, session);

  it('delegates what it cannot do itself, and says what it is given', async () => {
    const client = await open({
      instructions: brief,
      delegation: { type: 'client', acknowledgement_delay_ms: 60_000 },
    });
    client.send(append('instructions', 'Begin.'));
    await client.next('session.usage.updated');
    await client.say('How much does the parking cost?');
    const { delegation, offset_ms } = await client.next('session.delegation.created');
    expect(delegation).toEqual({ id: expect.any(String), type: 'delegation', target: 'client' });
    expect(offset_ms).toBeGreaterThan(1000);
    expect(await refused(client, append('commentary', 'Free.', 'dlg_other'))).toMatchObject({
      code: 'delegation_not_found',
      param: 'delegation_id',
    });
    const thinking = { type: 'session.thinking.append', content: 'Looking it up.' };
    expect(await refused(client, thinking)).toMatchObject({
      param: 'delegation_id',
      code: 'missing_required_parameter',
    });
    client.send({ ...thinking, delegation_id: delegation.id });
    await client.next('session.thinking.appended');
    client.send(append('commentary', 'Parking is free of charge.', delegation.id));
    await client.next('session.commentary.appended');
    await client.next('session.usage.updated');
    expect(words(client)).toMatch(/Parking is free of charge\.$/);
    expect(words(client)).not.toContain('Looking');
    await client.close();
  });

  it('acknowledges delegated work when nothing else is said', async () => {
    const client = await open({ instructions: brief });
    client.send(append('instructions', 'Begin.'));
    await client.next('session.usage.updated');
    await client.say('How much does the parking cost?');
    await client.next('session.delegation.created');
    await client.next('session.usage.updated');
    expect(words(client)).toMatch(/One moment, please\.$/);
    await client.close();
  });

  it('needs a backend for its responses', async () => {
    const client = await open();
    expect(await refused(client, { type: 'response.create' })).toMatchObject({
      code: 'invalid_delegation',
    });
    const item = { type: 'function_call_output', call_id: 'x', output: '{}' };
    expect(await refused(client, { type: 'response.item.create', item })).toMatchObject({
      code: 'invalid_delegation',
    });
    await client.close();
  });
});

describe('work that a live model delegates to the Responses API', () => {
  let emulator: OpenAiEmulator;
  beforeAll(async () => {
    emulator = await startOpenAiEmulator({ speech: { thinkMs: 0, liveTimesRealTime: 500 } });
  });
  afterAll(() => emulator.close());

  const open = (change: object = {}) =>
    openLive(emulator.url, {
      instructions: brief,
      delegation: {
        type: 'responses',
        responses: { ...responses, ...change },
        acknowledgement_delay_ms: 60_000,
      },
    });

  /** The events of the backend, a type in a row once. */
  function backendEvents(client: SpeechClient) {
    const events = client.events.filter(({ type }) => type === 'response.event').map(({ event }) => event);
    return events.filter(({ type }, index) => type !== events[index - 1]?.type);
  }

  it('calls its tools, takes their outputs and says what comes of them', async () => {
    const client = await open();
    client.send(append('commentary', 'Speak now. Do not wait for the other person to speak first.'));
    await client.next('session.usage.updated');
    expect(words(client)).toContain('Hello, this is Maya from Harbor Dental.');
    expect(backendEvents(client)).toEqual([]);
    await client.say('Hello.');
    await client.next('session.usage.updated');
    await client.say('Yes, Tuesday at nine is fine.');
    const { delegation } = await client.next('session.delegation.created');
    expect(delegation).toMatchObject({
      type: 'delegation',
      target: 'responses',
      response_id: expect.stringMatching(/^resp_/),
    });
    const last = await client.next('response.event', ({ event }) => event.type === 'response.completed');
    expect(last.delegation_id).toBe(delegation.id);
    expect(last.event.response).toMatchObject({
      id: delegation.response_id,
      status: 'completed',
      output: [],
      tools: [],
      instructions: null,
    });
    expect(backendEvents(client).map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const { event } = await client.next(
      'response.event',
      (each) => each.event.type === 'response.output_item.done',
    );
    expect(event.item).toMatchObject({ type: 'function_call', name: 'find_parking', status: 'completed' });
    const output = (call_id: string) => ({
      type: 'response.item.create',
      item: { type: 'function_call_output', call_id, output: '{"place":"Elm Street"}' },
    });
    expect(await refused(client, { type: 'response.create' })).toMatchObject({ code: 'missing_tool_output' });
    expect(await refused(client, output('call_other'))).toMatchObject({ code: 'invalid_tool_call_id' });
    client.send(output(event.item.call_id));
    client.send({ type: 'response.create' });
    const next = await client.next('response.event');
    expect(next).toMatchObject({ delegation_id: delegation.id, event: { type: 'response.created' } });
    await client.next('response.event', ({ event }) => event.type === 'response.output_text.done');
    await client.next('session.usage.updated');
    expect(words(client)).toContain('Elm Street');
    expect(client.events.filter(({ type }) => type === 'session.delegation.created')).toHaveLength(1);
    expect(await refused(client, output(event.item.call_id))).toMatchObject({ code: 'invalid_tool_call_id' });
    await client.close();
  });

  it('knows lines of the dialogue that were given as thinking', async () => {
    const client = await open();
    client.send(append('thinking', 'assistant: Hello, this is Maya from Harbor Dental.'));
    client.send(append('thinking', 'user: Hello Maya.'));
    client.send(append('commentary', 'Continue.'));
    await client.next('session.usage.updated');
    expect(words(client)).toMatch(/Tuesday at nine/);
    expect(words(client)).not.toContain('Harbor Dental');
    await client.close();
  });

  it.each([
    ['an unknown model', { model: 'gpt-9' }, 'model_not_found', undefined],
    [
      'a tool that is not strict enough',
      { tools: [{ ...tools[0], parameters: { type: 'object' } }] },
      'invalid_function_parameters',
      'session.delegation.responses.tools[0].parameters',
    ],
    ['an unknown field', { temperature: 1 }, 'unknown_parameter', 'session.delegation.responses.temperature'],
    [
      'an unknown effort',
      { reasoning: { effort: 'huge' } },
      'invalid_value',
      'session.delegation.responses.reasoning.effort',
    ],
  ])('is not set up with %s', async (_what, change, code, param) => {
    const client = await openLive(emulator.url);
    const delegation = { type: 'responses', responses: { ...responses, ...change } };
    const other = await openLive(emulator.url, { delegation: { type: 'responses', responses } });
    expect(await refused(other, { type: 'session.update', session: { delegation } })).toMatchObject({
      code,
      ...(param && { param }),
    });
    expect(
      await refused(client, {
        type: 'session.update',
        session: { delegation: { type: 'responses', responses } },
      }),
    ).toMatchObject({
      param: 'session.delegation.type',
    });
    await client.close();
    await other.close();
  });

  it('follows instructions and tools that are changed', async () => {
    const client = await open();
    const delegation = {
      type: 'responses',
      responses: { instructions: brief.replace('Hello, this is Maya', 'Good day, Maya here') },
    };
    client.send({ type: 'session.update', session: { delegation } });
    const { session } = await client.next('session.updated');
    expect(session.delegation).toMatchObject({
      type: 'responses',
      responses: { model: 'gpt-6-luna', instructions: expect.stringContaining('Good day') },
    });
    client.send(append('instructions', 'Begin.'));
    await client.next('session.usage.updated');
    expect(words(client)).toContain('Good day, Maya here');
    await client.close();
  });
});
