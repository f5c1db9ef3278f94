import type { EmulatedAccount, Mode } from '@callkite/core';
import { startOpenAiEmulator } from '@callkite/openai-emulator';
import { builtInAccounts, startTwilioEmulator } from '@callkite/twilio-emulator';

/** The phone network and the model that run inside this process. Nothing of them reaches a real phone. */
export interface EmbeddedNetwork {
  /** Base URL of the emulated carrier's REST API. */
  readonly carrierUrl: string;
  /** Base URL of the emulated model's API. */
  readonly modelUrl: string;
  /** What organizations connect, by the mode of their calls. */
  readonly accounts: Readonly<Record<Mode, EmulatedAccount>>;
  stop(): Promise<void>;
}

/** Starts both emulators on free loopback ports. @param speed how much faster than life calls run */
export async function startEmbeddedNetwork(options: { speed: number }): Promise<EmbeddedNetwork> {
  const carrier = await startTwilioEmulator({ speed: options.speed, allowInsecureLoopback: true });
  const { speed } = options;
  const model = await startOpenAiEmulator({
    speech: {
      thinkMs: Math.round(250 / speed),
      timesRealTime: 10 * speed,
      transcriptionMs: Math.round(500 / speed),
    },
  });
  return {
    carrierUrl: carrier.url,
    modelUrl: model.url,
    accounts: { live: account(0), test: account(1) },
    async stop() {
      await Promise.all([carrier.close(), model.close()]);
    },
  };
}

function account(number: number): EmulatedAccount {
  const { sid, authToken, phoneNumbers } = builtInAccounts.approved;
  const phoneNumber = phoneNumbers[number];
  if (phoneNumber === undefined) throw new RangeError('the emulated account owns no such number');
  return { accountId: sid, secret: authToken, phoneNumber };
}
