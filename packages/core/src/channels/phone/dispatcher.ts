import type { CallStore, DialClaim } from '../../calls/call-store.ts';
import { createId } from '../../kernel/ids.ts';
import { type PlacementDeps, placeClaimed } from './placement.ts';

export interface Dispatcher {
  start(): void;
  /** Claims nothing more, and waits for claims and create requests on their way, the latter at most 10 s each. */
  stop(): Promise<void>;
  /** There may be a call to dial on this connection: look now. */
  wake(connectionId: string): void;
}

export interface DispatcherDeps extends PlacementDeps {
  calls: PlacementDeps['calls'] & Pick<CallStore, 'claimNext' | 'connectionsWithDueCalls'>;
  onDialing(claim: DialClaim): void;
  /** Calls were ended because the minutes of their organization's day are used up. */
  onSpent(organizationId: string): void;
  /** Of organizations without a limit of their own, minutes a UTC day. `null`: unlimited. */
  defaultDailyMinutes: number | null;
}

/** The truth about due calls is polled; wakes only make it quick. */
const pollMs = 500;

/**
 * Dials. Each connection is a line with its own calls per second and concurrency; the store grants one claim at
 * a time per line, under a row lock, so any number of processes may run a dispatcher.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { calls, logger } = deps;
  const lines = new Map<string, Line>();
  /** Claims and placements that are under way. */
  const inFlight = new Set<Promise<void>>();
  let poll: NodeJS.Timeout | undefined;

  interface Line {
    claiming: boolean;
    again: boolean;
    timer: NodeJS.Timeout | undefined;
  }

  async function work(connectionId: string, line: Line): Promise<void> {
    if (line.claiming) {
      line.again = true;
      return;
    }
    line.claiming = true;
    try {
      do {
        line.again = false;
        clearTimeout(line.timer);
        const claimedAtMs = performance.now();
        const claimed = await calls.claimNext(connectionId, createId('att'), deps.defaultDailyMinutes);
        // Also when we were stopped meanwhile: the intent is on record, and nobody else may act on it.
        if (claimed.result === 'claimed') {
          dial(claimed.claim, claimedAtMs);
          line.again = true;
        } else if (claimed.result === 'spent') {
          deps.onSpent(claimed.organizationId);
          line.again = true;
        } else if (claimed.result === 'wait' && poll) {
          line.timer = setTimeout(() => wake(connectionId), Math.max(1, claimed.waitMs));
        }
      } while (line.again && poll);
    } catch (error) {
      logger.warn({ connectionId, err: error }, 'failed to claim calls');
    }
    line.claiming = false;
  }

  function dial(claim: DialClaim, claimedAtMs: number): void {
    deps.onDialing(claim);
    keep(
      placeClaimed(deps, claim, claimedAtMs).catch((error: unknown) => {
        // The attempt's watch job finds out what happened.
        logger.error({ callId: claim.call.id, err: error }, 'placement interrupted; left to reconciliation');
      }),
    );
  }

  function keep(work: Promise<void>): void {
    const kept = work.finally(() => inFlight.delete(kept));
    inFlight.add(kept);
  }

  function wake(connectionId: string): void {
    if (!poll) return;
    let line = lines.get(connectionId);
    if (!line) {
      line = { claiming: false, again: false, timer: undefined };
      lines.set(connectionId, line);
    }
    keep(work(connectionId, line));
  }

  async function round(): Promise<void> {
    try {
      for (const connectionId of await calls.connectionsWithDueCalls(200)) wake(connectionId);
    } catch (error) {
      logger.warn({ err: error }, 'failed to look up due calls');
    }
  }

  return {
    start() {
      if (poll) return;
      poll = setInterval(() => void round(), pollMs);
      void round();
    },
    async stop() {
      clearInterval(poll);
      poll = undefined;
      for (const line of lines.values()) clearTimeout(line.timer);
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
    wake,
  };
}
