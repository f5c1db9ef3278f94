import { describe, expect, it } from 'vitest';
import type { CallInstruction } from '../../calls/carrier-adapter.ts';
import { aloud } from './aloud.ts';

const written = 'Come at **15:30** 😀, or write to jo@example.com.';
const said = 'Come at 3:30 PM, or write to jo at example dot com.';

describe('what a carrier says', () => {
  it.each<[CallInstruction, object]>([
    [{ type: 'say', text: written, language: 'en-US', voice: null }, { text: said }],
    [
      {
        type: 'ask',
        attemptToken: 't',
        legId: 'leg_1',
        text: written,
        question: written,
        expected: [],
        language: 'en-US',
        voice: null,
        round: 1,
      },
      { text: said, question: said },
    ],
    [
      {
        type: 'converse',
        attemptToken: 't',
        mode: 'realtime',
        preamble: written,
        record: false,
        language: 'en-US',
        languages: [],
        voice: null,
        hints: [],
      },
      { preamble: said },
    ],
  ])('is as a person says it: %j', (instruction, changed) => {
    expect(aloud(instruction)).toEqual({ ...instruction, ...changed });
  });

  it('is nothing where there are no words', () => {
    const instruction = { type: 'hang-up' } as const;
    expect(aloud(instruction)).toBe(instruction);
  });
});
