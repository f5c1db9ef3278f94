import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { CallForm } from '../../features/forms/form-store.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { phrasesFor } from '../languages/phrases.ts';
import { closed, said, settle, stageEachTest, start, storeAway } from '../testing/stage.ts';
import { type AgentTool, defineTool } from '../tools/agent-tool.ts';

stageEachTest();

const { optOutQuestion, optedOut } = phrasesFor('en');

describe('tools', () => {
  it('ends the call after the goodbye in the same answer', async () => {
    const { channel, reasons } = await start({
      script: [{ turn: ['Goodbye then.', { tool: 'end_call', input: { reason: 'settled' } }] }],
    });
    channel.hear(said('Bye'));
    await settle();
    expect(channel.utterances.at(-1)).toBe('Goodbye then.');
    expect(channel.did).toEqual(['end']);
    expect(reasons).toEqual([]);
  });

  it('says goodbye itself when the model only hangs up', async () => {
    const { channel } = await start({
      script: [{ turn: [{ tool: 'end_call', input: { reason: 'settled' } }] }],
    });
    channel.hear(said('Bye'));
    await settle();
    expect(channel.utterances.at(-1)).toBe('Thank you for your time. Goodbye.');
    expect(channel.did).toEqual(['end']);
  });

  it('has the callee asked about an opt-out the model understood, and acts on a yes', async () => {
    const { channel, reasons, optOuts } = await start({
      script: [{ turn: [{ tool: 'note_opt_out', input: {} }] }],
    });
    channel.hear(said('I would rather you people left me in peace for good'));
    await settle();
    expect(optOuts).toEqual([]);
    expect(channel.utterances.at(-1)).toBe(optOutQuestion);
    channel.hear({ type: 'played', text: optOutQuestion }, said('Yes, please.'));
    await settle();
    expect(optOuts).toEqual([
      {
        organizationId: 'org_1',
        mode: 'test',
        phoneNumber: '+12025550123',
        source: 'callee',
        callId: 'call_1',
      },
    ]);
    expect(reasons).toEqual(['opted_out']);
    expect(channel.utterances.at(-1)).toBe(optedOut);
    expect(channel.did).toEqual(['end']);
  });

  it('goes on when they say no, whatever the model makes of it', async () => {
    const { channel, model, optOuts } = await start({
      script: [
        { turn: [{ tool: 'note_opt_out', input: {} }] },
        { turn: [{ tool: 'note_opt_out', input: {} }] },
        { turn: ['Gladly. Does Monday suit you?'] },
      ],
    });
    channel.hear(said('Leave me in peace today'));
    await settle();
    channel.hear({ type: 'played', text: optOutQuestion }, said('No, just today.'));
    await settle();
    expect(optOuts).toEqual([]);
    expect(model.turns[2]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: expect.stringContaining('did not say yes'),
    });
    expect(channel.utterances.at(-1)).toBe('Gladly. Does Monday suit you?');
    expect(channel.did).toEqual([]);
  });

  it('blocks nobody who hangs up without having confirmed it', async () => {
    const { channel, optOuts, reasons } = await start({
      script: [{ turn: [{ tool: 'note_opt_out', input: {} }] }],
    });
    channel.hear(said('I have had enough of this'));
    await settle();
    channel.hear(closed);
    await settle();
    expect(optOuts).toEqual([]);
    expect(reasons).toEqual([]);
  });

  it('tells the model in words what was wrong with a tool call', async () => {
    const { channel, model } = await start({
      script: [
        {
          turn: [
            { tool: 'transfer', input: { to: '+12025550199' } },
            { tool: 'end_call', rawInput: '{' },
          ],
        },
        { turn: [{ tool: 'end_call', input: { to: 'me' } }] },
        { turn: ['I cannot do that.'] },
      ],
    });
    channel.hear(said('Transfer me'));
    await settle();
    expect(channel.utterances.at(-1)).toBe('I cannot do that.');
    expect(model.turns[1]?.messages.slice(-3)).toEqual([
      { role: 'assistant', content: '', toolCalls: [expect.anything(), expect.anything()] },
      { role: 'tool', toolCallId: 'tool_1', content: expect.stringContaining('no such tool') },
      { role: 'tool', toolCallId: 'tool_2', content: expect.stringContaining('not JSON') },
    ]);
    expect(model.turns[2]?.messages.at(-1)?.content).toContain('reason');
  });

  it('does not go round for ever with tools that cannot be used', async () => {
    const { channel, reasons } = await start({
      script: Array.from({ length: 6 }, () => ({ turn: [{ tool: 'transfer', input: {} }] })),
    });
    channel.hear(said('Transfer me'));
    await settle();
    expect(reasons).toEqual(['agent_unavailable, failed']);
    expect(channel.did).toEqual(['end']);
  });
});

describe('tools of the server', () => {
  const findOrder = (handler: AgentTool['handler']) =>
    defineTool({
      name: 'find_order',
      description: 'Tells where an order is.',
      input: z.object({ number: z.string() }),
      handler,
    });
  const use = { tool: 'find_order', input: { number: '7' } };

  it('are offered only where the workflow names them', async () => {
    const { channel, model } = await start({
      tools: [findOrder(() => 'sent')],
      script: [{ turn: [use] }, { turn: ['I cannot look that up.'] }],
    });
    channel.hear(said('Where is my order? Use find_order.'));
    await settle();
    expect(model.turns[0]?.tools.map(({ name }) => name)).not.toContain('find_order');
    expect(model.turns[1]?.messages.at(-1)?.content).toMatch(/no such tool/);
  });

  it('are used in the turn, and their results known in the turns after it', async () => {
    const { channel, model, toolResults } = await start({
      tools: [findOrder(() => ({ state: 'sent' }))],
      definition: { tools: ['find_order'] },
      script: [{ turn: [use] }, { turn: ['It was sent.'] }, { turn: ['You are welcome.'] }],
    });
    channel.hear(said('Where is my order?'));
    await settle();
    expect(model.turns[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: '{"state":"sent"}' });
    expect(channel.utterances.at(-1)).toBe('It was sent.');
    expect(toolResults).toEqual(['ok {"state":"sent"}']);
    channel.hear(said('Thanks'));
    await settle();
    expect(model.turns[2]?.instructions).toContain('- find_order {"number":"7"}: {"state":"sent"}');
  });

  it('keep the callee company while they take long', async () => {
    const { channel } = await start({
      tools: [findOrder(() => new Promise((resolve) => setTimeout(resolve, 5000, 'sent')))],
      definition: { tools: ['find_order'] },
      script: [{ turn: ['Let me ', 'see.', use] }, { turn: ['It was sent.'] }],
    });
    channel.hear(said('Where is my order?'));
    await vi.advanceTimersByTimeAsync(2100);
    expect(channel.utterances.at(-1)).toBe('Let me see. One moment, please. ');
    await vi.advanceTimersByTimeAsync(3000);
    expect(channel.utterances.at(-1)).toBe('Let me see. One moment, please. It was sent.');
  });

  it('let the model be slow afterwards, with one filler for the whole wait', async () => {
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, 'sent'));
    const { channel } = await start({
      tools: [findOrder(() => pause(2500))],
      definition: { tools: ['find_order'] },
      script: [{ turn: [use] }, { turn: [{ waitMs: 11_000 }, 'It was sent.'] }],
    });
    channel.hear(said('Where is my order?'));
    await vi.advanceTimersByTimeAsync(14_000);
    expect(channel.utterances.at(-1)).toBe('One moment, please. It was sent.');
  });

  it('finish their work when the callee speaks or leaves meanwhile', async () => {
    const { channel, model, toolResults } = await start({
      tools: [findOrder(() => new Promise((resolve) => setTimeout(resolve, 5000, 'sent')))],
      definition: { tools: ['find_order'] },
      script: [{ turn: [use] }, { turn: ['Still looking.'] }],
    });
    channel.hear(said('Where is my order?'));
    await settle();
    channel.hear(said('Hello?'));
    await settle();
    expect(model.turns[1]?.instructions).toContain('- find_order {"number":"7"}: at work');
    channel.hear(closed);
    await vi.advanceTimersByTimeAsync(5000);
    expect(toolResults).toEqual(['ok "sent"']);
  });
});

describe('forms', () => {
  const form: CallForm = {
    id: 'form_1',
    title: 'Visit',
    fields: [{ name: 'Day', type: 'text', required: true }],
    answers: [],
  };

  it('are filled in by a tool, and shown to the model as they stand', async () => {
    const fill = {
      tool: 'fill_form',
      input: { fields: { day_1: 'Monday' }, quote: 'Monday', confirmed: [] },
    };
    const { channel, model, answers } = await start({
      forms: [form],
      definition: { forms: [form.id] },
      script: [{ turn: [fill, { tool: 'end_call', input: { reason: 'done' } }] }],
    });
    channel.hear(said('Monday, bye'));
    await settle();
    expect(model.turns[0]?.instructions).toContain('- Missing: day_1 (Day, text, required.)');
    expect(answers).toEqual([
      { formId: 'form_1', field: 'Day', value: 'Monday', confirmed: true, quote: 'Monday' },
    ]);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(channel.did).toEqual(['end']);
  });

  it.each([
    ['Monday', 'agent_unavailable'],
    [null, 'agent_unavailable, failed'],
  ])('that hold %s when the model fails end the call with %s', async (day, reason) => {
    const fill = { tool: 'fill_form', input: { fields: { day_1: day }, quote: 'Monday', confirmed: [] } };
    const rejected = { error: new CallkiteError('provider_rejected', 'no') };
    const { channel, reasons } = await start({
      forms: [form],
      definition: { forms: [form.id] },
      script: [{ turn: [fill] }, { turn: [rejected] }],
    });
    channel.hear(said('Monday'));
    await settle();
    expect(channel.utterances.at(-1)).toMatch(/technical problem/);
    expect(reasons).toEqual([reason]);
  });
});

describe('opt-out', () => {
  it('is heard without the model', async () => {
    const { channel, reasons, optOuts, lines } = await start();
    channel.hear(said('Please stop calling me.'));
    await settle();
    expect(optOuts).toHaveLength(1);
    expect(reasons).toEqual(['opted_out']);
    expect(channel.sent.at(-1)).toEqual({
      text: optedOut,
      last: true,
      interruptible: false,
    });
    expect(channel.did).toEqual(['end']);
    expect(lines().at(-1)).toBe('user: Please stop calling me.');
  });

  it.each([
    ['a no', [said('No, only off the waiting list.')]],
    ['an unclear answer', [said('What do you mean by that?')]],
  ])('is asked about where it may be meant otherwise: %s blocks nobody', async (_, answer) => {
    const { channel, optOuts } = await start({ script: [{ turn: ['All right. Does Monday suit you?'] }] });
    channel.hear(said('Please take me off the waiting list.'));
    await settle();
    expect(channel.utterances.at(-1)).toBe(optOutQuestion);
    channel.hear({ type: 'played', text: optOutQuestion }, ...answer);
    await settle();
    expect(optOuts).toEqual([]);
    expect(channel.utterances.at(-1)).toBe('All right. Does Monday suit you?');
  });

  it('is asked about once, and silence blocks nobody', async () => {
    const { channel, optOuts, reasons } = await start();
    channel.hear(said('Please take me off the waiting list.'));
    await settle();
    channel.hear({ type: 'played', text: optOutQuestion });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(channel.utterances.filter((words) => words === optOutQuestion)).toHaveLength(1);
    expect(optOuts).toEqual([]);
    expect(reasons).toEqual(['callee_silent']);
  });

  it('is heard on the keypad, and other keys are not it', async () => {
    const { channel, optOuts } = await start();
    channel.hear({ type: 'pressed', digit: '5' });
    await settle();
    expect(optOuts).toEqual([]);
    channel.hear({ type: 'pressed', digit: '9' });
    await settle();
    expect(optOuts).toHaveLength(1);
    expect(channel.did).toEqual(['end']);
  });

  it('stops an answer under way and is noted once', async () => {
    const { channel, model, optOuts } = await start({ script: [{ turn: ['May I ', { hang: true }] }] });
    channel.hear(said('Who is this?'));
    await settle();
    channel.hear(said('Take me off your list!'), said('Stop calling me!'));
    await settle();
    expect(model.turns[0]?.signal.aborted).toBe(true);
    expect(optOuts).toHaveLength(1);
  });

  it('is heard during the goodbye', async () => {
    const { channel, reasons, optOuts } = await start({
      script: [{ turn: ['Goodbye.', { tool: 'end_call', input: { reason: 'settled' } }] }],
    });
    channel.hear(said('Bye'));
    await settle();
    channel.hear(said('And stop calling me'));
    await settle();
    expect(optOuts).toHaveLength(1);
    expect(reasons).toEqual(['opted_out']);
  });

  it('is stored even when the store is away for a moment and the callee is gone', async () => {
    let failures = 2;
    const noted: string[] = [];
    const { channel, conversations } = await start({
      addDoNotCall: async (_call, { phoneNumber }) => {
        if (failures-- > 0) throw storeAway;
        noted.push(phoneNumber);
      },
    });
    channel.hear(said('Stop calling me'), closed);
    await settle();
    expect(conversations.active).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(noted).toEqual(['+12025550123']);
    expect(conversations.active).toBe(0);
  });
});
