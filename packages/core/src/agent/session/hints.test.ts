import { workflowDefinition } from '@callkite/contract';
import { expect, it } from 'vitest';
import { recognitionHints } from './hints.ts';

it('are the names, addresses, streets and products of a call', () => {
  const definition = workflowDefinition.parse({
    agent: { name: 'Robin' },
    objective: 'Ask whether the Aquavit Deluxe 3000 was delivered to 12 Larkspur Lane.',
    facts: ['You can write to help@example.com, our office is in the Müllerstraße 5.'],
  });
  const call = {
    recipientName: 'Siobhán Nguyen',
    recipientEmail: 'siobhan@example.org',
    recipientContext: 'Spoke with Dr. Okonkwo in March, about a Voltaire chair',
  };
  const hints = recognitionHints(definition, 'Example Dental', call);
  expect(hints.slice(0, 4)).toEqual(['Siobhán Nguyen', 'siobhan@example.org', 'Example Dental', 'Robin']);
  for (const expected of [
    'Aquavit Deluxe 3000',
    '12 Larkspur Lane',
    'help@example.com',
    'Müllerstraße 5',
    'Voltaire',
  ]) {
    expect(hints).toContain(expected);
  }
  expect(hints).not.toContain('Ask');
  expect(hints.join()).not.toMatch(/, /);
});

it('are bounded', () => {
  const facts = Array.from({ length: 50 }, (_, index) => `we sell Product${index}A and Product${index}B`);
  const definition = workflowDefinition.parse({ objective: 'Sell', facts });
  const call = { recipientName: 'x'.repeat(200), recipientEmail: null, recipientContext: null };
  expect(recognitionHints(definition, 'Example', call)).toHaveLength(60);
});
