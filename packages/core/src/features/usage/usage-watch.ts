import type { VelocityAlarm } from '../../calls/velocity-alarm.ts';
import type { EmitEvent } from '../../kernel/events.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { UsageAlarm, UsageStore } from './usage-store.ts';

/**
 * Raises the alarm when an organization comes near the limit of its day, and when its calls suddenly go elsewhere. It never
 * stops a call: the store does.
 */
export interface UsageWatch {
  /** A live phone call of it, or a transfer of one, was dialed, ended or refused. */
  look(organizationId: string): void;
  surged(organizationId: string, alarm: VelocityAlarm): void;
  /** Waits until nothing is being looked at. */
  settled(): Promise<void>;
}

export interface UsageWatchDeps {
  usage: Pick<UsageStore, 'takeAlarm'>;
  /** Of organizations without a limit of their own. `null`: unlimited. */
  defaultDailyMinutes: number | null;
  emit: EmitEvent;
  logger: Logger;
}

export function createUsageWatch(deps: UsageWatchDeps): UsageWatch {
  const { usage, defaultDailyMinutes, emit, logger } = deps;
  /** Organizations that are looked at, one look at a time; `true` when there is reason for another. */
  const again = new Map<string, boolean>();
  const underWay = new Set<Promise<void>>();

  async function lookAt(organizationId: string): Promise<void> {
    try {
      do {
        again.set(organizationId, false);
        const alarm = await usage.takeAlarm(organizationId, defaultDailyMinutes);
        if (alarm !== null) raise(organizationId, alarm);
      } while (again.get(organizationId));
    } catch (error) {
      logger.warn({ organizationId, err: error }, 'failed to read the call minutes of an organization');
    } finally {
      again.delete(organizationId);
    }
  }

  function raise(organizationId: string, alarm: UsageAlarm): void {
    logger.warn(
      { organizationId, ...alarm },
      alarm.percent === 100
        ? 'daily call minutes of an organization are used up; nothing more is dialed for it today'
        : 'most of the call minutes of an organization are used for today',
    );
    emit({ type: 'spending.reached', organizationId, ...alarm });
  }

  return {
    look(organizationId) {
      if (again.has(organizationId)) {
        again.set(organizationId, true);
        return;
      }
      const looking = lookAt(organizationId).finally(() => underWay.delete(looking));
      underWay.add(looking);
    },
    surged(organizationId, alarm) {
      logger.warn(
        { organizationId, ...alarm },
        'an organization is making many calls to a prefix it never called before',
      );
      emit({ type: 'velocity.reached', organizationId, ...alarm });
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
