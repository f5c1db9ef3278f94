import { silence, toWav } from '@callkite/emulated-voice';
import type { Account } from '../accounts.ts';
import { rfc2822 } from '../dates.ts';
import type { Emulation } from '../emulation.ts';
import { newSid } from '../identifiers.ts';
import type { Call, WebhookTarget } from './call.ts';
import { sendCallback } from './status-callbacks.ts';

const recordingEvents = ['in-progress', 'completed', 'absent'] as const;
export type RecordingEvent = (typeof recordingEvents)[number];

/** What a recording is asked to be. */
export interface RecordingRequest {
  source: 'StartCallRecordingTwiML' | 'StartCallRecordingAPI';
  channels: 1 | 2;
  callback?: (WebhookTarget & { events: ReadonlySet<RecordingEvent> }) | undefined;
}

/** One recording of a call. */
export interface CallRecording extends Readonly<RecordingRequest> {
  readonly sid: string;
  readonly call: Call;
  readonly startedAt: Date;
  status: 'in-progress' | 'processing' | 'completed' | 'absent';
  /** In time of the call; undefined while it is being made. */
  durationMs: number | undefined;
  /** Frames that each stream of the call had before the recording, and at its end. */
  readonly before: ReadonlyMap<string, number>;
  after: ReadonlyMap<string, number>;
}

const PROCESSING_MS = 1000;
const SHORTEST_MS = 100;

/** The recordings of every call. The sound is that of the call's media streams; without streams it is silence. */
export class CallRecordings {
  readonly #emulation: Emulation;
  readonly #bySid = new Map<string, CallRecording>();

  constructor(emulation: Emulation) {
    this.#emulation = emulation;
  }

  start(call: Call, request: RecordingRequest): CallRecording {
    const recording: CallRecording = {
      ...request,
      sid: newSid('RE'),
      call,
      startedAt: new Date(),
      status: 'in-progress',
      durationMs: undefined,
      before: this.#framesOf(call),
      after: new Map(),
    };
    this.#bySid.set(recording.sid, recording);
    call.signal.addEventListener('abort', () => this.stop(recording), { once: true });
    this.#tell(recording, 'in-progress');
    return recording;
  }

  /** Ends a recording that is being made. `false` when it is over already. */
  stop(recording: CallRecording): boolean {
    if (recording.status !== 'in-progress') return false;
    const { pace } = this.#emulation;
    recording.status = 'processing';
    recording.durationMs = pace.simulated(Date.now() - recording.startedAt.getTime());
    recording.after = this.#framesOf(recording.call);
    setTimeout(() => this.#finish(recording), pace.real(PROCESSING_MS)).unref();
    return true;
  }

  /** The newest first. */
  list(account: Account, callSid?: string): CallRecording[] {
    const all = [...this.#bySid.values()].reverse();
    return all.filter(({ call }) => call.account === account && (callSid ?? call.sid) === call.sid);
  }

  find(account: Account, sid: string): CallRecording | undefined {
    const recording = this.#bySid.get(sid);
    return recording?.call.account === account ? recording : undefined;
  }

  delete(recording: CallRecording): void {
    this.#bySid.delete(recording.sid);
  }

  clear(): void {
    this.#bySid.clear();
  }

  /** The sound as a WAV file, the callee in the first of two channels. */
  wav({ call, before, after, durationMs = 0 }: CallRecording): Uint8Array {
    const parts = call.record.mediaStreams.flatMap(
      ({ streamSid }) =>
        this.#emulation.recordings?.frames(
          streamSid,
          before.get(streamSid) ?? 0,
          after.get(streamSid) ?? 0,
        ) ?? [],
    );
    if (parts.length === 0) return toWav([silence(durationMs), silence(durationMs)]);
    return toWav([
      Buffer.concat(parts.map(({ callee }) => callee)),
      Buffer.concat(parts.map(({ agent }) => agent)),
    ]);
  }

  #framesOf(call: Call): ReadonlyMap<string, number> {
    return new Map(
      call.record.mediaStreams.map(({ streamSid }) => [
        streamSid,
        this.#emulation.recordings?.length(streamSid) ?? 0,
      ]),
    );
  }

  #finish(recording: CallRecording): void {
    if (!this.#bySid.has(recording.sid)) return;
    recording.status = (recording.durationMs ?? 0) < SHORTEST_MS ? 'absent' : 'completed';
    this.#tell(recording, recording.status);
  }

  #tell(recording: CallRecording, event: RecordingEvent): void {
    const { call, callback, sid, channels, source, startedAt, durationMs } = recording;
    if (!callback?.events.has(event)) return;
    if (this.#emulation.faults.happens('recordingCallbacksLost')) {
      const at = new Date().toISOString();
      call.record.callbacks.push({ at, event: `recording-${event}`, url: callback.url, result: 'lost' });
      return;
    }
    const parameters = {
      AccountSid: call.account.sid,
      CallSid: call.sid,
      RecordingSid: sid,
      RecordingStatus: event,
      RecordingChannels: String(channels),
      RecordingStartTime: rfc2822(startedAt),
      RecordingSource: source,
      RecordingTrack: 'both',
      ...(event === 'completed' && { RecordingUrl: recordingPath(recording) }),
      ...(durationMs !== undefined && { RecordingDuration: seconds(durationMs) }),
    };
    void sendCallback(this.#emulation, call, callback, parameters, { event: `recording-${event}` });
  }
}

export const seconds = (durationMs: number) => String(Math.ceil(durationMs / 1000));

/** Path of a recording, without an ending. */
export function recordingPath({ call, sid }: CallRecording): string {
  return `/2010-04-01/Accounts/${call.account.sid}/Recordings/${sid}`;
}

/** Events of a callback; `completed` when none is named. */
export function recordingEventsOf(names: readonly string[]): ReadonlySet<RecordingEvent> {
  const all = names.flatMap((name) => name.split(/\s+/));
  const known = recordingEvents.filter((event) => all.includes(event));
  return new Set(known.length === 0 ? ['completed'] : known);
}
