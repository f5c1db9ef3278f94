import type { CallReason } from '../contract/call-status.ts';
import type { WorkflowDefinition } from '../contract/workflow-definition.ts';
import { CallkiteError } from '../errors.ts';
import type { EmitEvent } from '../events.ts';
import type { CallRecord, CallStore, TranscriptEntry } from '../ports/call-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallForm, FormStore } from '../ports/form-store.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { Logger } from '../ports/logger.ts';
import type { OrganizationStore } from '../ports/organization-store.ts';
import type { CallChannel } from '../ports/speech.ts';
import type { SpeechModel } from '../ports/speech-model.ts';
import type { ToolCallRecord, ToolCallStore } from '../ports/tool-call-store.ts';
import type { AgentTool } from './agent-tool.ts';
import { agentTools } from './agent-tools.ts';
import type { CarrierLine } from './carrier-line.ts';
import { disclosureLine, isDisclosure } from './disclosure.ts';
import { fillForms } from './form-filling.ts';
import { keepTrying } from './keep-trying.ts';
import { keypadTool } from './keypad.ts';
import { asksForNoMoreCalls } from './opt-out.ts';
import { phrasesFor } from './phrases.ts';
import { instructionsFor } from './prompt.ts';
import { asksForNoRecording, judgeConsent } from './recording-consent.ts';
import { silenceWatch } from './silence.ts';
import type { Talk, TalkOptions } from './talk.ts';
import { talkInSound } from './talk-in-sound.ts';
import { talkInWords } from './talk-in-words.ts';
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
  readonly channel: CallChannel;
  readonly languageModel: LanguageModel;
  /** For channels of sound. */
  readonly speechModel: SpeechModel | null;
  readonly line: CarrierLine | null;
  readonly recording: CallRecording;
  readonly storage: {
    readonly calls: Pick<
      CallStore,
      'appendTranscript' | 'transcript' | 'noteReason' | 'noteConversationOver'
    >;
    readonly organizations: Pick<OrganizationStore, 'addDoNotCall'>;
    readonly forms: Pick<FormStore, 'storeAnswer'>;
    readonly toolCalls: Pick<ToolCallStore, 'begin' | 'finish'>;
  };
  readonly emit: EmitEvent;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** What the callee decides about the recording of this call. */
export interface CallRecording {
  /** On record from earlier; `null` before a decision. */
  readonly consent: 'given' | 'refused' | null;
  agree(): Promise<void>;
  /** Ends the recording, and deletes what there is of it. */
  refuse(): Promise<void>;
}

export interface Conversation {
  /** Closes the channel at once and stores what was heard. */
  drop(): void;
  /** Resolves when the channel is closed and everything is stored. Never rejects. */
  readonly finished: Promise<void>;
}

/** One live conversation. Holds no state that matters elsewhere: another process can go on from the store. */
export function converse(options: ConversationOptions): Conversation {
  const { call, definition, organizationName, earlier, recording, storage, emit, logger, clock } = options;
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
    ...(definition.abilities.keypad
      ? [keypadTool({ pressDigits: (digits) => talk.pressDigits(digits) }, transcript)]
      : []),
    ...forms.tools,
    ...ownTools.tools,
  ];
  const silence = silenceWatch({ silenceMs: definition.endRules.silenceSeconds * 1000, onSilence });
  const talk = openTalk(options, {
    callId,
    transcript,
    silence,
    tools,
    instructions: () =>
      instructionsFor(definition, organizationName, call, {
        results: ownTools.describe(),
        forms: forms.describe(),
      }),
    oneMoment: phrases.oneMoment,
    noteEnd: () => keepTrying(() => storage.calls.noteConversationOver(callId)),
    emit,
    logger,
  });
  const writes: Promise<void>[] = [];
  const timers: NodeJS.Timeout[] = [];
  let phase: 'waiting' | 'talking' | 'ending' | 'over' = 'waiting';
  let askedWhetherThere = false;
  let awaitsConsent = false;
  let askedForConsentAgain = false;
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
    if (phase !== 'waiting') return;
    phase = 'talking';
    const limitMs = definition.endRules.maximumDurationSeconds * 1000;
    const ageMs = call.answeredAt === null ? 0 : Math.max(0, clock.now() - call.answeredAt.getTime());
    const leftMs = Math.max(0, limitMs - ageMs);
    timers.push(
      setTimeout(onTimeNearlyUp, Math.max(0, leftMs - Math.min(farewellMs, limitMs / 3))),
      setTimeout(onTimeUp, leftMs),
    );
    const disclosure = disclosureLine(definition, organizationName);
    const asksConsent = definition.recording.mode === 'ask' && recording.consent === null;
    const disclosedAt = earlier.findLastIndex((entry) => isDisclosure(entry, disclosure));
    if (disclosedAt < 0) {
      talk.disclose(disclosure);
    } else if (disclosedAt < earlier.length - 1) {
      // The line was lost before an answer was on record, and nobody is asked twice.
      if (asksConsent) refuseRecording();
      talk.say(phrases.resumed);
      talk.takeTurn('resumed');
      return;
    }
    if (asksConsent) {
      awaitsConsent = true;
      silence.release();
    } else {
      open();
    }
  }

  function open(): void {
    if (definition.opening === undefined) talk.takeTurn('answered');
    else talk.say(definition.opening);
  }

  function onTurnEnded(how: 'answered' | 'end-call' | 'opt-out' | 'failed', hasSpoken: boolean): void {
    if (how === 'opt-out') optOut();
    else if (how === 'failed') sayAndEnd(phrases.apology, 'agent_unavailable');
    else if (how === 'end-call') sayAndEnd(hasSpoken ? '' : phrases.goodbye, null);
    else if (isTimeUp) sayAndEnd(phrases.timeIsUp, 'time_limit');
  }

  function sayAndEnd(text: string, reason: CallReason | null, interruptible = true): void {
    phase = 'ending';
    silence.stop();
    if (reason !== null) write('the reason of the end', () => storage.calls.noteReason(callId, reason));
    talk.finish(text, { interruptible });
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

  function refuseRecording(): void {
    awaitsConsent = false;
    write('a refused recording', recording.refuse);
  }

  /** What was said before the question had been heard is no answer to it. */
  function askForConsentAgain(): void {
    if (askedForConsentAgain) {
      onConsent('');
      return;
    }
    askedForConsentAgain = true;
    talk.say(phrases.recordingQuestion);
  }

  function onConsent(answer: string): void {
    if (judgeConsent(answer, definition.language) !== 'yes') {
      refuseRecording();
      talk.interject(phrases.notRecorded);
      if (definition.opening === undefined) talk.takeTurn('interjected');
      else talk.say(definition.opening);
      return;
    }
    awaitsConsent = false;
    write('an agreed recording', recording.agree);
    if (definition.opening === undefined) talk.takeTurn('said');
    else talk.interject(definition.opening);
  }

  function onSaid(words: string, { knowsAll }: { readonly knowsAll: boolean }): void {
    askedWhetherThere = false;
    if (asksForNoMoreCalls(words)) {
      optOut();
    } else if (awaitsConsent && phase === 'talking') {
      if (knowsAll) onConsent(words);
      else askForConsentAgain();
    } else if (definition.recording.mode !== 'off' && asksForNoRecording(words, definition.language)) {
      refuseRecording();
      if (phase !== 'talking') return;
      talk.interject(phrases.notRecorded);
      talk.takeTurn('interjected');
    } else if (phase === 'talking') {
      talk.takeTurn('said');
    }
  }

  function onPressed(digit: string): void {
    askedWhetherThere = false;
    if (digit === optOutDigit) optOut();
  }

  function onSilence(): void {
    if (awaitsConsent) {
      refuseRecording();
      open();
      return;
    }
    if (askedWhetherThere) {
      sayAndEnd(phrases.goodbye, 'callee_silent');
      return;
    }
    askedWhetherThere = true;
    talk.say(phrases.stillThere);
  }

  function onTimeNearlyUp(): void {
    if (talk.isTakingTurn) isTimeUp = true;
    else if (phase === 'talking') sayAndEnd(phrases.timeIsUp, 'time_limit');
  }

  function onTimeUp(): void {
    if (phase === 'talking') sayAndEnd('', 'time_limit');
  }

  function onClosed(): void {
    phase = 'over';
    silence.stop();
    for (const timer of timers) clearTimeout(timer);
    void Promise.all([transcript.settled(), forms.settled(), ownTools.settled(), ...writes]).then(
      resolveFinished,
    );
  }

  talk.listen({
    ready: begin,
    said: onSaid,
    pressed: onPressed,
    turnEnded: onTurnEnded,
    closed: onClosed,
  });
  return { drop: talk.drop, finished };
}

function openTalk(conversation: ConversationOptions, options: TalkOptions): Talk {
  const { channel, languageModel, speechModel, definition, line } = conversation;
  if (channel.kind === 'words') return talkInWords({ ...options, channel: channel.channel, languageModel });
  if (speechModel === null) throw new CallkiteError('internal', 'this server has no speech model');
  return talkInSound({
    ...options,
    channel: channel.channel,
    speechModel,
    language: definition.language,
    speaker: definition.voice.speaker ?? null,
    line,
  });
}
