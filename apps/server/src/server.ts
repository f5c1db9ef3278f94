import { EventEmitter } from 'node:events';
import type { CallEvents } from './call-events.ts';
import { createCallLog, logCallLine, printCallLine } from './call-log.ts';
import { compose } from './composition-root.ts';
import { demonstrate } from './demonstration.ts';
import { startEmbeddedNetwork } from './embedded.ts';
import type { Settings } from './env.ts';
import { firstStart } from './first-start.ts';
import { readinessOf } from './home.ts';
import { serve } from './http-server.ts';
import { opening, type Progress } from './progress.ts';
import { secretKeys } from './secret-key.ts';
import type { Terminal } from './terminal.ts';
import { greet, introduce } from './welcome.ts';

export interface RunningServer {
  /** Stops claiming work, waits for live conversations as long as the settings say, then closes everything. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts everything the settings ask for. The port is taken before the store is opened, so that a second server on
 * one port fails before it has touched anything.
 * @param terminal where the person who started it looks
 * @param progress hears what the start is doing
 */
export async function startServer(
  settings: Settings,
  terminal: Terminal,
  progress: Pick<Progress, 'step' | 'end'> = { step() {}, end() {} },
): Promise<RunningServer> {
  const network = await startEmbeddedNetwork({ speed: settings.emulatorSpeed });
  const keys = await secretKeys(settings);
  const events: CallEvents = new EventEmitter();
  const { callkite, storage, logger, metrics, disconnect } = compose({ settings, keys, network, events });
  events.on('event', (event) => metrics.observe(event));
  const callLog = createCallLog(settings.production ? logCallLine(logger) : printCallLine(terminal));
  events.on('event', (event) => callLog.observe(event));
  if (settings.allowPrivateCallbacks) {
    logger.warn({}, 'callbacks and webhooks to private addresses are allowed: for development only');
  }

  progress.step(opening(settings));
  const stopServing = await serve({ callkite, metrics, settings, logger });
  const isEmulated = settings.twilio === null;
  // The operator of a production server creates organizations, and hands out keys, by other ways than a log.
  const isOperated = settings.production && settings.operatorToken !== null;
  const first = isOperated
    ? null
    : // Of processes that start together on an empty database, one makes and prints; the others wait for it.
      await storage.exclusively('first_start', () =>
        firstStart(callkite, isEmulated ? network.accounts.live : null, [
          settings.publicUrl,
          settings.loopbackUrl,
          `http://localhost:${settings.port}`,
        ]),
      );
  progress.end();
  greet(settings, terminal);
  if (settings.redisUrl !== null && (await readinessOf(callkite)).checks.cache !== 'ok') {
    logger.warn(
      {},
      `Redis at ${new URL(settings.redisUrl).host} does not answer: start it, or correct REDIS_URL. Until then everything works without it, only slower.`,
    );
  }
  if (first) {
    introduce(first, settings, terminal);
    if (settings.demonstration && isEmulated) {
      demonstrate({ callkite, key: first.keys.live, events, callLog, terminal }).catch((error: unknown) =>
        logger.error({ err: error }, 'the demonstration call could not be placed'),
      );
    }
  }

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await stopServing();
    await network.stop();
    await disconnect();
  };
  return {
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
