import { describe, expect, it, vi } from 'vitest';
import {
  call,
  closed,
  disclosure,
  ready,
  settle,
  stageEachTest,
  start,
  storeAway,
  TestChannel,
} from '../testing/stage.ts';

stageEachTest();

describe('resuming', () => {
  const earlier = [
    { role: 'assistant', content: disclosure, interrupted: false },
    { role: 'assistant', content: 'Can you come on Monday?', interrupted: false },
  ] as const;

  it('goes on where the line was lost, without a second disclosure', async () => {
    const { channel, model } = await start({ earlier, script: [{ turn: ['So, Monday?'] }] });
    expect(channel.utterances).toEqual(['Sorry, we were cut off.', 'So, Monday?']);
    expect(model.turns[0]?.messages.at(-1)?.content).toMatch(/^\(The line was cut/);
  });

  it('answers words that were left unanswered', async () => {
    const { model } = await start({
      earlier: [...earlier, { role: 'user', content: 'Yes', interrupted: false }],
      script: [{ turn: ['Great.'] }],
    });
    expect(model.turns[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'Yes' });
  });

  it('opens the call when nothing but the disclosure was heard', async () => {
    const { channel } = await start({ earlier: earlier.slice(0, 1) });
    expect(channel.utterances).toEqual(['Can you come on Monday?']);
  });

  it('discloses again when the disclosure was not heard to its end', async () => {
    const { channel } = await start({
      earlier: [{ role: 'assistant', content: 'Hello, I am', interrupted: true }],
    });
    expect(channel.utterances[0]).toBe(disclosure);
  });

  it.each([
    ['was about to end', { reason: 'opted_out' as const }],
    ['was canceled', { cancelRequested: true }],
    ['is over', { state: 'completed' as const }],
  ])('ends a call that %s', async (_name, change) => {
    const { channel } = await start({ earlier, call: change });
    expect(channel.sent).toEqual([]);
    expect(channel.did).toEqual(['end']);
  });

  it('takes over from a channel that is still there, after everything said on it', async () => {
    const { conversations, channel, lines } = await start({ script: [{ turn: ['So, Monday?'] }] });
    const [first = '', opening = ''] = channel.utterances;
    channel.hear({ type: 'played', text: first }, { type: 'played', text: opening });
    const second = new TestChannel();
    conversations.begin(call.id, { kind: 'words', channel: second }, null);
    second.hear(ready);
    await settle();
    expect(channel.did).toEqual(['close']);
    expect(lines()).toEqual([`assistant: ${first}`, `assistant: ${opening}`]);
    expect(second.utterances).toEqual(['Sorry, we were cut off.', 'So, Monday?']);
    expect(conversations.active).toBe(1);
    second.hear(closed);
    await settle();
  });

  it('gives the call back to the carrier when it cannot be loaded', async () => {
    const { channel, conversations } = await start({
      storage: {
        load: async () => {
          throw storeAway;
        },
      },
    });
    await vi.advanceTimersByTimeAsync(15_000);
    expect(channel.did).toEqual(['close']);
    expect(conversations.active).toBe(0);
  });
});

describe('drain', () => {
  it('waits for conversations to end', async () => {
    const { conversations, channel } = await start();
    let isDrained = false;
    void conversations.drain(60_000).then(() => {
      isDrained = true;
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(isDrained).toBe(false);
    channel.hear(closed);
    await settle();
    expect(isDrained).toBe(true);
    expect(channel.did).toEqual([]);
  });

  it('drops what is left, with what was heard stored', async () => {
    const { conversations, channel, lines } = await start();
    channel.hear({ type: 'played', text: disclosure });
    const drained = conversations.drain(5000);
    await vi.advanceTimersByTimeAsync(5100);
    await drained;
    expect(channel.did).toEqual(['close']);
    expect(conversations.active).toBe(0);
    expect(lines()).toEqual([`assistant: ${disclosure}`]);
  });
});
