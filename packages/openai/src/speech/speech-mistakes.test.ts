import type { SpeechModel } from '@callkite/core';
import { assertCaught, speechModelContract, testsOf } from '@callkite/core/testing';
import { describe, expect, it } from 'vitest';
import { speechMistakes } from '../testing/speech-mistakes.ts';
import { speechModelFixture } from '../testing/speech-model-fixture.ts';
import { openAiRealtime } from './realtime.ts';

const contractWith = (breakIt: (good: SpeechModel) => SpeechModel) =>
  testsOf((register) =>
    speechModelContract({
      it: register,
      createFixture: () =>
        speechModelFixture((options) => breakIt(openAiRealtime(options)), { canBeCut: true }),
      // What a broken adapter leaves out is waited for in vain.
      patienceMs: 3_000,
    }),
  );

describe('the contract of speech models notices an adapter that', () => {
  it.concurrent.each(speechMistakes)('%s', async (_, caughtBy, breakIt) => {
    await assertCaught(contractWith(breakIt), caughtBy);
  });

  it('has no test that no mistake fails', () => {
    const caught = new Set(speechMistakes.map(([, caughtBy]) => caughtBy));
    const tests = [...contractWith((model) => model).keys()];
    expect(tests.filter((name) => !caught.has(name))).toEqual([]);
    expect(new Set(speechMistakes.map(([what]) => what)).size).toBe(speechMistakes.length);
  });
});
