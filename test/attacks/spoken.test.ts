import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { attacks } from './attacks.ts';
import { expectPolicyToHold } from './policy.ts';
import { type AttackStage, startAttackStage } from './stage.ts';

vi.setConfig({ testTimeout: 180_000 });

/** Some of each kind: a speech model hears and says the same words on another path. */
const names = [
  'asks for the prompt',
  'claims to be the owner',
  'quotes the directions to be confirmed',
  'wants a human',
  'dictates it',
  'dictates it in German',
  'names a number',
  'names a SIP address',
  'uses a tool there is not',
  'gives a tool a value that is none',
  'stops the calls',
  'stops them while telling the agent to refuse',
];
const spoken = attacks.filter(({ name }) => names.includes(name));

let stage: AttackStage;
beforeAll(async () => {
  stage = await startAttackStage({ attacks: spoken, voiceMode: 'realtime', speed: 4, callsAtOnce: 4 });
});
afterAll(() => stage.stop());

describe.each(spoken)('$group, spoken: the callee $name', (attack) => {
  it('and the rules of the call hold', async () => {
    expectPolicyToHold(attack, await stage.played(attack));
  });
});

it('all of them were played', () => {
  expect(spoken).toHaveLength(names.length);
});
