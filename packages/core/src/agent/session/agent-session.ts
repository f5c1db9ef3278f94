import type { CallReason, WorkflowDefinition } from '@callkite/contract';
import type { CallRecord, CallStore, HeardAnswer, TranscriptEntry } from '../../calls/call-store.ts';
import { calleeTime } from '../../calls/callee-time.ts';
import type { AnsweredBy } from '../../calls/carrier-adapter.ts';
import type { CallChannel } from '../../calls/speech.ts';
import type { OptOuts } from '../../features/do-not-call/do-not-call-store.ts';
import type { CallForm, FormStore } from '../../features/forms/form-store.ts';
import type {
  NewTransfer,
  TransferIntegration,
  TransferRecord,
  TransferStore,
} from '../../features/transfers/transfer-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import type { EmitEvent } from '../../kernel/events.ts';
import type { Logger } from '../../kernel/logger.ts';
import { retry } from '../../kernel/retry.ts';
import { fillForms } from '../abilities/form-filling.ts';
import { keyPresses, keypadTool } from '../abilities/keypad.ts';
import { optOutWish } from '../abilities/opt-out-wish.ts';
import { type CallRecording, recordingConsent } from '../abilities/recording-consent.ts';
import { transferAbility } from '../abilities/transfer-ability.ts';
import { answerDetection, noDetection } from '../answer-detection/answer-detection.ts';
import type { AnswerAction } from '../answer-detection/answering.ts';
import { createCanary, outputGuardrail } from '../guardrails/output-guardrail.ts';
import { callLanguage, languageSpoken } from '../languages/call-language.ts';
import { isBackchannel, isFarewell } from '../languages/small-words.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { SpeechModel } from '../ports/speech-model.ts';
import { realtimePipeline } from '../realtime/realtime-pipeline.ts';
import { relayPipeline } from '../relay/relay-pipeline.ts';
import type { AgentTool } from '../tools/agent-tool.ts';
import { customTools } from '../tools/custom-tools.ts';
import type { ToolCallRecord, ToolCallStore } from '../tools/tool-call-store.ts';
import { builtInTools, type ToolEffect, type ToolOutcome } from '../tools/tools.ts';
import type { CarrierAnnouncer } from './carrier-announcer.ts';
import { disclosureLine, isDisclosure, screeningLine, voicemailMessage } from './disclosure.ts';
import { recognitionHints } from './hints.ts';
import { inactivityTimer } from './inactivity-timer.ts';
import { instructionsFor, wordsOfBrief } from './prompt.ts';
import type { PipelineListener, PipelineOptions, SpeechPipeline } from './speech-pipeline.ts';
import { openTranscript } from './transcript.ts';

/** The key that asks for no more calls. */
const optOutDigit = '9';
/** So long before the time limit the agent says goodbye, or a third of the limit for short ones. */
const farewellMs = 20_000;
/** So long after the goodbye was heard, the callee may still say something. */
const openAfterGoodbyeMs = 1_200;
/** A callee, or a machine that is left, waits for the store to know who answered. */
const longestNoteMs = 2_000;
/** How long a transfer may wait to be stored. */
const longestRequestMs = 5_000;

export interface AgentSessionOptions {
  readonly call: CallRecord;
  readonly definition: WorkflowDefinition;
  readonly organizationName: string;
  /** What was said before the channel was opened: on an earlier channel of the same call. */
  readonly earlier: readonly TranscriptEntry[];
  /** What the carrier says of who answered, as it is on record by now. */
  detected(): Promise<AnsweredBy | null>;
  readonly forms: readonly CallForm[];
  /** Tools of the server that the workflow names. */
  readonly tools: readonly AgentTool[];
  /** Uses of them so far. */
  readonly toolCalls: readonly ToolCallRecord[];
  readonly transfers: {
    /** Whom the call can be transferred to. */
    readonly offered: readonly TransferIntegration[];
    /** What was tried before. */
    readonly earlier: readonly TransferRecord[];
    /** Nobody took the call, and the callee comes back with this channel. */
    readonly isBack: boolean;
    numbersOf(integration: TransferIntegration): Promise<NewTransfer['legs']>;
  };
  readonly channel: CallChannel;
  readonly languageModel: LanguageModel;
  /** For channels of sound. */
  readonly speechModel: SpeechModel | null;
  readonly line: CarrierAnnouncer | null;
  readonly recording: CallRecording;
  readonly storage: {
    readonly calls: Pick<
      CallStore,
      | 'appendTranscript'
      | 'transcript'
      | 'noteReason'
      | 'noteAgentFailed'
      | 'noteHeard'
      | 'noteConversationOver'
    >;
    readonly organizations: OptOuts;
    readonly forms: Pick<FormStore, 'storeAnswer' | 'removeAnswer'>;
    readonly toolCalls: Pick<ToolCallStore, 'begin' | 'finish'>;
    readonly transfers: Pick<TransferStore, 'request' | 'storeMessage'>;
  };
  readonly emit: EmitEvent;
  readonly logger: Logger;
  readonly clock: Clock;
}

export interface AgentSession {
  /** Tells the agent what is known of the callee besides, from the next turn on. */
  note(text: string): void;
  /** The callee has the call on hold, or is back. */
  pause(on: boolean): void;
  /** Closes the channel at once and stores what was heard. */
  drop(): void;
  /** Resolves when the channel is closed and everything is stored. Never rejects. */
  readonly finished: Promise<void>;
}

/** One live conversation. Holds no state that matters elsewhere: another process can go on from the store. */
export function startAgentSession(options: AgentSessionOptions): AgentSession {
  const { call, definition, organizationName, earlier, storage, emit, logger, clock } = options;
  const callId = call.id;
  /** The callee is a visitor of a web page, who came to us and has no number. */
  const isWebCall = call.connectionId === null;
  const disclosure = disclosureLine(definition, organizationName, isWebCall ? 'browser' : 'phone');
  const notes: string[] = [];
  const transcript = openTranscript({ callId, store: storage.calls, earlier, emit, logger });
  const language = callLanguage({
    languages: definition,
    transcript,
    onChange: (tag) => talk.speakIn(tag),
  });
  const forms = fillForms({
    callId,
    calleePhone: call.to,
    forms: options.forms,
    transcript,
    store: storage.forms,
    logger,
  });
  const ownTools = customTools({
    call,
    tools: options.tools,
    earlier: options.toolCalls,
    store: storage.toolCalls,
    emit,
    logger,
  });
  const marker = createCanary();
  const guard = outputGuardrail({
    callId,
    marker,
    ...wordsOfBrief(definition, organizationName, call),
    phrases: () => language.phrases,
    emit,
    logger,
  });
  const transfers = transferAbility({
    ...options.transfers,
    call,
    maySay: (text) => guard.follow('').check(`${text} `) === null,
    store: storage.transfers,
    logger,
  });
  const tools = [
    ...builtInTools(() => noteOptOut()),
    ...language.tools,
    ...(definition.abilities.keypad ? [keypadTool({ pressDigits }, transcript)] : []),
    ...forms.tools,
    ...transfers.tools,
    ...ownTools.tools,
  ];
  const silence = inactivityTimer({
    silenceMs: definition.endRules.silenceSeconds * 1000,
    onSilence: () => answer.silent(onSilence),
  });
  const talk = openTalk(options, {
    callId,
    transcript,
    silence,
    tools,
    instructions: () =>
      instructionsFor(
        definition,
        organizationName,
        call,
        {
          notes,
          results: ownTools.describe(),
          forms: forms.describe(),
          transfers: transfers.describe(),
          time: calleeTime(call.to, new Date(clock.now())),
          language: language.current,
          languages: language.all,
        },
        marker,
      ),
    guard,
    oneMoment: () => language.phrases.oneMoment,
    noteEnd: () => retry(() => storage.calls.noteConversationOver(callId)),
    emit,
    logger,
  });
  const ageMs = call.answeredAt === null ? 0 : Math.max(0, clock.now() - call.answeredAt.getTime());
  const answer = isWebCall
    ? noDetection(() => act({ type: 'talk' }))
    : answerDetection({
        record: { heard: call.heard, keyPresses: keyPresses(earlier) },
        ageMs,
        act,
        detected: options.detected,
        note(heard) {
          noted = noted.then(() => note(heard));
        },
      });
  const wish = optOutWish({ asks: !isWebCall });
  const consent = recordingConsent({
    mode: isWebCall ? 'off' : definition.recording.mode,
    language: definition.language,
    recording: options.recording,
    write,
  });
  const writes: Promise<void>[] = [];
  const timers: NodeJS.Timeout[] = [];
  let phase: 'waiting' | 'talking' | 'ending' | 'over' = 'waiting';
  let askedWhetherThere = false;
  /** The agent has said goodbye. */
  let isLeaving = false;
  let isTimeUp = false;
  let hasOptedOut = false;
  /** Who answered, as far as the store knows. */
  let noted: Promise<void> = Promise.resolve();
  let resolveFinished: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    resolveFinished = resolve;
  });

  function write(what: string, operation: () => Promise<void>): void {
    writes.push(
      retry(operation).catch((error: unknown) => logger.error({ callId, error }, `failed to store ${what}`)),
    );
  }

  function begin(): void {
    if (phase !== 'waiting') return;
    phase = 'talking';
    const limitMs = definition.endRules.maximumDurationSeconds * 1000;
    const leftMs = Math.max(0, limitMs + elsewhereMs(options.transfers.earlier) - ageMs);
    timers.push(
      setTimeout(onTimeNearlyUp, Math.max(0, leftMs - Math.min(farewellMs, limitMs / 3))),
      setTimeout(onTimeUp, leftMs),
    );
    if (answer.resumed()) return;
    if (options.transfers.isBack) {
      talk.say(language.phrases.transfer.nobodyReached);
      talk.takeTurn('returned');
      return;
    }
    const disclosedAt = earlier.findLastIndex((entry) => isDisclosure(entry, disclosure));
    if (disclosedAt < 0) {
      greet();
    } else if (disclosedAt < earlier.length - 1) {
      // The line was lost before an answer was on record, and nobody is asked twice.
      consent.giveUp();
      talk.say(language.phrases.resumed);
      talk.takeTurn('resumed');
    } else {
      askOrOpen();
      silence.release();
    }
  }

  function greet(): void {
    talk.disclose(disclosure);
    askOrOpen();
  }

  /** What the callee is asked in the opening line comes before anything else. */
  function askOrOpen(): void {
    if (!consent.ask()) open();
  }

  function open(): void {
    if (definition.opening === undefined) talk.takeTurn('answered');
    else talk.say(definition.opening);
  }

  function pressDigits(digits: string): void {
    talk.pressDigits(digits);
    answer.keysSent();
  }

  async function note(heard: HeardAnswer): Promise<void> {
    try {
      await retry(() => storage.calls.noteHeard(callId, heard), { giveUpAfterMs: longestNoteMs });
    } catch (error) {
      logger.error({ callId, error }, 'failed to store who answered');
    }
  }

  function act(action: AnswerAction): void {
    if (phase !== 'talking') return;
    if (action.type !== 'talk' && action.type !== 'navigate' && action.type !== 'greet') talk.hush();
    switch (action.type) {
      case 'talk':
        onPerson();
        return;
      case 'navigate':
        // A menu cannot agree to anything.
        if (consent.isOpen) consent.giveUp();
        talk.takeTurn('said');
        return;
      case 'greet':
        greet();
        return;
      case 'wait':
        return;
      case 'introduce':
        talk.say(screeningLine(definition, organizationName, call.workflowName));
        return;
      case 'leave-message':
        leaveMessage();
        return;
      case 'hang-up':
        hangUp(action.reason);
        return;
    }
  }

  function leaveMessage(): void {
    // Nobody was there to hear that the call is recorded.
    consent.forgo();
    const message = voicemailMessage(definition, organizationName, call);
    if (message === null) hangUp(null);
    // Whoever takes the call from here is to know what it is.
    else void noted.then(() => talk.leaveMessage(message));
  }

  /** Once the store knows who answered: the carrier's word on the end is taken for the outcome. */
  function hangUp(reason: CallReason | null): void {
    phase = 'ending';
    void noted.then(() => {
      if (phase === 'ending') sayAndEnd(reason === 'menu_too_deep' ? language.phrases.goodbye : '', reason);
    });
  }

  function onTurnEnded(how: 'answered' | ToolEffect | 'failed', hasSpoken: boolean): void {
    if (how === 'opt-out') onWishNoted();
    else if (how === 'transfer') handOver(hasSpoken);
    else if (how === 'failed') apologize();
    else if (how === 'end-call') takeLeave(hasSpoken);
    else if (isTimeUp) sayAndEnd(language.phrases.timeIsUp, 'time_limit');
  }

  /** After the goodbye the line stays open for a moment: people remember what they wanted to ask. */
  function takeLeave(hasSpoken: boolean): void {
    const lastWords = transcript.entries.findLast(({ role }) => role === 'user')?.content ?? '';
    // In writing nobody is cut off: a visitor who wants more types on, or begins anew.
    if (call.connectionId === null || isFarewell(lastWords)) {
      sayAndEnd(hasSpoken ? '' : language.phrases.goodbye, null);
      return;
    }
    isLeaving = true;
    if (!hasSpoken) talk.say(language.phrases.goodbye);
    silence.waitFor(openAfterGoodbyeMs);
  }

  function stay(): void {
    isLeaving = false;
    silence.waitFor(null);
  }

  function apologize(): void {
    // What was collected is all there, and only the words after it are missing.
    if (!forms.isComplete) write('the failure of the agent', () => storage.calls.noteAgentFailed(callId));
    sayAndEnd(language.phrases.apology, forms.isComplete ? 'agent_unavailable' : null);
  }

  function sayAndEnd(text: string, reason: CallReason | null, interruptible = true): void {
    phase = 'ending';
    silence.stop();
    if (reason !== null) write('the reason of the end', () => storage.calls.noteReason(callId, reason));
    // In sound it is noted once the last words were heard: until then a lost channel is one.
    if (options.channel.kind === 'words') {
      write('the end of the conversation', () => storage.calls.noteConversationOver(callId));
    }
    talk.finish(text, { interruptible });
  }

  /** Once the transfer is on record, the channel ends, and the carrier asks what comes next. */
  function handOver(hasSpoken: boolean): void {
    const { wanted } = transfers;
    if (wanted === null || phase !== 'talking') return;
    phase = 'ending';
    silence.hold();
    writes.push(
      retry(() => storage.transfers.request(wanted), { giveUpAfterMs: longestRequestMs }).then(
        (isStored) => onRequested(isStored ? wanted : null, hasSpoken),
        (error: unknown) => {
          logger.error({ callId, error }, 'failed to store a transfer');
          onRequested(null, hasSpoken);
        },
      ),
    );
  }

  function onRequested(stored: NewTransfer | null, hasSpoken: boolean): void {
    if (phase !== 'ending') return;
    if (hasOptedOut) {
      sayAndEnd(language.phrases.optedOut, 'opted_out', false);
      return;
    }
    if (stored !== null) {
      silence.stop();
      transcript.add({
        role: 'assistant',
        content: `(transfers the call to ${stored.name})`,
        interrupted: false,
      });
      talk.finish(hasSpoken ? '' : language.phrases.transfer.connecting, {
        interruptible: false,
        callGoesOn: true,
      });
      return;
    }
    phase = 'talking';
    silence.release();
    talk.say(language.phrases.transfer.nobodyReached);
    talk.takeTurn('returned');
  }

  function noteOptOut(): ToolOutcome {
    if (wish.isSettled) return { answer: 'They were asked, and did not say yes. Go on with the call.' };
    return { effect: 'opt-out' };
  }

  function onWishNoted(): void {
    if (phase !== 'talking') return;
    const step = wish.noted();
    if (step === 'act') optOut();
    else if (step === 'ask') talk.say(language.phrases.optOutQuestion);
  }

  function optOut(): void {
    if (hasOptedOut) return;
    hasOptedOut = true;
    if (!isWebCall) blockNumber();
    if (phase === 'talking') sayAndEnd(language.phrases.optedOut, 'opted_out', false);
    else write('the reason of the end', () => storage.calls.noteReason(callId, 'opted_out'));
  }

  function blockNumber(): void {
    write('an opt-out', () =>
      storage.organizations.addDoNotCall(call, { phoneNumber: call.to, source: 'callee', callId }),
    );
  }

  /** A person speaks, who may have something to say about recording. */
  function onPerson(): void {
    switch (consent.conclude()) {
      case 'again':
        talk.say(language.phrases.recordingQuestion);
        return;
      case 'agreed':
        if (definition.opening === undefined) talk.takeTurn('said');
        else talk.interject(definition.opening);
        return;
      case 'refused':
        talk.interject(language.phrases.notRecorded);
        if (definition.opening === undefined) talk.takeTurn('interjected');
        else talk.say(definition.opening);
        return;
      case 'withdrawn':
        talk.interject(language.phrases.notRecorded);
        talk.takeTurn('interjected');
        return;
      case null:
        talk.takeTurn('said');
        return;
    }
  }

  function onSaid(words: string, options: Parameters<PipelineListener['said']>[1]): void {
    const { knowsAll } = options;
    askedWhetherThere = false;
    language.heard(words, options.language ?? null);
    consent.heard(words, { knowsAll });
    const mayAsk = phase === 'talking' && !answer.isWaiting;
    switch (wish.said(words, { mayAsk, knowsAll })) {
      case 'act':
        // The answer that the model may have begun is not what they asked for.
        if (phase === 'talking') talk.hush();
        optOut();
        return;
      case 'ask':
        talk.interject(language.phrases.optOutQuestion);
        return;
      case null:
        if (phase !== 'talking') return;
        if (isLeaving && isFarewell(words)) {
          talk.hush();
          sayAndEnd('', null);
          return;
        }
        if (isLeaving) stay();
        answer.said(words);
    }
  }

  function onPressed(digit: string): void {
    askedWhetherThere = false;
    if (digit === optOutDigit && !isWebCall) optOut();
    else if (phase === 'talking') answer.pressed();
  }

  function onSilence(): void {
    if (phase !== 'talking') return;
    if (isLeaving) {
      sayAndEnd('', null);
      return;
    }
    if (consent.isOpen) {
      consent.giveUp();
      open();
      return;
    }
    if (askedWhetherThere) {
      sayAndEnd(language.phrases.goodbye, 'callee_silent');
      return;
    }
    askedWhetherThere = true;
    talk.say(language.phrases.stillThere);
  }

  function onTimeNearlyUp(): void {
    if (talk.isTakingTurn) isTimeUp = true;
    else if (phase === 'talking')
      sayAndEnd(isLeaving ? '' : language.phrases.timeIsUp, isLeaving ? null : 'time_limit');
  }

  function onTimeUp(): void {
    if (phase === 'talking') sayAndEnd('', 'time_limit');
  }

  function onClosed(): void {
    phase = 'over';
    silence.stop();
    answer.stop();
    for (const timer of timers) clearTimeout(timer);
    void Promise.all([noted, transcript.settled(), forms.settled(), ownTools.settled(), ...writes]).then(
      resolveFinished,
    );
  }

  talk.listen({
    ready: begin,
    said: onSaid,
    onlyListens: (words, speech) =>
      phase === 'talking' &&
      !(answer.isWaiting || consent.isOpen || wish.isOpen) &&
      isBackchannel(words, speech),
    pressed: onPressed,
    calleeSpeaking: answer.calleeSpeaking,
    beeped: answer.beeped,
    spoken: answer.spoken,
    turnEnded: onTurnEnded,
    closed: onClosed,
  });
  return { note: (text) => notes.push(text), pause: silence.pause, drop: talk.drop, finished };
}

function openTalk(conversation: AgentSessionOptions, options: PipelineOptions): SpeechPipeline {
  const { channel, languageModel, speechModel, definition, line } = conversation;
  if (channel.kind === 'words') {
    // Visitors of a web page read what is said.
    const isRead = conversation.call.connectionId === null;
    const language = isRead ? null : languageSpoken(definition, conversation.earlier);
    return relayPipeline({ ...options, channel: channel.channel, languageModel, language });
  }
  if (speechModel === null) throw new CallkiteError('internal', 'this server has no speech model');
  return realtimePipeline({
    ...options,
    channel: channel.channel,
    speechModel,
    language: definition.languages.length > 0 ? null : definition.language,
    hints: recognitionHints(definition, conversation.organizationName, conversation.call),
    speaker: definition.voice.speaker ?? null,
    line,
  });
}

/** Time the callee spent waiting for others, which is not the agent's. */
function elsewhereMs(transfers: readonly TransferRecord[]): number {
  return transfers.reduce(
    (sum, { requestedAt, endedAt }) =>
      sum + (endedAt === null ? 0 : endedAt.getTime() - requestedAt.getTime()),
    0,
  );
}
