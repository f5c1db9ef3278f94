import type { WorkflowDefinition } from '@callkite/contract';
import type { CallRecord, CallStore } from '../../calls/call-store.ts';
import type { CarrierAccount, CarrierAdapter } from '../../calls/carrier-adapter.ts';
import type { CarrierConnection } from '../../calls/carrier-connection.ts';
import type { AttemptTokens } from '../../channels/phone/attempt-token.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import type { JobHandler, JobResult } from '../../kernel/jobs/job-runner.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Mode } from '../../kernel/mode.ts';
import type { TransferStore } from '../transfers/transfer-store.ts';
import { recordingModeOf } from './recording-mode.ts';
import type { RecordingRecord, RecordingStore } from './recording-store.ts';
import type { Recordings } from './recordings.ts';

export interface RecordingWorkDeps {
  storage: {
    readonly calls: CallStore;
    readonly recordings: RecordingStore;
    readonly transfers: TransferStore;
    /** The store's clock. */
    ping(): Promise<{ readonly nowMs: number }>;
  };
  recordings: Pick<Recordings, 'report'>;
  telephonyFor(mode: Mode): CarrierAdapter;
  accountOf(connection: CarrierConnection): CarrierAccount;
  tokens: AttemptTokens;
  logger: Logger;
}

const lookAgainMs = 10_000;
/** A request to record that is on its way while the callee refuses arrives within this. */
const stragglerMs = 2_000;
/** How long after the end the carrier is asked often for a recording that it does not tell of. */
const giveUpAfterMs = 30 * 60_000;
const rareLookMs = 3600_000;
const longestSleepMs = 24 * 3600_000;

/** What one look works with. */
interface Recorded {
  readonly recording: RecordingRecord;
  readonly call: CallRecord;
  readonly definition: WorkflowDefinition;
  readonly telephony: CarrierAdapter;
  readonly account: CarrierAccount;
  readonly attemptId: string;
  readonly providerCallId: string;
}

const again = (againInMs: number): JobResult => ({ againInMs, resetTries: true });

/**
 * Handles `follow_recording`, from the consent to the deletion: starts what the callee agreed to, makes up for reports
 * of the carrier that were lost, and deletes what is refused, erased or too old, however long the carrier takes for it.
 */
export function createRecordingWork(deps: RecordingWorkDeps): JobHandler {
  const { calls, recordings, transfers } = deps.storage;

  async function load(callId: string): Promise<Recorded | 'wait' | null> {
    const [[recording], loaded] = await Promise.all([recordings.ofCalls([callId]), calls.load(callId)]);
    if (!recording || !loaded || recording.status === 'deleted') return null;
    const { carrierCall } = recording;
    const connection = carrierCall && (await calls.connectionOfAttempt(carrierCall.attemptId));
    if (!carrierCall || !connection) {
      if (loaded.call.state !== 'completed') return 'wait';
      // A connection is kept for as long as the carrier has recordings of its calls. It was not always.
      if (carrierCall && recording.status !== 'absent') {
        deps.logger.error(
          { callId },
          'cannot delete a recording: the carrier connection of its call is gone',
        );
      }
      return null;
    }
    return {
      ...loaded,
      ...carrierCall,
      recording,
      telephony: deps.telephonyFor(connection.mode),
      account: deps.accountOf(connection),
    };
  }

  /** Milliseconds since the end; `null` while the call lives. */
  async function overForMs({ call }: Recorded): Promise<number | null> {
    if (call.endedAt === null) return null;
    return (await deps.storage.ping()).nowMs - call.endedAt.getTime();
  }

  /** The callee was to speak with others, who were not asked. */
  async function wasHandedOver({ call }: Recorded): Promise<boolean> {
    const legs = (await transfers.ofCall(call.id)).flatMap((transfer) => transfer.legs);
    return legs.some(({ dialedAt }) => dialedAt !== null);
  }

  async function erase(recorded: Recorded): Promise<JobResult> {
    const { telephony, account, recording, call, providerCallId } = recorded;
    const found = await telephony.findRecordings(account, providerCallId);
    const ids = new Set(found.map(({ providerRecordingId }) => providerRecordingId));
    if (recording.providerRecordingId !== null) ids.add(recording.providerRecordingId);
    for (const id of ids) await telephony.deleteRecording(account, providerCallId, id);
    const endedMs = await overForMs(recorded);
    if (endedMs === null || endedMs < stragglerMs) return again(found.length > 0 ? stragglerMs : lookAgainMs);
    // Only a listing without any is proof.
    if (found.length > 0) return again(stragglerMs);
    await recordings.noteDeleted(call.id);
    return { done: true };
  }

  async function seek(recorded: Recorded): Promise<JobResult> {
    const { telephony, account, recording, call, definition, attemptId, providerCallId } = recorded;
    const endedMs = await overForMs(recorded);
    const { retentionDays } = definition.recording;
    const isOver = endedMs !== null || (await wasHandedOver(recorded));
    const isAsked = recordingModeOf(definition, call) === 'ask';
    const isToBeStarted = !isOver && isAsked && recording.status === 'wanted';
    // The carrier tells by itself.
    if (!isOver && !isToBeStarted) return again(lookAgainMs);
    const found = await telephony.findRecordings(account, providerCallId);
    const running = endedMs === null && isOver ? found.find(({ status }) => status === 'recording') : null;
    if (running) {
      await telephony.stopRecording(account, providerCallId, running.providerRecordingId);
      return again(stragglerMs);
    }
    const best = found.find(({ status }) => status === 'completed') ?? found[0];
    if (best) {
      await deps.recordings.report(call.id, best, retentionDays);
    } else if (isToBeStarted) {
      await telephony.startRecording(account, providerCallId, deps.tokens.issue(attemptId));
    } else if (endedMs !== null && endedMs > giveUpAfterMs) {
      const nothing = { providerRecordingId: null, status: 'absent', durationSeconds: null } as const;
      await recordings.report(call.id, { ...nothing, retentionDays });
      return { done: true };
    }
    return again(endedMs !== null && endedMs > giveUpAfterMs ? rareLookMs : lookAgainMs);
  }

  async function follow(recorded: Recorded): Promise<JobResult> {
    const { consent, status, expiresInMs } = recorded.recording;
    if (consent !== 'given') return erase(recorded);
    if (status === 'absent') return { done: true };
    if (status !== 'completed') return seek(recorded);
    if (expiresInMs !== null && expiresInMs > 0) return again(Math.min(expiresInMs, longestSleepMs));
    return erase(recorded);
  }

  return {
    concurrency: 10,
    async run(job) {
      let recorded: Recorded | 'wait' | null = 'wait';
      try {
        recorded = await load(job.subjectId);
        if (recorded === null) return { done: true };
        if (recorded === 'wait') return again(lookAgainMs);
        return await follow(recorded);
      } catch (error) {
        const isCarrier = CallkiteError.isInstance(error) && error.code.startsWith('provider_');
        if (!isCarrier) throw error;
        // A recording that is not to be had any more is deleted in the end: this is never given up.
        deps.logger.warn({ callId: job.subjectId, err: error }, 'recording request failed at the carrier');
        const isLive = recorded !== 'wait' && recorded !== null && recorded.call.endedAt === null;
        return again(isLive ? stragglerMs : lookAgainMs);
      }
    },
  };
}
