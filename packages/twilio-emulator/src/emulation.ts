import type { Callee } from './callees/callee.ts';
import type { Call, CallRequest } from './calls/call.ts';
import type { CallRecordings } from './calls/call-recordings.ts';
import type { FaultInjector } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Pace } from './line/pace.ts';
import type { Recordings } from './media/recordings.ts';
import type { CallEvent } from './options.ts';
import type { Webhooks } from './webhooks.ts';

/** What every part of one running emulator shares. */
export interface Emulation {
  readonly pace: Pace;
  readonly faults: FaultInjector;
  readonly webhooks: Webhooks;
  readonly ledger: Ledger;
  readonly allowInsecureLoopback: boolean;
  readonly keepTranscripts: boolean;
  /** Undefined when the sound of streams is not kept. */
  readonly recordings: Recordings | undefined;
  readonly callRecordings: CallRecordings;
  /** The callee that answers a number; undefined when nobody does. */
  calleeAt(number: string): Callee | undefined;
  /** Dials another leg at once, on behalf of `parent`. */
  placeChild(parent: Call, request: CallRequest): Call;
  onEvent(event: CallEvent): void;
}
