import { EventEmitter } from 'node:events';
import type { CallEvents } from './call-events.ts';
import { compose } from './composition-root.ts';
import { demonstrate } from './demonstration.ts';
import { startEmbeddedNetwork } from './embedded.ts';
import type { Settings } from './env.ts';
import { firstStart, leaveEmulatedNetwork } from './first-start.ts';
import { serve } from './http-server.ts';
import { keptSecretKey } from './secret-key.ts';
import { greet, introduce } from './welcome.ts';

export interface RunningServer {
  /** Stops claiming work, waits for live conversations as long as the settings say, then closes everything. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts everything the settings ask for. The port is taken before the store is opened, so that a second server on
 * one port fails before it has touched anything.
 * @param print receives what is meant for the person at the terminal
 */
export async function startServer(settings: Settings, print: (line: string) => void): Promise<RunningServer> {
  const network = await startEmbeddedNetwork({ speed: settings.emulatorSpeed });
  const secretKey = settings.secretKey ?? (await keptSecretKey(settings.dataDirectory));
  const events: CallEvents = new EventEmitter();
  const { callkite, logger, metrics, cache } = compose({ settings, secretKey, network, events });
  events.on('event', (event) => metrics.observe(event));
  if (settings.allowPrivateCallbacks) {
    logger.warn({}, 'callbacks and webhooks to private addresses are allowed: for development only');
  }

  const stopServing = await serve({ callkite, metrics, settings });
  greet(settings, print);

  const isEmulated = settings.twilio === null;
  if (!isEmulated) await leaveEmulatedNetwork(callkite, network.accounts.live);
  const { live, test } = network.accounts;
  // The operator of a production server creates organizations, and hands out keys, by other ways than a log.
  const isOperated = settings.production && settings.operatorToken !== null;
  const first = isOperated
    ? null
    : await firstStart(callkite, isEmulated ? { live, test } : { test }, [
        settings.publicUrl,
        settings.loopbackUrl,
        `http://localhost:${settings.port}`,
      ]);
  if (first) {
    introduce(first, settings, print);
    if (settings.demonstration && isEmulated) {
      demonstrate({ callkite, key: first.keys.live, events, print }).catch((error: unknown) =>
        logger.error({ err: error }, 'the demonstration call could not be placed'),
      );
    }
  }

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await stopServing();
    await network.stop();
    await cache?.disconnect();
  };
  return {
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
