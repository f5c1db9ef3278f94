import type { CallStore } from '../../calls/call-store.ts';
import type {
  CarrierAccount,
  CarrierAdapter,
  CarrierRecording,
  RecordingFile,
} from '../../calls/carrier-adapter.ts';
import type { CarrierConnection } from '../../calls/carrier-connection.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { createId } from '../../kernel/ids.ts';
import type { Mode } from '../../kernel/mode.ts';
import type { RecordingLinks } from './recording-link.ts';
import type { RecordingRecord, RecordingStore } from './recording-store.ts';

/** Recordings of calls: what the callee agreed to, and how to get at the sound. */
export interface Recordings {
  /** The carrier is about to record, with an announcement. @returns whether it may */
  announce(callId: string): Promise<boolean>;
  /** The callee said yes: recording starts at once. */
  agree(callId: string): Promise<void>;
  /** The callee said no: nothing is recorded from now on, and what was recorded is deleted. */
  refuse(callId: string): Promise<void>;
  /** The same where nobody said no, but nobody agreed either. */
  forgo(callId: string): Promise<void>;
  /** Somebody is rung who was not asked: the carrier is told at once to record no more. */
  end(callId: string): Promise<void>;
  /** What the callee has decided so far. */
  consentOf(callId: string): Promise<RecordingRecord['consent'] | null>;
  /** Takes in what the carrier says of a recording. */
  report(callId: string, recording: CarrierRecording, retentionDays: number): Promise<void>;
  /** By call, for those with a recording that can be fetched now. */
  urlsOf(callIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Throws `forbidden` for a link that expired or is not ours, `not_found` for a recording that is gone. */
  fetch(recordingId: string, link: { expires: string; signature: string }): Promise<RecordingFile>;
}

export interface RecordingsDeps {
  storage: { readonly recordings: RecordingStore; readonly calls: Pick<CallStore, 'connectionOfAttempt'> };
  telephonyFor(mode: Mode): CarrierAdapter;
  accountOf(connection: CarrierConnection): CarrierAccount;
  links: RecordingLinks;
  /** There is something to do at the carrier now. */
  onDue(): void;
}

/** Before, there is nothing to look for: the carrier has been told, and tells us. */
const announcedLookMs = 10_000;

const isToBeHad = ({ consent, status, expiresInMs }: RecordingRecord) =>
  consent === 'given' && status === 'completed' && (expiresInMs ?? 0) > 0;

export function createRecordings(deps: RecordingsDeps): Recordings {
  const { recordings, calls } = deps.storage;

  return {
    announce: (callId) => recordings.want(callId, { id: createId('rec'), lookInMs: announcedLookMs }),

    async agree(callId) {
      if (await recordings.want(callId, { id: createId('rec'), lookInMs: 0 })) deps.onDue();
    },

    refuse: (callId) => forbid(callId, 'refused'),
    forgo: (callId) => forbid(callId, 'missing'),

    async end(callId) {
      await recordings.hurry(callId);
      deps.onDue();
    },

    async consentOf(callId) {
      const [recording] = await recordings.ofCalls([callId]);
      return recording?.consent ?? null;
    },

    async report(callId, { providerRecordingId, status, durationSeconds }, retentionDays) {
      if (status === 'processing') return;
      await recordings.report(callId, { providerRecordingId, status, durationSeconds, retentionDays });
    },

    async urlsOf(callIds) {
      const found = await recordings.ofCalls(callIds);
      return new Map(found.filter(isToBeHad).map(({ callId, id }) => [callId, deps.links.urlOf(id)]));
    },

    async fetch(recordingId, link) {
      const verdict = deps.links.check(recordingId, link);
      if (verdict === 'expired') {
        throw new CallkiteError(
          'forbidden',
          'This link has expired. Get a new recording_url from GET /calls/{call_id}',
        );
      }
      if (verdict === 'forged') {
        throw new CallkiteError(
          'forbidden',
          'This link is not valid. Use the recording_url from GET /calls/{call_id} unchanged',
        );
      }
      const recording = await recordings.get(recordingId);
      const sound = recording && isToBeHad(recording) ? await soundOf(recording) : null;
      if (!sound) throw new CallkiteError('not_found', 'This recording was deleted');
      return sound;
    },
  };

  async function forbid(callId: string, consent: 'refused' | 'missing'): Promise<void> {
    await recordings.forbid(callId, { id: createId('rec'), consent });
    deps.onDue();
  }

  async function soundOf({
    carrierCall,
    providerRecordingId,
  }: RecordingRecord): Promise<RecordingFile | null> {
    if (!carrierCall || providerRecordingId === null) return null;
    const connection = await calls.connectionOfAttempt(carrierCall.attemptId);
    if (!connection) return null;
    return deps.telephonyFor(connection.mode).fetchRecording(deps.accountOf(connection), providerRecordingId);
  }
}
