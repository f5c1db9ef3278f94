import type { Logger } from '../../kernel/logger.ts';
import type { Organizations } from './organizations.ts';

/** An account of an emulated carrier, with a number that it owns. */
export interface EmulatedAccount {
  readonly accountId: string;
  readonly secret: string;
  /** E.164 */
  readonly phoneNumber: string;
}

/** The lines of test calls of organizations that connected none: all of them go out on one account of the emulated carrier. */
export interface TestLines {
  /**
   * Connects the account for test mode of an organization, unless it connected another one. Never rejects.
   * @returns whether there is a number now that was not there before
   */
  provide(organizationId: string): Promise<boolean>;
}

export function createTestLines(deps: {
  organizations: Pick<Organizations, 'connectCarrier' | 'connectNumber' | 'listConnections' | 'listNumbers'>;
  /** `null`: every organization connects its own. */
  account: EmulatedAccount | null;
  logger: Logger;
}): TestLines {
  const { organizations, account, logger } = deps;
  return {
    async provide(organizationId) {
      if (account === null) return false;
      const { accountId, secret, phoneNumber } = account;
      const scope = { organizationId, mode: 'test' } as const;
      try {
        const connections = await organizations.listConnections(scope);
        if (connections.some((connection) => connection.accountId !== accountId)) return false;
        if ((await organizations.listNumbers(scope)).length > 0) return false;
        const { id } = await organizations.connectCarrier(scope, { accountId, secret });
        await organizations.connectNumber(scope, id, phoneNumber);
        return true;
      } catch (error) {
        logger.warn({ err: error, organizationId }, 'failed to connect the emulated carrier for test calls');
        return false;
      }
    },
  };
}
