import type { TransferOutcome, WorkflowDefinition } from '@callkite/contract';
import { phrasesFor } from '../../agent/languages/phrases.ts';
import { maximumTalkSeconds } from '../../calls/call-limits.ts';
import type { CallRecord } from '../../calls/call-store.ts';
import type { CallInstruction, CarrierEvent, LegEvent } from '../../calls/carrier-adapter.ts';
import type { VelocityAlarm } from '../../calls/velocity-alarm.ts';
import { expectedReplies, replyOf } from './reply.ts';
import type { TransferLeg, TransferRecord, TransferStore } from './transfer-store.ts';

type DialEnded = Extract<CarrierEvent, { type: 'dial-ended' }>;

/** A call of a workflow whose agents may transfer it. */
export interface TransferableCall {
  readonly call: CallRecord;
  readonly definition: WorkflowDefinition;
  readonly attemptToken: string;
}

/**
 * The carrier's side of transfers: rings one number after the other, lets whoever answers decide, and takes the
 * callee back when nobody takes the call. What was begun is read from the store at every step, so that any process can
 * take the next one, and a webhook may come again.
 *
 * What the callee's line does next is an instruction, or `agent`: back to the agent, since nobody took the call.
 */
export interface TransferController {
  /** What the callee's line does next, after the agent let go of it; `null` when no transfer is under way. */
  begin(on: TransferableCall): Promise<CallInstruction | 'agent' | null>;
  /**
   * The same when the carrier asks what to do although a number may have been rung: it got no answer to how that
   * ended. Such a number is not rung again.
   */
  resume(on: TransferableCall): Promise<CallInstruction | 'agent' | null>;
  /** A number was rung. What the callee's line does next. */
  dialEnded(on: TransferableCall, event: DialEnded): Promise<CallInstruction | 'agent'>;
  /**
   * Something happened on the line of a number that was rung. @returns what to do there, where the carrier waits for it;
   * `refused` when that line is known as another carrier call
   */
  leg(
    on: TransferableCall,
    leg: { readonly legId: string; readonly providerCallId: string; readonly event: LegEvent },
  ): Promise<CallInstruction | 'refused' | null>;
}

export interface TransferControllerDeps {
  transfers: Pick<TransferStore, 'proceed' | 'report' | 'ofCall'>;
  /** Of organizations without a limit of their own, minutes a UTC day. `null`: unlimited. */
  defaultDailyMinutes: number | null;
  /** A number is to be rung. */
  onDial(call: CallRecord, velocityAlarm: VelocityAlarm | null): void;
  /** Whether a call may be transferred to a number. */
  keysFor(call: CallRecord): Promise<(phone: string) => string | null>;
  /** Whom agents call for, unless the workflow names somebody. */
  organizationName(organizationId: string): Promise<string>;
}

const hangUp: CallInstruction = { type: 'hang-up' };
/** Somebody who cannot be understood so often does not take the call. */
const maximumRounds = 3;

interface FoundLeg {
  readonly transfer: TransferRecord;
  readonly leg: TransferLeg;
}

const isOver = ({ state, cancelRequested }: CallRecord) => state === 'completed' || cancelRequested;

export function createTransferController(deps: TransferControllerDeps): TransferController {
  const { transfers } = deps;

  async function find(callId: string, legId: string): Promise<FoundLeg | null> {
    for (const transfer of await transfers.ofCall(callId)) {
      const leg = transfer.legs.find(({ id }) => id === legId);
      if (leg) return { transfer, leg };
    }
    return null;
  }

  async function begin({ call, attemptToken }: TransferableCall): Promise<CallInstruction | 'agent' | null> {
    const next = await transfers.proceed(call.id, await deps.keysFor(call), deps.defaultDailyMinutes);
    switch (next.step) {
      case 'none':
        return null;
      case 'return':
        return 'agent';
      case 'dial':
        deps.onDial(call, next.velocityAlarm);
        return {
          type: 'dial',
          attemptToken,
          legId: next.leg.id,
          to: next.leg.to,
          callerId: call.from,
          ringSeconds: next.transfer.ringSeconds,
          maximumTalkSeconds,
          screened: next.transfer.mode === 'warm',
        };
      // A webhook that comes again while its answer is carried out: nobody listens to this one.
      case 'under-way':
      case 'connected':
        return hangUp;
    }
  }

  async function ask(
    { call, definition, attemptToken }: TransferableCall,
    { transfer, leg }: FoundLeg,
    round: number,
  ): Promise<CallInstruction> {
    const { language, agent } = definition;
    const phrases = phrasesFor(language).transfer;
    const organization = agent.onBehalfOf ?? (await deps.organizationName(call.organizationId));
    return {
      type: 'ask',
      attemptToken,
      legId: leg.id,
      text: round === 1 ? phrases.offer(organization, transfer.summary) : '',
      question: phrases.question,
      expected: expectedReplies(language),
      language,
      voice: agent.voice ?? null,
      round,
    };
  }

  return {
    begin,
    async resume(on) {
      const open = (await transfers.ofCall(on.call.id))
        .filter(({ endedAt }) => endedAt === null)
        .flatMap(({ legs }) => legs)
        .find(({ dialedAt, endedAt }) => dialedAt !== null && endedAt === null);
      if (open) {
        await transfers.report(open.id, {
          providerCallId: null,
          progress: 'ended',
          outcome: 'failed',
          seconds: null,
        });
        if (open.outcome === 'connected') return hangUp;
      }
      return begin(on);
    },

    async dialEnded(on, event) {
      const found = await find(on.call.id, event.legId);
      if (found) {
        const outcome = outcomeOf(event, found);
        const wasAnswered = outcome === 'connected' || outcome === 'refused';
        const transfer = await transfers.report(event.legId, {
          providerCallId: event.providerLegId,
          progress: 'ended',
          outcome,
          seconds: wasAnswered ? event.durationSeconds : null,
        });
        if (transfer?.outcome === 'connected') return hangUp;
      }
      if (event.calleeLeft || isOver(on.call)) return hangUp;
      return (await begin(on)) ?? 'agent';
    },

    async leg(on, { legId, providerCallId, event }) {
      const found = await find(on.call.id, legId);
      const waits = event.type !== 'status';
      if (!found) return waits ? hangUp : null;
      const { transfer, leg } = found;
      if (leg.providerCallId !== null && leg.providerCallId !== providerCallId) return 'refused';
      const isCold = transfer.mode === 'cold';
      const report = (progress: 'dialed' | 'answered' | 'connected', seconds: number | null = null) =>
        transfers.report(legId, { providerCallId, progress, outcome: null, seconds });
      // A phone that rings for a call that is over, or that was answered too late.
      const isLate = leg.endedAt !== null || isOver(on.call);
      switch (event.type) {
        case 'status': {
          const wasAnswered = event.status === 'in-progress' || event.status === 'completed';
          const progress = !wasAnswered ? 'dialed' : isCold ? 'connected' : 'answered';
          await report(progress, wasAnswered ? event.durationSeconds : null);
          return null;
        }
        case 'picked-up':
          if (isLate) return hangUp;
          await report('answered');
          return ask(on, found, 1);
        case 'replied': {
          if (isLate) return hangUp;
          const reply = leg.outcome === 'connected' ? 'yes' : replyOf(event, on.definition.language);
          if (reply === 'unclear' && event.round < maximumRounds) return ask(on, found, event.round + 1);
          if (reply !== 'yes') return hangUp;
          await report('connected');
          return { type: 'connect' };
        }
      }
    },
  };
}

/** Why a number that was rung did not take the call, or that it did. */
function outcomeOf(event: DialEnded, { transfer, leg }: FoundLeg): TransferOutcome {
  const isWarm = transfer.mode === 'warm';
  const wasAnswered = event.status === 'completed' || event.status === 'in-progress';
  if (event.connected ?? (wasAnswered && !isWarm)) return 'connected';
  if (event.calleeLeft) return 'call_ended';
  if (isWarm && (wasAnswered || leg.answeredAt !== null)) return 'refused';
  switch (event.status) {
    case 'busy':
      return 'busy';
    case 'no-answer':
      return 'no_answer';
    default:
      return 'failed';
  }
}
