import type { CallState } from '@callkite/contract';
import type { CallkiteEvent, Logger } from '@callkite/core';
import { maskedNumber } from './masked-number.ts';
import type { Terminal } from './terminal.ts';

/** What a person reads for a state. The end of a call has words of its own. */
export const stateWords: Record<Exclude<CallState, 'completed'>, string> = {
  queued: 'queued',
  dialing: 'dialing',
  ringing: 'ringing',
  in_progress: 'answered',
  unknown: 'asking the carrier what happened to the call',
};

/** A call as it goes on: `state` is `accepted`, a state of the call, or how it ended. */
interface CallLine {
  readonly callId: string;
  /** Masked. `null` when this process does not know it. */
  readonly number: string | null;
  readonly state: string;
}

/** Writes one line when a call is accepted and one for each change of its state. */
export interface CallLog {
  observe(event: CallkiteEvent): void;
  /** Leaves out a call that is shown in another way. */
  ignore(callId: string): void;
}

/** Calls whose last state is remembered: several webhooks may report the same one. */
const rememberedCalls = 10_000;

export function createCallLog(write: (line: CallLine) => void): CallLog {
  const known = new Map<string, { state: string; number: string | null }>();
  const ignored = new Set<string>();

  function note(callId: string, state: string, number: string | null): void {
    const before = known.get(callId);
    if (ignored.has(callId) || before?.state === state) return;
    known.delete(callId);
    known.set(callId, { state, number: number ?? before?.number ?? null });
    if (known.size > rememberedCalls) known.delete(known.keys().next().value ?? '');
    write({ callId, state, number: number ?? before?.number ?? null });
  }

  return {
    ignore: (callId) => void ignored.add(callId),
    observe(event) {
      switch (event.type) {
        case 'call.accepted':
          note(event.callId, 'accepted', maskedNumber(event.to));
          break;
        case 'call.state':
          if (event.state !== 'completed') note(event.callId, event.state, maskedNumber(event.to));
          break;
        // Not `call.completed`: a call that is ended while it is queued has none.
        case 'call.finished': {
          const { callStatus, providerStatus } = event.outcome;
          note(event.callId, [callStatus, providerStatus, event.reason ?? []].flat().join(', '), null);
          known.delete(event.callId);
          ignored.delete(event.callId);
          break;
        }
      }
    },
  };
}

/** Lines for people: time, number, what happened, and the id at the end. */
export function printCallLine({ print, paint }: Terminal): (line: CallLine) => void {
  return ({ callId, number, state }) => {
    const time = new Date().toISOString().slice(11, 19);
    const words = state in stateWords ? stateWords[state as keyof typeof stateWords] : state;
    print(`${paint.quiet(time)}  ${(number ?? '').padEnd(13)} ${words}  ${paint.quiet(callId)}`);
  };
}

export function logCallLine(logger: Pick<Logger, 'info'>): (line: CallLine) => void {
  return (line) => logger.info(line, 'call');
}
