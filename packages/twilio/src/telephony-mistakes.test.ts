import type { CarrierAdapter } from '@callkite/core';
import {
  assertCaught,
  type CarrierFault,
  type TelephonyFixture,
  telephonyContract,
  testsOf,
} from '@callkite/core/testing';
import { describe, expect, it } from 'vitest';
import { audioChannelMistakes } from './testing/mistakes/audio-channels.ts';
import { accountMistakes, callMistakes, recordingMistakes } from './testing/mistakes/calls.ts';
import type { Break } from './testing/mistakes/mistake.ts';
import { placementMistakes } from './testing/mistakes/placing.ts';
import { speechChannelMistakes } from './testing/mistakes/speech-channels.ts';
import { webhookMistakes } from './testing/mistakes/webhooks.ts';
import { twilioFixture } from './testing/telephony-fixture.ts';

const mistakes = [
  ...placementMistakes,
  ...callMistakes,
  ...recordingMistakes,
  ...accountMistakes,
  ...webhookMistakes,
  ...speechChannelMistakes,
  ...audioChannelMistakes,
];

/** The fixture, with an adapter that makes the mistake. */
async function broken(breakIt: Break): Promise<TelephonyFixture> {
  const fixture = await twilioFixture();
  let fault: CarrierFault = 'none';
  const worse = (telephony: CarrierAdapter): CarrierAdapter => ({
    ...telephony,
    ...breakIt({ ...telephony, fixture, fault: () => fault }),
  });
  return {
    ...fixture,
    telephony: worse(fixture.telephony),
    unreachable: worse(fixture.unreachable),
    misbehave(next) {
      fault = next;
      fixture.misbehave(next);
    },
  };
}

const contractWith = (breakIt: Break) =>
  testsOf((register) => telephonyContract({ it: register, createFixture: () => broken(breakIt) }));

describe('the contract of telephony notices an adapter that', () => {
  it.concurrent.each(mistakes)('%s', async (_, caughtBy, breakIt) => {
    await assertCaught(contractWith(breakIt), caughtBy);
  });

  it('has no test that no mistake fails', () => {
    const caught = new Set(mistakes.map(([, caughtBy]) => caughtBy));
    const tests = [...contractWith(() => ({})).keys()];
    expect(tests.filter((name) => !caught.has(name))).toEqual([]);
    expect(new Set(mistakes.map(([what]) => what)).size).toBe(mistakes.length);
  });
});
