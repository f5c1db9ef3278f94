import type { CallReason } from '../contract/call-status.ts';
import type { WorkflowDefinition } from '../contract/workflow-definition.ts';
import type { EmitEvent } from '../events.ts';
import type { CallRecord, CallStore, TranscriptEntry } from '../ports/call-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallForm, FormStore } from '../ports/form-store.ts';
import type { LanguageModel, ModelMessage } from '../ports/language-model.ts';
import type { Logger } from '../ports/logger.ts';
import type { OrganizationStore } from '../ports/organization-store.ts';
import type { CalleeEvent, SpeechChannel } from '../ports/speech.ts';
import type { ToolCallRecord, ToolCallStore } from '../ports/tool-call-store.ts';
import type { AgentTool } from './agent-tool.ts';
import { agentTools } from './agent-tools.ts';
import { agentVoice } from './agent-voice.ts';
import { disclosureLine } from './disclosure.ts';
import { fillForms } from './form-filling.ts';
import { keepTrying } from './keep-trying.ts';
import { keypadTool } from './keypad.ts';
import { type TurnResult, takeTurn } from './model-turn.ts';
import { asksForNoMoreCalls } from './opt-out.ts';
import { phrasesFor } from './phrases.ts';
import { dialogue, instructionsFor } from './prompt.ts';
import { silenceWatch } from './silence.ts';
import { speechPieces } from './speech-pieces.ts';
import { callTools } from './tools.ts';
import { openTranscript } from './transcript.ts';

/** The key that asks for no more calls. */
const optOutDigit = '9';
/** So long before the time limit the agent says goodbye, or a third of the limit for short ones. */
const farewellMs = 20_000;

export interface ConversationOptions {
  readonly call: CallRecord;
  readonly definition: WorkflowDefinition;
  readonly organizationName: string;
  /** What was said before the channel was opened: on an earlier channel of the same call. */
  readonly earlier: readonly TranscriptEntry[];
  readonly forms: readonly CallForm[];
  /** Tools of the server that the workflow names. */
  readonly tools: readonly AgentTool[];
  /** Uses of them so far. */
  readonly toolCalls: readonly ToolCallRecord[];
  readonly channel: SpeechChannel;
  readonly languageModel: LanguageModel;
  readonly storage: {
    readonly calls: Pick<CallStore, 'appendTranscript' | 'transcript' | 'noteReason'>;
    readonly organizations: Pick<OrganizationStore, 'addDoNotCall'>;
    readonly forms: Pick<FormStore, 'storeAnswer'>;
    readonly toolCalls: Pick<ToolCallStore, 'begin' | 'finish'>;
  };
  readonly emit: EmitEvent;
  readonly logger: Logger;
  readonly clock: Clock;
}

export interface Conversation {
  handle(event: CalleeEvent): void;
  /** Closes the channel at once and stores what was heard. */
  drop(): void;
  /** Resolves when the channel is closed and everything is stored. Never rejects. */
  readonly finished: Promise<void>;
}

/** One live conversation. Holds no state that matters elsewhere: another process can go on from the store. */
export function converse(options: ConversationOptions): Conversation {
  const { call, definition, organizationName, earlier, channel, storage, emit, logger, clock } = options;
  const callId = call.id;
  const phrases = phrasesFor(definition.language);
  const transcript = openTranscript({ callId, store: storage.calls, earlier, emit, logger });
  const forms = fillForms({
    callId,
    calleePhone: call.to,
    forms: options.forms,
    transcript,
    store: storage.forms,
    logger,
  });
  const ownTools = agentTools({
    call,
    tools: options.tools,
    earlier: options.toolCalls,
    store: storage.toolCalls,
    logger,
  });
  const tools = [
    ...callTools,
    ...(definition.abilities.keypad ? [keypadTool(channel, transcript)] : []),
    ...forms.tools,
    ...ownTools.tools,
  ];
  const silence = silenceWatch({ silenceMs: definition.endRules.silenceSeconds * 1000, onSilence });
  const voice = agentVoice({ channel, transcript, silence });
  const writes: Promise<void>[] = [];
  const timers: NodeJS.Timeout[] = [];
  let phase: 'waiting' | 'talking' | 'ending' | 'over' = 'waiting';
  let turn: AbortController | null = null;
  let askedWhetherThere = false;
  let isTimeUp = false;
  let hasOptedOut = false;
  let resolveFinished: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    resolveFinished = resolve;
  });

  function write(what: string, operation: () => Promise<void>): void {
    writes.push(
      keepTrying(operation).catch((error: unknown) =>
        logger.error({ callId, error }, `${what} could not be stored`),
      ),
    );
  }

  function begin(): void {
    phase = 'talking';
    const limitMs = definition.endRules.maximumDurationSeconds * 1000;
    const ageMs = call.answeredAt === null ? 0 : Math.max(0, clock.now() - call.answeredAt.getTime());
    const leftMs = Math.max(0, limitMs - ageMs);
    timers.push(
      setTimeout(onTimeNearlyUp, Math.max(0, leftMs - Math.min(farewellMs, limitMs / 3))),
      setTimeout(onTimeUp, leftMs),
    );
    const disclosure = disclosureLine(definition, organizationName);
    const wasDisclosed = earlier.some(({ role, content }) => role === 'assistant' && content === disclosure);
    if (wasDisclosed) {
      const messages = dialogue(transcript.entries, [], true);
      voice.say(phrases.resumed, { last: true });
      startTurn(messages, null);
      return;
    }
    voice.say(disclosure, { last: true, interruptible: false });
    if (definition.opening === undefined) startTurn(dialogue(transcript.entries, voice.unheard, false), null);
    else voice.say(definition.opening, { last: true });
  }

  function startTurn(messages: readonly ModelMessage[], saidAtMs: number | null): void {
    const own = new AbortController();
    turn = own;
    silence.hold();
    const pieces = speechPieces();
    const askedAtMs = performance.now();
    let modelMs: number | null = null;
    let hasSpoken = false;

    function speakPiece(piece: string, last: boolean): void {
      voice.say(piece, { last });
      if (hasSpoken || piece === '') return;
      hasSpoken = true;
      if (saidAtMs !== null) {
        const totalMs = performance.now() - saidAtMs;
        emit({ type: 'turn.started', callId, totalMs, modelMs: modelMs ?? totalMs });
      }
    }

    const result = takeTurn({
      callId,
      languageModel: options.languageModel,
      instructions: instructionsFor(definition, organizationName, call, {
        results: ownTools.describe(),
        forms: forms.describe(),
      }),
      messages,
      tools,
      turn: transcript.calleeTurns,
      signal: own.signal,
      onText(text) {
        modelMs ??= performance.now() - askedAtMs;
        for (const piece of pieces.push(text)) speakPiece(piece, false);
      },
      onSlow() {
        for (const piece of [...pieces.push(' '), pieces.flush()]) speakPiece(piece, false);
        voice.say(`${phrases.oneMoment} `, { last: false });
      },
      logger,
    });
    void result.then((how) => {
      if (turn !== own || how === 'aborted') return;
      speakPiece(pieces.flush(), true);
      turn = null;
      silence.release();
      concludeTurn(how, hasSpoken);
    });
  }

  function concludeTurn(how: TurnResult, hasSpoken: boolean): void {
    if (how === 'opt-out') optOut();
    else if (how === 'failed') sayAndEnd(phrases.apology, 'agent_unavailable');
    else if (how === 'end-call') sayAndEnd(hasSpoken ? '' : phrases.goodbye, null);
    else if (isTimeUp) sayAndEnd(phrases.timeIsUp, 'time_limit');
  }

  function stopTurn(): void {
    if (turn === null) return;
    turn.abort();
    turn = null;
    silence.release();
  }

  function sayAndEnd(text: string, reason: CallReason | null, interruptible = true): void {
    stopTurn();
    voice.finishUtterance();
    voice.say(text, { last: true, interruptible });
    phase = 'ending';
    silence.stop();
    if (reason !== null) write('the reason of the end', () => storage.calls.noteReason(callId, reason));
    channel.end();
  }

  function optOut(): void {
    if (hasOptedOut) return;
    hasOptedOut = true;
    write('an opt-out', () =>
      storage.organizations.addDoNotCall({
        organizationId: call.organizationId,
        phoneNumber: call.to,
        source: 'callee',
        callId,
      }),
    );
    if (phase === 'talking') sayAndEnd(phrases.optedOut, 'opted_out', false);
    else write('the reason of the end', () => storage.calls.noteReason(callId, 'opted_out'));
  }

  function onSaid(text: string): void {
    const saidAtMs = performance.now();
    const words = text.trim();
    if (words === '') return;
    takeCalleeTurn(words);
    if (asksForNoMoreCalls(words)) optOut();
    else if (phase === 'talking') startTurn(dialogue(transcript.entries, voice.unheard, false), saidAtMs);
  }

  function onPressed(digit: string): void {
    takeCalleeTurn(`(pressed ${digit})`);
    if (digit === optOutDigit) optOut();
  }

  function takeCalleeTurn(content: string): void {
    voice.progressed({ type: 'callee-turn' });
    stopTurn();
    voice.finishUtterance();
    silence.calleeSpeaking(false);
    askedWhetherThere = false;
    transcript.add({ role: 'user', content, interrupted: false });
  }

  function onInterrupted(heardText: string): void {
    voice.progressed({ type: 'interrupted', heardText });
    stopTurn();
  }

  function onSilence(): void {
    if (askedWhetherThere) {
      sayAndEnd(phrases.goodbye, 'callee_silent');
      return;
    }
    askedWhetherThere = true;
    voice.say(phrases.stillThere, { last: true });
  }

  function onTimeNearlyUp(): void {
    if (turn !== null) isTimeUp = true;
    else if (phase === 'talking') sayAndEnd(phrases.timeIsUp, 'time_limit');
  }

  function onTimeUp(): void {
    if (phase === 'talking') sayAndEnd('', 'time_limit');
  }

  function onClosed(): void {
    phase = 'over';
    stopTurn();
    silence.stop();
    for (const timer of timers) clearTimeout(timer);
    voice.progressed({ type: 'closed', atMs: performance.now() });
    void Promise.all([transcript.settled(), forms.settled(), ownTools.settled(), ...writes]).then(
      resolveFinished,
    );
  }

  function handle(event: CalleeEvent): void {
    if (phase === 'over') return;
    switch (event.type) {
      case 'ready':
        if (phase === 'waiting') begin();
        return;
      case 'said':
        onSaid(event.text);
        return;
      case 'pressed':
        onPressed(event.digit);
        return;
      case 'interrupted':
        onInterrupted(event.heardText);
        return;
      case 'callee-speaking':
        silence.calleeSpeaking(event.speaking);
        return;
      case 'played':
      case 'agent-speaking':
        voice.progressed(event);
        return;
      case 'failed':
        logger.warn({ callId }, 'the carrier reported an error on the speech channel');
        return;
      case 'closed':
        onClosed();
        return;
    }
  }

  return {
    handle,
    drop() {
      channel.close();
      handle({ type: 'closed' });
    },
    finished,
  };
}
