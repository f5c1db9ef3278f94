import type { EmulatorOptions } from '@callkite/twilio-emulator';

/** A carrier that leaves a quarter of all placements in doubt and cannot be relied on for the rest. */
export const lyingCarrier: NonNullable<EmulatorOptions['faults']> = {
  createTimeout: 0.05,
  createReset: 0.1,
  create5xx: 0.1,
  createRefused5xx: 0.02,
  rateLimited: 0.05,
  callbacksLate: 0.1,
  callbacksLateMs: 4_000,
  callbacksDuplicated: 0.2,
  callbacksReordered: 0.2,
  callbacksLost: 0.15,
  listLagMs: 700,
  fetchFails: 0.05,
  socketDrop: 0.1,
};
