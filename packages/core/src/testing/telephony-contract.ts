import assert from 'node:assert/strict';
import { accountContract } from './telephony/account.ts';
import { audioChannelContract } from './telephony/audio-channel.ts';
import { callsContract } from './telephony/calls.ts';
import type { FixtureTest, TelephonyFixture } from './telephony/fixture.ts';
import { instructionsContract } from './telephony/instructions.ts';
import { placingContract } from './telephony/placing.ts';
import { recordingsContract } from './telephony/recordings.ts';
import { speechChannelContract } from './telephony/speech-channel.ts';
import { webhooksContract } from './telephony/webhooks.ts';

/** The part of a test runner that is needed: vitest, `node:test` and others have it. */
export type TestFunction = (name: string, run: () => Promise<void>) => unknown;

/**
 * What every carrier adapter must do, as tests. One of them waits for ten seconds.
 *
 * @param options.it registers a test
 * @param options.createFixture called for each test; its `stop` is called at the test's end
 */
export function telephonyContract(options: {
  it: TestFunction;
  createFixture(): Promise<TelephonyFixture>;
}): void {
  const test: FixtureTest = (name, run) =>
    options.it(name, async () => {
      const fixture = await options.createFixture();
      try {
        await run(fixture);
      } finally {
        await fixture.stop();
      }
    });

  test('has a name that fits into a path', async ({ telephony }) => {
    assert.match(telephony.name, /^[a-z0-9][a-z0-9-]*$/);
  });
  placingContract(test);
  callsContract(test);
  recordingsContract(test);
  accountContract(test);
  webhooksContract(test);
  instructionsContract(test);
  speechChannelContract(test);
  audioChannelContract(test);
}
