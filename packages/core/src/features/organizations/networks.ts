import { type CarrierAdapter, emulatedNetwork } from '../../calls/carrier-adapter.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Mode } from '../../kernel/mode.ts';
import type { OrganizationStore } from './organization-store.ts';

/**
 * Keeps credentials from being sent to a network they do not belong to.
 * @param network of a connection
 * @throws CallkiteError `provider_unavailable`
 */
export function checkNetwork(
  network: string | null,
  telephony: Pick<CarrierAdapter, 'network'> | undefined,
): void {
  if (network === null || network === telephony?.network) return;
  throw new CallkiteError(
    'provider_unavailable',
    `This carrier connection belongs to another phone network (${network}) than the one this server uses.`,
    { retryable: false },
  );
}

/**
 * Makes the connections of these networks the only ones in use. When the emulated network is left, its calls and
 * recordings are gone for good, so whatever still waits for them is settled. Safe to repeat, and from many processes.
 */
export async function enterNetworks(options: {
  store: Pick<OrganizationStore, 'useNetwork' | 'settleNetwork'>;
  networks: Readonly<Partial<Record<Mode, string>>>;
  logger: Logger;
}): Promise<void> {
  const { store, logger } = options;
  for (const [mode, network] of Object.entries(options.networks) as [Mode, string][]) {
    const changed = await store.useNetwork(mode, network);
    const left = changed.filter(({ status }) => status === 'out_of_use').length;
    if (left > 0) {
      logger.warn(
        { mode, network, connections: left },
        'carrier connections of another phone network were put out of use',
      );
    }
    if (changed.length > left) {
      logger.warn(
        { mode, network, connections: changed.length - left },
        'carrier connections of this phone network are back in use',
      );
    }
    if (network === emulatedNetwork) continue;
    // Also when nothing changed: an earlier start may have been interrupted.
    const { calls, recordings } = await store.settleNetwork(mode, emulatedNetwork);
    if (calls > 0 || recordings > 0) {
      logger.warn(
        { mode, calls, recordings },
        'calls still open on the emulated network were ended, and its recordings given up',
      );
    }
  }
}
