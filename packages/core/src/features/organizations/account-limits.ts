import type { CarrierAccountFacts } from '../../calls/carrier-adapter.ts';
import type { CarrierConnection } from '../../calls/carrier-connection.ts';
import { CallkiteError } from '../../kernel/errors.ts';

export type AccountLimits = Pick<CarrierConnection, 'callsPerSecond' | 'maximumConcurrentCalls'>;

/** What decides the limits of a carrier account. */
export type AccountStanding = Pick<CarrierConnection, 'accountType' | 'businessProfile'>;

/** Bounds of one kind of account; `null` means unlimited. */
interface Allowance {
  readonly highest: AccountLimits;
  readonly usual: AccountLimits;
}

const trial: Allowance = {
  highest: { callsPerSecond: 1, maximumConcurrentCalls: 4 },
  usual: { callsPerSecond: 1, maximumConcurrentCalls: 4 },
};
const withoutApprovedProfile: Allowance = {
  highest: { callsPerSecond: 1, maximumConcurrentCalls: 20 },
  usual: { callsPerSecond: 1, maximumConcurrentCalls: 4 },
};
const approved: Allowance = {
  highest: { callsPerSecond: 100, maximumConcurrentCalls: null },
  usual: { callsPerSecond: 1, maximumConcurrentCalls: null },
};

function allowanceOf(standing: AccountStanding): Allowance {
  if (standing.accountType === 'trial') return trial;
  return standing.businessProfile === 'Profile Approved' ? approved : withoutApprovedProfile;
}

export function standingOf(facts: CarrierAccountFacts): AccountStanding {
  return { accountType: facts.type, businessProfile: facts.businessProfile };
}

/**
 * The limits of an account: what was asked for, else what it had before, else what is usual for its kind.
 * Earlier limits that its kind no longer allows are lowered; earlier usual ones become the usual ones of the new kind.
 * Throws `validation_failed` when more is asked for than the account allows.
 */
export function accountLimits(
  standing: AccountStanding,
  asked: Partial<AccountLimits>,
  before: (AccountStanding & AccountLimits) | null,
): AccountLimits {
  const allowance = allowanceOf(standing);
  const inherited = before ? carriedOver(before, allowance) : allowance.usual;
  const limits: AccountLimits = {
    callsPerSecond: asked.callsPerSecond ?? inherited.callsPerSecond,
    maximumConcurrentCalls:
      asked.maximumConcurrentCalls === undefined
        ? inherited.maximumConcurrentCalls
        : asked.maximumConcurrentCalls,
  };
  refuseMoreThan('calls_per_second', limits.callsPerSecond, allowance.highest.callsPerSecond);
  refuseMoreThan(
    'maximum_concurrent_calls',
    limits.maximumConcurrentCalls,
    allowance.highest.maximumConcurrentCalls,
  );
  return limits;
}

function carriedOver(before: AccountStanding & AccountLimits, now: Allowance): AccountLimits {
  const { usual } = allowanceOf(before);
  const { highest } = now;
  return {
    callsPerSecond:
      before.callsPerSecond === usual.callsPerSecond
        ? now.usual.callsPerSecond
        : Math.min(before.callsPerSecond, highest.callsPerSecond),
    maximumConcurrentCalls:
      before.maximumConcurrentCalls === usual.maximumConcurrentCalls
        ? now.usual.maximumConcurrentCalls
        : lower(before.maximumConcurrentCalls, highest.maximumConcurrentCalls),
  };
}

function lower(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}

function refuseMoreThan(field: string, value: number | null, highest: number | null): void {
  if (
    value === null ? highest === null : Number.isInteger(value) && value >= 1 && value <= (highest ?? value)
  ) {
    return;
  }
  const issue =
    highest === null
      ? 'must be a whole number from 1, or null for no limit'
      : `must be a whole number from 1 to ${highest} on this carrier account`;
  throw new CallkiteError('validation_failed', `${field} ${issue}`, { details: { [field]: [issue] } });
}
