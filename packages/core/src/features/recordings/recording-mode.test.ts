import { describe, expect, it } from 'vitest';
import { recordingModeOf } from './recording-mode.ts';

const washington = '+12025550183';
const california = '+14155550100';
const paris = '+33142685300';
const modeOf = (mode: 'off' | 'announce' | 'ask', from: string, to: string) =>
  recordingModeOf({ recording: { mode, retentionDays: 30 } }, { from, to });

describe('an announced recording', () => {
  it.each([
    ['of a callee', washington, california],
    ['of ours', california, washington],
  ])('needs a yes where everybody has to agree: the number %s', (_whose, from, to) => {
    expect(modeOf('announce', from, to)).toBe('ask');
  });

  it.each([
    ['one party is enough', washington],
    ['the state is another country’s', paris],
    ['digits further on are like an area code', '+12024150100'],
    ['there is no number', 'browser'],
  ])('stays one where %s', (_where, to) => {
    expect(modeOf('announce', washington, to)).toBe('announce');
  });
});

it('a recording that asks, or none, is left as it is', () => {
  expect(modeOf('ask', california, california)).toBe('ask');
  expect(modeOf('off', california, california)).toBe('off');
});
