import type { WorkflowDefinition } from '@callkite/contract';

/** Two people who were connected may talk for so long. */
export const maximumTalkSeconds = 3600;
/** Several numbers may be rung, one after the other. */
const maximumTransferRingSeconds = 900;

/** The age at which the carrier ends an answered call even if nobody tells it to. */
export function maximumCallSeconds({ abilities, endRules }: WorkflowDefinition): number {
  const transferSeconds = abilities.transfer.length > 0 ? maximumTransferRingSeconds + maximumTalkSeconds : 0;
  return endRules.maximumDurationSeconds + transferSeconds;
}
