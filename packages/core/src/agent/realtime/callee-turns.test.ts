import { describe, expect, it } from 'vitest';
import { calleeTurns } from './callee-turns.ts';
import { transcriptSequencer } from './transcript-sequencer.ts';

function begin() {
  const entries: string[] = [];
  const order = transcriptSequencer({ add: ({ role, content }) => entries.push(`${role}: ${content}`) });
  return { entries, order, turns: calleeTurns(order, 2) };
}

describe("the callee's turns", () => {
  it('stand where they were spoken, however late their words are known', () => {
    const { entries, order, turns } = begin();
    turns.begin('t1');
    const answer = order.next();
    turns.begin('t2');
    answer.fill({ role: 'assistant', content: 'Fine.', interrupted: false });
    turns.said('t2', 'And you?');
    expect(entries).toEqual([]);
    turns.said('t1', 'How are you?');
    expect(entries).toEqual(['user: How are you?', 'assistant: Fine.', 'user: And you?']);
    expect(turns.count).toBe(4);
  });

  it('come to nothing when they were not understood', () => {
    const { entries, turns } = begin();
    turns.begin('t1');
    turns.said('t1', '');
    turns.said('t1', 'too late');
    turns.begin('t1');
    expect(entries).toEqual([]);
    expect([turns.isSpeaking, turns.count]).toEqual([false, 3]);
  });

  it('are waited for, but not for ever', async () => {
    const { entries, turns } = begin();
    turns.begin('t1');
    await turns.known(5);
    expect(turns.isSpeaking).toBe(true);
    const known = turns.known(60_000);
    turns.add('(pressed 1)');
    turns.giveUp();
    await known;
    turns.said('t1', 'too late');
    expect(entries).toEqual(['user: (pressed 1)']);
  });
});
