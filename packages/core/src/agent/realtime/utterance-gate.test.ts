import { describe, expect, it } from 'vitest';
import { utteranceGate } from './utterance-gate.ts';

describe('a model that is told to keep quiet', () => {
  it('is heard before and after', () => {
    const rights = utteranceGate();
    expect(rights.mayBeHeard('a')).toBe(true);
    rights.hush(0);
    expect(rights.mayBeHeard('b')).toBe(false);
    rights.restore();
    expect(rights.mayBeHeard('c')).toBe(true);
  });

  it('is not heard later with what it began meanwhile', () => {
    const rights = utteranceGate();
    rights.hush(0);
    rights.mayBeHeard('a');
    rights.restore();
    expect(rights.isDropped('a')).toBe(true);
  });

  it('is heard with as many lines of ours as it was asked for, each to its end', () => {
    const rights = utteranceGate();
    rights.hush(1);
    expect([rights.mayBeHeard('a'), rights.mayBeHeard('b'), rights.mayBeHeard('a')]).toEqual([
      true,
      false,
      true,
    ]);
    rights.hush(1);
    expect([rights.mayBeHeard('c'), rights.mayBeHeard('a')]).toEqual([true, true]);
  });

  it('is heard with a line that is known to be ours', () => {
    const rights = utteranceGate();
    rights.allow('a');
    rights.hush(0);
    expect(rights.mayBeHeard('a')).toBe(true);
  });
});

it('what is dropped is dropped once', () => {
  const rights = utteranceGate();
  expect([rights.isDropped('a'), rights.drop('a'), rights.drop('a'), rights.isDropped('a')]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
