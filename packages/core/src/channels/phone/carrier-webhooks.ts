import type { CallReason, WorkflowDefinition } from '@callkite/contract';
import { answering, answerState } from '../../agent/answer-detection/answering.ts';
import { languageSpoken } from '../../agent/languages/call-language.ts';
import type { CarrierAnnouncer } from '../../agent/session/carrier-announcer.ts';
import { recognitionHints } from '../../agent/session/hints.ts';
import { transcriptWriter } from '../../agent/session/transcript-writer.ts';
import { isTerminal } from '../../calls/call-status.ts';
import type { AttemptRecord, CallRecord, CallStore, ReportResult } from '../../calls/call-store.ts';
import type {
  AnsweredBy,
  CallInstruction,
  CarrierAccount,
  CarrierAdapter,
  CarrierEvent,
  CarrierRecording,
  VerifiedCarrierEvent,
  VoiceMode,
} from '../../calls/carrier-adapter.ts';
import type { CarrierConnection } from '../../calls/carrier-connection.ts';
import type { CallChannel, TextSocket } from '../../calls/speech.ts';
import { areComplete } from '../../features/forms/form-fills.ts';
import type { FormStore } from '../../features/forms/form-store.ts';
import { recordingModeOf } from '../../features/recordings/recording-mode.ts';
import type { Recordings } from '../../features/recordings/recordings.ts';
import type { TransferController } from '../../features/transfers/transfer-controller.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import type { HttpRequest, HttpResponse } from '../../kernel/http.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Mode } from '../../kernel/mode.ts';
import { retry } from '../../kernel/retry.ts';
import { aloud } from './aloud.ts';
import type { AttemptTokens } from './attempt-token.ts';
import { channelAdmission } from './channel-admission.ts';

/** Where carriers reach us: everything below `/carriers/{carrier}/`. */
export interface CarrierWebhooks {
  /**
   * Verifies, applies and answers one webhook. 403 when it is not genuine or names the call of another attempt, 404 for
   * an unknown carrier.
   */
  webhook(carrier: string, path: string, request: HttpRequest): Promise<HttpResponse>;
  /** Verifies a WebSocket upgrade. @returns what to do with the accepted socket, or the refusal */
  upgrade(
    carrier: string,
    path: string,
    request: HttpRequest,
  ): Promise<{ readonly accept: (socket: TextSocket) => void } | { readonly refuse: HttpResponse }>;
}

export interface CarrierWebhooksDeps {
  calls: CallStore;
  forms: Pick<FormStore, 'ofCall'>;
  carriers: ReadonlyMap<string, CarrierAdapter>;
  tokens: AttemptTokens;
  transfers: TransferController;
  accountOf(connection: CarrierConnection): CarrierAccount;
  beginConversation(callId: string, channel: CallChannel, line: CarrierAnnouncer): void;
  recordings: Pick<Recordings, 'announce' | 'end' | 'forgo' | 'report'>;
  voiceModeOf(definition: WorkflowDefinition, mode: Mode): VoiceMode;
  /** What is left on a mailbox; `null` for nothing. */
  voicemailMessage(definition: WorkflowDefinition, call: CallRecord): Promise<string | null>;
  /** Spoken when the agent cannot go on, in the workflow's language. */
  apology(definition: WorkflowDefinition, organizationId: string): Promise<string>;
  /** Spoken when not even the workflow can be looked up. */
  lastApology: CallInstruction;
  onReport(result: ReportResult): void;
  logger: Logger;
}

const hangUp: CallInstruction = { type: 'hang-up' };
const lostChannelsAllowed = 2;
/** A machine records for long, but not for ever. */
const redirectForMs = 5_000;

const refusal = (status: number, error: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error }),
});

const wantsInstructions = (event: CarrierEvent) =>
  event.type === 'instructions-wanted' || event.type === 'channel-ended' || event.type === 'dial-ended';

const mayBeTransferred = ({ abilities }: WorkflowDefinition) => abilities.transfer.length > 0;

/** Why a call is over for us that may live on at the carrier. */
const givenUp: readonly (CallReason | null)[] = [
  'carrier_record_missing',
  'carrier_record_stuck',
  'internal',
];

const isToBeEnded = (call: CallRecord) =>
  call.state === 'completed' ? givenUp.includes(call.reason) : call.cancelRequested;

type ChannelEnd = Extract<CarrierEvent, { type: 'channel-ended' }>['how'];

const isLost = (how: ChannelEnd, call: CallRecord) =>
  how === 'lost' || (how === 'unknown' && !call.conversationOver);
type LegTold = Extract<CarrierEvent, { type: 'leg' }>;
/** What is told of the callee's own line. */
type CallEvent = Exclude<CarrierEvent, LegTold>;

/** Before the end the verdict counts from the webhook that acts on it only. */
function verdictOf(event: CallEvent): AnsweredBy | null {
  if (!('answeredBy' in event) || (event.type === 'status' && !isTerminal(event.status))) return null;
  return event.answeredBy;
}

export function createCarrierWebhooks(deps: CarrierWebhooksDeps): CarrierWebhooks {
  const { calls, tokens, logger } = deps;
  const beginOn = channelAdmission(deps);

  async function secretOf(attemptToken: string): Promise<string | null> {
    const attemptId = tokens.verify(attemptToken);
    const connection = attemptId === null ? null : await calls.connectionOfAttempt(attemptId);
    return connection && deps.accountOf(connection).secret;
  }

  /**
   * A carrier call that is bound to an attempt is that attempt's alone: the token of another cannot speak for it, nor
   * have it ended as a ghost.
   */
  async function isCallOfAnother(attempt: AttemptRecord | null, providerCallId: string): Promise<boolean> {
    return attempt?.providerCallId !== providerCallId && (await calls.isBound(providerCallId));
  }

  /** Applies one verified event. @returns the instruction, where the carrier waits for one */
  async function apply(
    telephony: CarrierAdapter,
    verified: VerifiedCarrierEvent,
  ): Promise<CallInstruction | 'refused' | null> {
    const { event, providerCallId } = verified;
    const attemptId = tokens.verify(verified.attemptToken);
    if (attemptId === null) return hangUp;
    if (event.type === 'recording') return noteRecording(attemptId, providerCallId, event.recording);
    if (event.type === 'leg') return onLeg(verified, attemptId, event);
    const result = await calls.report(attemptId, {
      providerCallId,
      status: event.type === 'status' ? event.status : 'in-progress',
      answeredBy: verdictOf(event),
      durationSeconds: event.type === 'status' ? event.durationSeconds : null,
    });
    deps.onReport(result);
    const goesOn = event.type !== 'status' || !isTerminal(event.status);
    if (result.result !== 'applied') {
      if (await isCallOfAnother(await calls.getAttempt(attemptId), providerCallId)) return 'refused';
      if (!goesOn) return null;
      logger.error(
        { attemptId, result: result.result },
        'ending a carrier call that belongs to no open attempt',
      );
      if (!wantsInstructions(event)) await endAtCarrier(telephony, attemptId, providerCallId);
      return hangUp;
    }
    // Canceled before the carrier's id was known: whoever tells the id finds the request here. Or given up by us.
    if (goesOn && isToBeEnded(result.call) && !wantsInstructions(event)) {
      await endAtCarrier(telephony, attemptId, providerCallId);
      return null;
    }
    switch (event.type) {
      case 'status':
        return null;
      case 'answered-by':
        // `changed` comes true once, however often the verdict is repeated: nobody is to hear the message twice.
        if (result.changed) await detected(telephony, verified, event, result.call);
        return null;
      case 'instructions-wanted':
        return answer(verified.attemptToken, result.call, event.answeredBy);
      case 'channel-ended':
        return goOn(verified.attemptToken, result.call, event.how);
      case 'dial-ended': {
        const loaded = await calls.load(result.call.id);
        if (!loaded) return hangUp;
        const { attemptToken } = verified;
        const { definition } = loaded;
        const next = await deps.transfers.dialEnded({ ...loaded, attemptToken }, event);
        return next === 'agent' ? converse(attemptToken, loaded.call, definition) : next;
      }
    }
  }

  /** The line of somebody a call is transferred to: not that of the attempt, whose carrier call stays what it is. */
  async function onLeg(
    { attemptToken, providerCallId }: VerifiedCarrierEvent,
    attemptId: string,
    { legId, event }: LegTold,
  ): Promise<CallInstruction | 'refused' | null> {
    if (await calls.isBound(providerCallId)) return 'refused';
    const attempt = await calls.getAttempt(attemptId);
    const loaded = attempt && (await calls.load(attempt.callId));
    if (!loaded) return event.type === 'status' ? null : hangUp;
    return deps.transfers.leg({ ...loaded, attemptToken }, { legId, providerCallId, event });
  }

  /** The agent's channel is gone and the callee may be there: a transfer, or the end, or the agent again. */
  async function goOn(attemptToken: string, call: CallRecord, how: ChannelEnd): Promise<CallInstruction> {
    if (how === 'callee-left') return hangUp;
    const loaded = await calls.load(call.id);
    if (!loaded || call.cancelRequested || call.state === 'completed') return hangUp;
    const { definition } = loaded;
    const transfer = mayBeTransferred(definition)
      ? await deps.transfers.begin({ call, definition, attemptToken })
      : null;
    if (transfer === 'agent') return converse(attemptToken, call, definition);
    if (transfer !== null && definition.recording.mode !== 'off') await endRecording(call.id);
    return transfer ?? (isLost(how, call) ? reconnect(attemptToken, call, definition) : hangUp);
  }

  /** The transfer has begun and is carried out in any case; the job that follows the recording ends it a little later. */
  async function endRecording(callId: string): Promise<void> {
    try {
      await deps.recordings.end(callId);
    } catch (error) {
      logger.warn({ callId, err: error }, 'failed to stop a recording; will retry');
    }
  }

  async function answer(
    attemptToken: string,
    call: CallRecord,
    answeredBy: AnsweredBy | null,
  ): Promise<CallInstruction> {
    if (call.cancelRequested || call.state === 'completed') return hangUp;
    const loaded = await calls.load(call.id);
    if (!loaded) return hangUp;
    const { definition } = loaded;
    if (answeredBy === 'fax') return hangUp;
    if (answeredBy === 'machine') {
      const instruction = await mailboxInstruction(call, definition);
      if (instruction.type === 'say') await noteMessage(call.id, instruction.text);
      return instruction;
    }
    const transfer = mayBeTransferred(definition)
      ? await deps.transfers.resume({ call, definition, attemptToken })
      : null;
    if (transfer !== null && transfer !== 'agent') return transfer;
    // A call that comes back from a transfer is recorded already.
    const record =
      transfer === null &&
      recordingModeOf(definition, call) === 'announce' &&
      (await deps.recordings.announce(call.id));
    return { ...converse(attemptToken, call, definition), record };
  }

  async function noteRecording(
    attemptId: string,
    providerCallId: string,
    recording: CarrierRecording,
  ): Promise<'refused' | null> {
    const attempt = await calls.getAttempt(attemptId);
    if (await isCallOfAnother(attempt, providerCallId)) return 'refused';
    const loaded = attempt?.providerCallId === providerCallId && (await calls.load(attempt.callId));
    if (!loaded) return null;
    await deps.recordings.report(loaded.call.id, recording, loaded.definition.recording.retentionDays);
    return null;
  }

  const converse = (
    attemptToken: string,
    call: CallRecord,
    definition: WorkflowDefinition,
    preamble: string | null = null,
  ): Extract<CallInstruction, { type: 'converse' }> => ({
    type: 'converse',
    attemptToken,
    mode: deps.voiceModeOf(definition, call.mode),
    preamble,
    record: false,
    language: definition.language,
    languages: definition.languages,
    voice: definition.agent.voice ?? null,
    hints: recognitionHints(definition, null, call),
  });

  /** The callee is still on the line: go on where the transcript ends, unless this keeps happening. */
  async function reconnect(
    attemptToken: string,
    call: CallRecord,
    definition: WorkflowDefinition,
  ): Promise<CallInstruction> {
    const lost = await calls.countLostChannel(call.id);
    const goingOn = await inItsLanguage(call, definition);
    if (lost <= lostChannelsAllowed) return converse(attemptToken, call, goingOn);
    // What was collected is all there, and only the words after it are missing.
    const isReached = definition.forms.length > 0 && areComplete(await deps.forms.ofCall(call.id));
    if (isReached) await calls.noteReason(call.id, 'agent_unavailable');
    else await calls.noteAgentFailed(call.id);
    const { language, agent } = goingOn;
    const text = await deps.apology(goingOn, call.organizationId);
    return { type: 'say', text, language, voice: agent.voice ?? null };
  }

  /** In the language that the call has come to, which may have become another one. */
  async function inItsLanguage(
    call: CallRecord,
    definition: WorkflowDefinition,
  ): Promise<WorkflowDefinition> {
    const { language, languages } = definition;
    if (languages.length === 0) return definition;
    const now = languageSpoken(definition, await calls.transcript(call.id));
    return {
      ...definition,
      language: now,
      languages: [language, ...languages].filter((each) => each !== now),
    };
  }

  async function mailboxInstruction(
    call: CallRecord,
    definition: WorkflowDefinition,
  ): Promise<CallInstruction> {
    const text = await deps.voicemailMessage(definition, call);
    if (text === null) return hangUp;
    return { type: 'say', text, language: definition.language, voice: definition.agent.voice ?? null };
  }

  /**
   * The verdict came while the agent talks with whoever answered. What the conversation has heard outweighs it: a person,
   * an assistant, a menu, or a mailbox it is leaving the message on. Before the end of a greeting there is nothing to do.
   */
  async function detected(
    telephony: CarrierAdapter,
    { attemptToken, providerCallId }: VerifiedCarrierEvent,
    { answeredBy, greetingEnded, beeped }: Extract<CarrierEvent, { type: 'answered-by' }>,
    call: CallRecord,
  ): Promise<void> {
    const attemptId = tokens.verify(attemptToken);
    const known = answerState({ heard: call.heard, keyPresses: 0 });
    // Nobody but a mailbox beeps, whatever was heard before.
    const { action } = answering(
      known,
      beeped ? { type: 'beep' } : { type: 'detected', answeredBy, greetingEnded },
    );
    if (attemptId === null || action === null) return;
    if (action.type === 'hang-up') await endAtCarrier(telephony, attemptId, providerCallId);
    if (action.type === 'leave-message') await leaveMessage(telephony, attemptId, providerCallId, call);
  }

  /** Replaces the conversation by the message, which the carrier speaks even if we are gone. */
  async function leaveMessage(
    telephony: CarrierAdapter,
    attemptId: string,
    providerCallId: string,
    call: CallRecord,
  ): Promise<void> {
    const loaded = await calls.load(call.id);
    const connection = await calls.connectionOfAttempt(attemptId);
    if (!loaded || !connection || call.state === 'completed') return;
    // Nobody was there to hear that the call is recorded.
    if (loaded.definition.recording.mode !== 'off') await deps.recordings.forgo(call.id);
    const instruction = await mailboxInstruction(call, loaded.definition);
    const account = deps.accountOf(connection);
    if (instruction.type !== 'say') {
      await telephony.endCall(account, providerCallId);
      return;
    }
    // The carrier's repetition of this webhook would not bring us here again.
    await retry(() => telephony.redirectCall(account, providerCallId, aloud(instruction)), {
      giveUpAfterMs: redirectForMs,
    });
    // The agent's last words before the redirection are on record by now, or will be at the end of their channel.
    await noteMessage(call.id, instruction.text);
  }

  async function noteMessage(callId: string, content: string): Promise<void> {
    const { length } = await calls.transcript(callId);
    await transcriptWriter(calls, callId, length)({ role: 'assistant', content, interrupted: false });
  }

  /** The carrier's own voice on one live call. */
  function lineOf(telephony: CarrierAdapter, attemptId: string, attemptToken: string): CarrierAnnouncer {
    async function say(text: string, then: 'hang-up' | 'converse'): Promise<void> {
      const [attempt, connection] = await Promise.all([
        calls.getAttempt(attemptId),
        calls.connectionOfAttempt(attemptId),
      ]);
      const loaded = attempt && (await calls.load(attempt.callId));
      if (!loaded || !connection || !attempt?.providerCallId) {
        throw new CallkiteError('not_found', 'the call is not known to the carrier');
      }
      const { call } = loaded;
      const definition = await inItsLanguage(call, loaded.definition);
      const { language, agent } = definition;
      const instruction: CallInstruction =
        then === 'converse'
          ? converse(attemptToken, call, definition, text)
          : { type: 'say', text, language, voice: agent.voice ?? null };
      const { providerCallId } = attempt;
      await telephony.redirectCall(deps.accountOf(connection), providerCallId, aloud(instruction));
    }
    return { say: (text, then) => retry(() => say(text, then), { giveUpAfterMs: redirectForMs }) };
  }

  async function endAtCarrier(
    telephony: CarrierAdapter,
    attemptId: string,
    providerCallId: string,
  ): Promise<void> {
    const connection = await calls.connectionOfAttempt(attemptId);
    if (connection) await telephony.endCall(deps.accountOf(connection), providerCallId);
  }

  return {
    async webhook(carrier, path, request) {
      const telephony = deps.carriers.get(carrier);
      if (!telephony) return refusal(404, 'No such carrier');
      try {
        const verified = await telephony.receiveWebhook(path, request, secretOf);
        if (!verified) return refusal(403, 'The signature or the token of this request is not genuine');
        const instruction = await apply(telephony, verified);
        if (instruction === 'refused') {
          logger.error({ path }, 'refused a webhook whose token and call do not belong together');
          return refusal(403, 'The token of this request belongs to another call');
        }
        return instruction ? telephony.renderInstruction(aloud(instruction)) : telephony.acknowledge();
      } catch (error) {
        if (!telephony.isLastResort(path)) throw error;
        logger.error({ err: error }, 'failed to look up an answered call; playing an apology');
        return telephony.renderInstruction(deps.lastApology);
      }
    },
    async upgrade(carrier, path, request) {
      const telephony = deps.carriers.get(carrier);
      if (!telephony) return { refuse: refusal(404, 'No such carrier') };
      const verified = await telephony.receiveUpgrade(path, request, secretOf);
      const attemptId = verified && tokens.verify(verified.attemptToken);
      if (!verified || !attemptId) {
        return { refuse: refusal(403, 'The signature or the token of this request is not genuine') };
      }
      const attempt = await calls.getAttempt(attemptId);
      if (!attempt || attempt.state === 'not_placed' || attempt.state === 'ended') {
        return { refuse: refusal(410, 'This call is over') };
      }
      const line = lineOf(telephony, attemptId, verified.attemptToken);
      return { accept: (socket) => void beginOn(attempt, verified.open(socket), line) };
    },
  };
}
