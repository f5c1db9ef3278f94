import type { CallStore } from '../../calls/call-store.ts';
import type { CarrierAccount, CarrierAdapter } from '../../calls/carrier-adapter.ts';
import type { CarrierConnection } from '../../calls/carrier-connection.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Mode } from '../../kernel/mode.ts';

export interface CarrierBreaker {
  succeeded(connectionId: string): void;
  /** An answer that leaves the placement open, or none at all. */
  failed(connection: CarrierConnection): void;
  /** Ends all probing. */
  stop(): void;
}

export interface CarrierBreakerDeps {
  calls: Pick<CallStore, 'setConnectionDown'>;
  telephonyFor(mode: Mode): Pick<CarrierAdapter, 'describeAccount'>;
  accountOf(connection: CarrierConnection): CarrierAccount;
  /** Dialing may go on. */
  onRecovered(connectionId: string): void;
  logger: Logger;
}

const failuresToOpen = 5;
const probeEveryMs = 5_000;
/** Longer than the probe's interval: if this process dies, dialing elsewhere goes on after this. */
const downForMs = 30_000;

/** Stops dialing on an account whose carrier keeps failing, until a request that rings nobody succeeds. */
export function createCarrierBreaker(deps: CarrierBreakerDeps): CarrierBreaker {
  const failures = new Map<string, number>();
  const probes = new Map<string, NodeJS.Timeout>();
  let isStopped = false;

  async function probe(connection: CarrierConnection): Promise<void> {
    try {
      await deps.telephonyFor(connection.mode).describeAccount(deps.accountOf(connection));
      await deps.calls.setConnectionDown(connection.id, 0);
      probes.delete(connection.id);
      failures.delete(connection.id);
      deps.logger.info({ connectionId: connection.id }, 'carrier is back; dialing resumes');
      deps.onRecovered(connection.id);
    } catch {
      await deps.calls.setConnectionDown(connection.id, downForMs).catch(() => undefined);
      schedule(connection);
    }
  }

  function schedule(connection: CarrierConnection): void {
    if (isStopped) return;
    probes.set(
      connection.id,
      setTimeout(() => void probe(connection), probeEveryMs),
    );
  }

  return {
    succeeded(connectionId) {
      failures.delete(connectionId);
    },
    failed(connection) {
      const count = (failures.get(connection.id) ?? 0) + 1;
      failures.set(connection.id, count);
      if (count < failuresToOpen || probes.has(connection.id)) return;
      deps.logger.error({ connectionId: connection.id }, 'carrier keeps failing; dialing is on hold');
      schedule(connection);
      deps.calls.setConnectionDown(connection.id, downForMs).catch((error: unknown) => {
        deps.logger.warn({ connectionId: connection.id, err: error }, 'failed to store the hold');
      });
    },
    stop() {
      isStopped = true;
      for (const timer of probes.values()) clearTimeout(timer);
      probes.clear();
    },
  };
}
