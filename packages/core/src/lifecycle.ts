import type { AgentSessions } from './agent/session/agent-sessions.ts';
import type { Callkite } from './callkite.ts';
import type { DrainBarrier } from './calls/drain-barrier.ts';
import type { CarrierBreaker } from './channels/phone/carrier-breaker.ts';
import type { Dispatcher } from './channels/phone/dispatcher.ts';
import type { WebCallSockets } from './channels/web/web-call-sockets.ts';
import type { UsageWatch } from './features/usage/usage-watch.ts';
import type { Cache } from './kernel/cache.ts';
import { CallkiteError } from './kernel/errors.ts';
import type { JobRunner } from './kernel/jobs/job-runner.ts';
import type { Logger } from './kernel/logger.ts';
import type { Readiness } from './kernel/route.ts';
import type { Storage } from './storage.ts';

export interface LifecycleDeps {
  /** Brings what is stored up to date, where a migration of the schema could not. Has nothing to do most of the time. */
  prepare(): Promise<void>;
  storage: Storage;
  runner: JobRunner;
  dispatcher: Dispatcher;
  breaker: CarrierBreaker;
  conversations: Pick<AgentSessions, 'drain'>;
  webCallSockets: Pick<WebCallSockets, 'stopping'>;
  unfinished: Pick<DrainBarrier, 'settled'>;
  usage: Pick<UsageWatch, 'settled'>;
  /** Decides which carrier connections may be used, before anything is dialed. */
  enterNetworks(): Promise<void>;
  /** Whether stored secrets can be opened. After `enterNetworks`: those of connections out of use do not matter. */
  checkSecrets(): Promise<void>;
  /** `null` when it is in this process. */
  cache: Pick<Cache, 'isAvailable'> | null;
  runWorkers: boolean;
  logger: Logger;
}

/** Node and store may disagree on the time by so much. */
const clockSkewAllowedMs = 2_000;
const orphanSweepMs = 60_000;
const purgeMs = 10 * 60_000;
/** What has to wait until an upgrade is over is done by somebody, soon after. */
const prepareMs = 60 * 60_000;
/** A callback may take 30 s, and one that was interrupted is not sent again. */
const jobGraceMs = 35_000;
const lastWordMs = 10_000;
const defaultDrainMs = 10 * 60_000;
/** Monitors ask more often than a disk fills up. */
const writableKnownMs = 5_000;

/** Starts and stops everything that goes on without being asked, each once. */
export function createLifecycle(
  deps: LifecycleDeps,
): Pick<Callkite, 'start' | 'stop'> & { readiness(): Promise<Readiness> } {
  const { storage, runner, dispatcher, logger } = deps;
  const timers: NodeJS.Timeout[] = [];
  let started: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;

  async function start(): Promise<void> {
    await storage.start();
    await deps.prepare();
    await checkClock();
    await deps.enterNetworks();
    await deps.checkSecrets();
    if (!deps.runWorkers) return;
    runner.start();
    dispatcher.start();
    timers.push(
      setInterval(() => void sweep(), orphanSweepMs),
      setInterval(
        () => void storage.calls.purgeIdempotency().catch(warn('expired keys could not be purged')),
        purgeMs,
      ),
      setInterval(
        () => void deps.prepare().catch(warn('stored data could not be brought up to date')),
        prepareMs,
      ),
    );
  }

  /** Milliseconds by which this machine's clock is off from the store's, at least: an answer may have taken a while. */
  async function clockSkewMs(): Promise<number> {
    const before = Date.now();
    const { nowMs } = await storage.ping();
    return Math.max(0, before - nowMs, nowMs - Date.now());
  }

  let writable:
    | { readonly state: ReturnType<Storage['checkWritable']>; readonly untilMs: number }
    | undefined;
  function isWritable(): ReturnType<Storage['checkWritable']> {
    if (writable === undefined || performance.now() > writable.untilMs) {
      const state = storage.checkWritable();
      writable = { state, untilMs: performance.now() + writableKnownMs };
      state.catch(() => {
        writable = undefined;
      });
    }
    return writable.state;
  }

  async function checkClock(): Promise<void> {
    const skewMs = await clockSkewMs();
    if (skewMs > clockSkewAllowedMs) {
      throw new CallkiteError(
        'internal',
        `This machine's clock and the store's differ by ${Math.round(skewMs)} ms: synchronize them and start again`,
      );
    }
  }

  async function sweep(): Promise<void> {
    const adopted = await storage.calls.adoptOrphans().catch(warn('orphaned calls could not be looked for'));
    if (adopted) logger.error({ adopted }, 'adopted calls that had no owner');
  }

  function warn(message: string): (error: unknown) => undefined {
    return (error) => {
      logger.warn({ err: error }, message);
    };
  }

  async function stop(drainMs: number): Promise<void> {
    await started?.catch(() => undefined);
    for (const timer of timers) clearInterval(timer);
    deps.webCallSockets.stopping();
    deps.breaker.stop();
    await Promise.all([dispatcher.stop(), deps.conversations.drain(drainMs)]);
    // The carrier's last word on a conversation comes after its end; without waiting, nobody here would hear it.
    await deps.unfinished.settled(Math.min(drainMs, lastWordMs));
    await runner.stop(jobGraceMs);
    await deps.usage.settled();
    await storage.stop();
  }

  return {
    start() {
      started ??= start();
      return started;
    },
    stop({ drainMs = defaultDrainMs } = {}) {
      stopped ??= stop(drainMs);
      return stopped;
    },
    async readiness() {
      if (stopped || !started)
        return { ok: false, checks: { service: stopped ? 'stopping' : 'not started' } };
      try {
        const skewMs = await clockSkewMs();
        const clock =
          skewMs > clockSkewAllowedMs ? `off by ${Math.round(skewMs / 1000)} s from the store's` : 'ok';
        const checks = { storage: await isWritable(), clock };
        const ok = clock === 'ok' && checks.storage === 'ok';
        if (deps.cache === null) return { ok, checks };
        // An aid: without it everything works, only slower.
        const cache = (await deps.cache.isAvailable()) ? 'ok' : 'unavailable';
        return { ok, checks: { ...checks, cache } };
      } catch {
        return { ok: false, checks: { storage: 'unreachable' } };
      }
    },
  };
}
