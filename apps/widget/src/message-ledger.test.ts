import { expect, it } from 'vitest';
import { MessageLedger } from './message-ledger.ts';

it('numbers messages from 1 and sends again what did not arrive', () => {
  const ledger = new MessageLedger();
  for (const text of ['one', 'two', 'three']) ledger.add({ type: 'text', text });
  expect(ledger.begin(0, 2)).toEqual([{ type: 'text', id: 3, text: 'three' }]);
  expect(ledger.add({ type: 'end' })).toEqual({ type: 'end', id: 4 });
  expect(ledger.begin(0, 4)).toEqual([]);
});

it('takes every event once, and counts sound', () => {
  const ledger = new MessageLedger();
  expect(ledger.receive(1)).toBe(true);
  ledger.countFrame();
  ledger.countFrame();
  expect(ledger.position).toBe(3);
  expect(ledger.receive(3)).toBe(false);
  expect(ledger.receive(4)).toBe(true);
  expect(ledger.position).toBe(4);
});

it('goes on from what another page saved', () => {
  const first = new MessageLedger();
  first.receive(7);
  first.add({ type: 'text', text: 'lost on the way' });
  const second = new MessageLedger(JSON.parse(JSON.stringify(first.save())));
  expect(second.position).toBe(7);
  expect(second.add({ type: 'text', text: 'next' }).id).toBe(2);
  expect(second.begin(7, 0).map(({ id }) => id)).toEqual([1, 2]);
});

it('follows the server when it goes on from elsewhere', () => {
  const ledger = new MessageLedger();
  ledger.receive(9);
  ledger.begin(5, 0);
  expect(ledger.receive(6)).toBe(true);
});

it('does not send again what was answered, to a server that knows nothing of it', () => {
  const ledger = new MessageLedger();
  const line = (id: string, role: 'assistant' | 'user', messageId: number | null = null) =>
    ledger.follow({ id, role, message_id: messageId });
  line('1', 'assistant');
  for (const text of ['answered', 'shown', 'on its way']) ledger.add({ type: 'text', text });
  line('2', 'user', 1);
  // The end of what was said before is no answer.
  line('1', 'assistant');
  expect(ledger.begin(0, 0).map(({ id }) => id)).toEqual([1, 2, 3]);
  line('3', 'assistant');
  line('4', 'user', 2);
  expect(ledger.begin(0, 0).map(({ id }) => id)).toEqual([2, 3]);
});
