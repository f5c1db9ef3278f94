import type { AudioChannel, AudioEvent } from '../../calls/speech.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { beepDetector } from '../answer-detection/beep-detector.ts';
import type { GuardedUtterance } from '../guardrails/output-guardrail.ts';
import type { ModelToolCall } from '../ports/language-model.ts';
import type { SpeechModel, SpeechModelEvent, SpeechSession } from '../ports/speech-model.ts';
import type { CarrierAnnouncer } from '../session/carrier-announcer.ts';
import { buildMessages, notes, pressedNote, withoutParentheses } from '../session/prompt.ts';
import type {
  PipelineListener,
  PipelineOptions,
  ReplyTrigger,
  SpeechPipeline,
} from '../session/speech-pipeline.ts';
import { highestPriority } from '../tools/tools.ts';
import { comfortTone, dtmfTones } from './audio.ts';
import { calleeEar } from './callee-ear.ts';
import { calleeTurns } from './callee-turns.ts';
import { closingAnnouncement } from './closing-announcement.ts';
import { type PendingReply, pendingReplies } from './pending-replies.ts';
import { type CutUtterance, playoutTracker } from './playout-tracker.ts';
import { transcriptSequencer } from './transcript-sequencer.ts';
import { turnTools } from './turn-tools.ts';
import { utteranceGate } from './utterance-gate.ts';
import { type VerbatimCheck, verbatimCheck } from './verbatim-check.ts';

/** A callee who waits for a line of ours is not left in silence for longer: then the carrier says it. */
const longestLineWaitMs = 4000;
/** The callee's last words may be understood after they hung up. */
const lastWordsMs = 2000;

export interface RealtimePipelineOptions extends PipelineOptions {
  readonly channel: AudioChannel;
  readonly speechModel: SpeechModel;
  /** `null` where it may change: then the model is to recognize it by itself. */
  readonly language: string | null;
  /** Words of the call that a recognizer would not expect. */
  readonly hints: readonly string[];
  /** A voice of the model; `null` for its own choice. */
  readonly speaker: string | null;
  /** `null` where there is no carrier. */
  readonly line: CarrierAnnouncer | null;
}

/** A speech model hears and speaks by itself: sound in, sound out. */
export function realtimePipeline(options: RealtimePipelineOptions): SpeechPipeline {
  const { callId, channel, transcript, silence, tools, guard, emit, logger } = options;
  const order = transcriptSequencer(transcript);
  const playback = playoutTracker({ channel, order, onPlaying, onHeard });
  const turns = calleeTurns(order, transcript.calleeTurns);
  const toolUse = turnTools({ tools, turns, isOver: () => isClosed });
  const gate = utteranceGate();
  const pending = pendingReplies({
    silence,
    onSlow() {
      if (!playback.isPlaying) playback.playTone(comfortTone);
    },
    onStalled() {
      // Lines of ours have a limit of their own.
      if (mayReconnect && closing.stage === 'none' && !opening?.isOpen) session.close(stalled());
    },
    onGone: () => loseModel('the speech model fell silent'),
  });
  const closing = closingAnnouncement({
    channel,
    playback,
    order,
    line: options.line,
    silenceModel() {
      clearTimeout(lineLimit);
      session.stop();
      pending.drop();
    },
    noteEnd: options.noteEnd,
    logger,
    callId,
  });
  let listener: PipelineListener;
  let session: SpeechSession;
  /** A session that was lost is replaced once. */
  let mayReconnect = true;
  let isModelLost = false;
  let opening: VerbatimCheck | null = null;
  let openingId: string | null = null;
  let lineLimit: NodeJS.Timeout | undefined;
  /** A line is said that cannot be talked over. What the model says meanwhile waits for its end. */
  let isSafe = false;
  let safeLine = '';
  const waiting: { utteranceId: string; go(): void }[] = [];
  /** Turns of the callee that began before a line of ours that asks something had been heard. */
  const earlyTurns = new Set<string>();
  /** What the callee last spoke over, until the agent speaks again or they have said something. */
  let cutSpeech: readonly CutUtterance[] = [];
  /** What follows the opening line, unless the callee speaks first. */
  let afterOpening: (() => void) | null = null;
  const beeps = beepDetector();
  const ear = calleeEar();
  /** As far as the model has told. */
  let isCalleeSpeaking = false;
  /** It has not told, but there is nothing to be heard any more. */
  let isEndPresumed = false;
  /** The carrier had to say the opening line, and nobody has said anything since: the model may be the same that was silent. */
  let isMistrusted = transcript.entries.length === 1 && transcript.entries[0]?.role === 'assistant';
  const followed = new Map<string, GuardedUtterance>();
  let mayAskAgain = true;
  let hasSpokenInResponse = false;
  let hasSpokenInTurn = false;
  let toolCalls: ModelToolCall[] = [];
  /** The last use of tools. */
  let using: Promise<void> = Promise.resolve();
  /** A response has begun that has not ended. */
  let isResponding = false;
  /** The response under way was begun before the opening line was asked for. */
  let isOlderThanOpening = false;
  /** When the callee fell silent, until the agent answers. */
  let saidAtMs: number | null = null;
  let isClosed = false;

  function connect(): void {
    const { entries } = transcript;
    const opened = options.speechModel.open({
      instructions: options.instructions(),
      tools,
      language: options.language,
      hints: options.hints,
      voice: options.speaker,
      history: entries.length === 0 ? [] : buildMessages(entries, playback.unheard, 'resumed'),
    });
    session = opened;
    opened.listen((event) => {
      if (opened === session) onModel(event);
    });
  }

  // The model's turn

  function respond(): void {
    session.respond();
    pending.expect('words', hasWaited());
  }

  /** Whether the callee has waited for the model to no avail: for its opening line, if nothing came of it since. */
  function hasWaited(): boolean {
    const was = isMistrusted;
    isMistrusted = false;
    return was;
  }

  function conclude(how: Parameters<PipelineListener['turnEnded']>[0]): void {
    if (closing.stage === 'none' && !isClosed) listener.turnEnded(how, hasSpokenInTurn);
  }

  function onModel(event: SpeechModelEvent): void {
    ear.forget();
    switch (event.type) {
      case 'ready':
        return;
      case 'callee-speaking':
        if (event.speaking) calleeBegan(event.turnId);
        else calleeStopped();
        return;
      case 'said':
        calleeSaid(event.turnId, event.text.trim());
        return;
      case 'speech':
      case 'speech-text':
      case 'speech-ended':
        agentSpeaks(event);
        return;
      case 'tool-call':
        toolCalls.push(event.call);
        return;
      case 'response-ended':
        responseEnded(event.how);
        return;
      case 'closed':
        sessionLost(event.error);
        return;
    }
  }

  function hush(): void {
    if (isClosed || closing.stage !== 'none') return;
    if (!gate.isHushed) newTurn();
    gate.hush(0);
  }

  function calleeBegan(turnId: string): void {
    if (isClosed) return;
    turns.begin(turnId);
    if (isSafe || pending.all.some((each) => typeof each === 'object')) earlyTurns.add(turnId);
    isCalleeSpeaking = true;
    isEndPresumed = false;
    silence.calleeSpeaking(true);
    listener.calleeSpeaking(true);
    newTurn();
  }

  function newTurn(): void {
    // A last line that cannot be talked over is made and heard to its end.
    if (closing.stage !== 'none' && closing.isSafe) return;
    // The opening line is made to its end, whoever speaks.
    if (opening?.isOpen) {
      pending.withdrawTurn();
    } else {
      session.stop();
      pending.drop();
    }
    afterOpening = null;
    dropWaiting();
    mayAskAgain = true;
    hasSpokenInTurn = false;
    toolUse.newTurn();
    if (isSafe) return;
    if (cutOff()) listener.spoken('cut');
    if (closing.stage === 'asked' || closing.stage === 'playing') closing.go();
  }

  /** What is playing stops, and nothing more of it is taken in. @returns whether anything was */
  function cutOff(): boolean {
    const cut = playback.cut();
    if (cut.length > 0) cutSpeech = cut;
    for (const { id, heardMs } of cut) {
      gate.drop(id);
      session.heardOnly(id, heardMs);
    }
    return cut.length > 0;
  }

  function dropWaiting(): void {
    for (const { utteranceId } of waiting.splice(0)) {
      if (gate.drop(utteranceId)) session.heardOnly(utteranceId, 0);
    }
  }

  function calleeStopped(): void {
    if (isClosed) return;
    isCalleeSpeaking = false;
    silence.calleeSpeaking(false);
    listener.calleeSpeaking(false);
    saidAtMs = performance.now();
    if (closing.stage === 'none' && !gate.isHushed) pending.expect('turn');
  }

  function calleeSaid(turnId: string, words: string): void {
    turns.said(turnId, words);
    const cut = cutSpeech;
    cutSpeech = [];
    const speech = {
      heard: cut.map(({ heard }) => heard).join(' '),
      rest: cut.map(({ rest }) => rest).join(' '),
    };
    if (cut.length > 0 && listener.onlyListens(words, speech))
      goOn(speech.rest, cut.at(-1)?.isWhole === true);
    else if (words !== '') listener.said(words, { knowsAll: !earlyTurns.has(turnId) });
  }

  /** Says what was cut off for nothing, in place of an answer. */
  function goOn(rest: string, isWhole: boolean): void {
    session.stop();
    pending.drop();
    if (isWhole) {
      ask(rest);
      return;
    }
    session.tell({ role: 'user', content: notes.continued });
    respond();
  }

  type AgentSpeech = Extract<SpeechModelEvent, { utteranceId: string }>;

  function agentSpeaks(event: AgentSpeech): void {
    const { utteranceId } = event;
    isResponding = true;
    if (gate.isDropped(utteranceId)) return;
    if (opening !== null && openingId === null) {
      openingId = utteranceId;
      gate.allow(utteranceId);
    }
    if (!gate.mayBeHeard(utteranceId)) {
      session.stop();
      pending.drop();
      return;
    }
    if (event.type === 'speech') {
      pending.progressed();
      hasSpokenInResponse = true;
      hasSpokenInTurn = true;
    }
    if (utteranceId === openingId) openingSpeaks(event);
    else if (isSafe && closing.stage === 'none') waiting.push({ utteranceId, go: () => give(event) });
    else give(event);
  }

  function openingSpeaks(event: AgentSpeech): void {
    if (event.type === 'speech' && opening?.isOpen) {
      opening.sound(event.audio);
      return;
    }
    give(event);
    if (event.type === 'speech-text') opening?.text(event.text);
    if (event.type === 'speech-ended') opening?.ended();
  }

  function give(event: AgentSpeech): void {
    const { utteranceId } = event;
    if (gate.isDropped(utteranceId)) return;
    if (event.type === 'speech') {
      agentSounds(utteranceId, event.audio);
      return;
    }
    if (event.type === 'speech-text') playback.text(utteranceId, event.text);
    const instead = guarded(utteranceId).check(event.type === 'speech-text' ? event.text : ' ');
    if (instead !== null) withhold(utteranceId, instead);
    else if (event.type === 'speech-ended') playback.ended(utteranceId);
  }

  function guarded(utteranceId: string): GuardedUtterance {
    const known = followed.get(utteranceId);
    if (known) return known;
    const utterance = guard.follow('');
    followed.set(utteranceId, utterance);
    return utterance;
  }

  /** Its words are known before they are heard: what is left of them is dropped. */
  function withhold(utteranceId: string, instead: string): void {
    gate.drop(utteranceId);
    if (closing.stage === 'gone') return;
    if (closing.stage !== 'none') {
      closing.handOver(instead, 'hang-up');
      return;
    }
    if (isSafe && utteranceId === openingId) {
      discloseByCarrier(safeLine);
      return;
    }
    newTurn();
    disclose(instead);
  }

  function agentSounds(utteranceId: string, audio: string): void {
    const arrivedAtMs = performance.now();
    playback.play(utteranceId, audio);
    cutSpeech = [];
    if (closing.stage === 'asked' && gate.isLine(utteranceId)) {
      clearTimeout(lineLimit);
      closing.sounds();
    }
    if (saidAtMs === null) return;
    const modelMs = arrivedAtMs - saidAtMs;
    emit({ type: 'turn.started', callId, totalMs: performance.now() - saidAtMs, modelMs });
    saidAtMs = null;
  }

  function responseEnded(told: 'completed' | 'interrupted' | 'failed'): void {
    // One that was complete before it could be stopped for a line of ours says nothing about that line.
    const isOlder = opening?.isOpen === true && isOlderThanOpening;
    const how = isOlder ? 'interrupted' : told;
    isResponding = false;
    isOlderThanOpening = false;
    const calls = toolCalls;
    const hasSpoken = hasSpokenInResponse;
    toolCalls = [];
    hasSpokenInResponse = false;
    if (isClosed) return;
    if (how !== 'interrupted') pending.given();
    if (closing.stage !== 'none') {
      closing.goIfHeard();
      return;
    }
    // A response that was stopped for the line is another one.
    if (opening?.isOpen && !isOlder && (how !== 'interrupted' || openingId !== null)) {
      opening.refuse();
      return;
    }
    if (isSafe) goOnAfterOpening();
    if (calls.length > 0) using = use(calls, how !== 'interrupted');
    else if (how === 'interrupted') return;
    else if (how === 'failed' || !hasSpoken) askAgain();
    else conclude('answered');
  }

  function askAgain(): void {
    if (!mayAskAgain) {
      conclude('failed');
      return;
    }
    mayAskAgain = false;
    respond();
  }

  async function use(calls: readonly ModelToolCall[], mayGoOn: boolean): Promise<void> {
    const own = session;
    if (mayGoOn) pending.expect('words');
    pending.toolBegan();
    const { wanted, isQuiet, isStale } = await toolUse.use(calls, (toolCallId, output) => {
      if (own === session && !isClosed) own.answerTool(toolCallId, output);
    });
    pending.toolEnded();
    if (isClosed) return;
    // Who speaks meanwhile is answered by the model, which has the results.
    if (isStale || !mayGoOn || own !== session || closing.stage !== 'none') return;
    pending.drop();
    const effect = highestPriority(wanted);
    if (effect) conclude(effect);
    else if (isQuiet || !toolUse.takeRound()) conclude('answered');
    else {
      own.instruct(options.instructions());
      respond();
    }
  }

  // What becomes of the model

  function sessionLost(error: CallkiteError | null): void {
    if (isClosed || isModelLost || closing.stage === 'gone') return;
    logger.warn({ callId, error }, 'speech model session lost');
    const unanswered: readonly PendingReply[] = turns.isSpeaking ? [...pending.all, 'turn'] : pending.all;
    turns.giveUp();
    if (isCalleeSpeaking) {
      isCalleeSpeaking = false;
      silence.calleeSpeaking(false);
      listener.calleeSpeaking(false);
    }
    playback.endAll();
    toolCalls = [];
    isResponding = false;
    isOlderThanOpening = false;
    if (closing.stage === 'playing') return;
    if (!mayReconnect || error?.retryable === false) {
      loseModel('no session with the speech model can be had');
      return;
    }
    mayReconnect = false;
    connect();
    if (closing.stage === 'none' && !opening?.isOpen) {
      askAgainFor(unanswered);
      return;
    }
    pending.drop();
    if (closing.stage === 'asked') {
      gate.hush(1);
      session.say(closing.text);
    } else if (opening?.isOpen) {
      opening.refuse();
    }
  }

  /** Of a fresh session: what the one before it owed. */
  function askAgainFor(unanswered: readonly PendingReply[]): void {
    const lines = unanswered.filter((each) => typeof each === 'object');
    // A line of ours answers the callee as well.
    const areWordsOwed = unanswered.includes('words') || (lines.length === 0 && unanswered.includes('turn'));
    if (gate.isHushed) gate.hush(lines.length);
    for (const { line } of lines) session.say(line);
    if (areWordsOwed) session.respond();
    pending.renew(areWordsOwed ? [...lines, 'words'] : lines);
  }

  function loseModel(why: string): void {
    logger.warn({ callId }, why);
    isModelLost = true;
    pending.drop();
    session.close();
    if (closing.stage === 'asked') closing.byCarrier();
    else if (opening?.isOpen) opening.refuse();
    else conclude('failed');
  }

  // Lines of ours

  function disclose(text: string): void {
    safeLine = text;
    isSafe = true;
    gate.restore();
    openingId = null;
    isOlderThanOpening = isResponding;
    opening = verbatimCheck(text, {
      release(audio) {
        clearTimeout(lineLimit);
        if (openingId !== null) playback.play(openingId, audio);
      },
      onRefused: () => discloseByCarrier(text),
    });
    if (isModelLost) {
      opening.refuse();
      return;
    }
    lineLimit = setTimeout(() => opening?.refuse(), longestLineWaitMs);
    ask(text);
  }

  function say(text: string): void {
    if (isSafe && !gate.isHushed) {
      const before = afterOpening;
      afterOpening = () => {
        before?.();
        ask(text);
      };
      return;
    }
    if (gate.isHushed) {
      session.stop();
      gate.hush(1);
    }
    ask(text);
  }

  function ask(line: string): void {
    session.say(line);
    pending.expect({ line }, hasWaited() || ear.hasHeardSpeech);
  }

  function takeTurn(occasion: ReplyTrigger): void {
    toolUse.newAnswer();
    if (occasion === 'answered' || occasion === 'returned') {
      session.tell({ role: 'user', content: notes[occasion] });
    }
    respond();
  }

  function discloseByCarrier(text: string): void {
    logger.warn({ callId }, 'speech model did not speak an announcement; the carrier speaks it');
    if (openingId === null && !isModelLost) {
      // Whoever opens the next session is to know that this one was silent.
      isModelLost = true;
      session.close(stalled());
    }
    closing.handOver(text, 'converse');
  }

  function finish(text: string, isInterruptible: boolean, callGoesOn: boolean): void {
    if (isClosed || closing.stage === 'gone') return;
    session.stop();
    pending.drop();
    // What was not verified by now is not said.
    if (opening?.isOpen) playback.cut();
    opening = null;
    afterOpening = null;
    dropWaiting();
    // Nothing else is said any more.
    gate.hush(text === '' ? 0 : 1);
    // The opening line may still be playing, which nothing cuts off.
    if (!isInterruptible) isSafe = true;
    clearTimeout(lineLimit);
    closing.begin(text, { isSafe: !isInterruptible, callGoesOn });
    if (text === '') return;
    if (isModelLost) {
      closing.byCarrier();
      return;
    }
    lineLimit = setTimeout(closing.byCarrier, longestLineWaitMs);
    session.say(text);
  }

  // The callee's side

  function onPlaying(isPlaying: boolean): void {
    silence.agentSpeaking(isPlaying);
    if (!isPlaying) closing.goIfHeard();
  }

  function onHeard(utteranceId: string): void {
    if (utteranceId === openingId) openingHeard();
    if (!playback.isSpeaking) listener.spoken('whole');
    closing.goIfHeard();
  }

  /** Asked for while the opening line is still playing, the next words follow it without a pause. */
  function goOnAfterOpening(): void {
    const next = afterOpening;
    afterOpening = null;
    next?.();
  }

  function openingHeard(): void {
    isSafe = closing.isSafe;
    goOnAfterOpening();
    for (const { go } of waiting.splice(0)) go();
  }

  function onPressed(digit: string): void {
    const note = pressedNote(digit);
    newTurn();
    turns.add(note);
    session.tell({ role: 'user', content: note });
    listener.pressed(digit);
  }

  function onTyped(text: string): void {
    const words = text.trim();
    if (words === '') return;
    newTurn();
    turns.add(words);
    session.tell({ role: 'user', content: withoutParentheses(words) });
    saidAtMs = performance.now();
    listener.said(words, { knowsAll: !isSafe });
    // The model answers by itself only what it hears.
    if (closing.stage === 'none' && !isModelLost) respond();
  }

  /** A model that tells of the beginning of a turn and never of its end would be waited for without an end. */
  function hearForOurselves(audio: string): void {
    ear.hear(audio);
    if (!isCalleeSpeaking || isModelLost || closing.stage !== 'none' || gate.isHushed) return;
    if (ear.isQuiet === isEndPresumed) return;
    isEndPresumed = ear.isQuiet;
    if (isEndPresumed) pending.expect('turn');
    else pending.withdrawTurn();
  }

  function onChannel(event: AudioEvent): void {
    if (isClosed) return;
    switch (event.type) {
      case 'ready':
        listener.ready();
        return;
      case 'audio':
        session.hear(event.audio);
        hearForOurselves(event.audio);
        if (gate.isHushed && beeps.hear(event.audio)) listener.beeped();
        return;
      case 'played':
        playback.played(event.mark);
        return;
      case 'pressed':
        onPressed(event.digit);
        return;
      case 'typed':
        onTyped(event.text);
        return;
      case 'closed':
        void close();
        return;
    }
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(lineLimit);
    const carrierSettled = closing.settle();
    session.stop();
    pending.drop();
    playback.cut();
    await Promise.all([turns.known(lastWordsMs), carrierSettled]);
    await using;
    turns.giveUp();
    session.close();
    listener.closed();
  }

  return {
    listen(to) {
      listener = to;
      connect();
      channel.listen(onChannel);
    },
    get isTakingTurn() {
      return pending.areAny;
    },
    disclose,
    say,
    interject(text) {
      for (const turnId of turns.open) earlyTurns.add(turnId);
      if (!opening?.isOpen) {
        session.stop();
        pending.drop();
      }
      if (!isSafe) cutOff();
      say(text);
    },
    takeTurn(occasion: ReplyTrigger) {
      const wasHushed = gate.isHushed;
      gate.restore();
      // What was said is what the model has heard: it answers by itself, unless that was dropped.
      if (occasion === 'said' && !wasHushed) return;
      if (occasion === 'said' || !isSafe) takeTurn(occasion);
      else {
        const line = occasion === 'interjected' ? afterOpening : null;
        afterOpening = () => {
          line?.();
          takeTurn(occasion);
        };
      }
    },
    // The model has its new instructions when it answers.
    speakIn: () => undefined,
    pressDigits(digits) {
      playback.playTone(dtmfTones(digits));
      session.tell({ role: 'assistant', content: pressedNote(digits) });
    },
    hush,
    leaveMessage: (message) => closing.handOver(message, 'hang-up'),
    finish: (text, { interruptible, callGoesOn = false }) => finish(text, interruptible, callGoesOn),
    drop() {
      channel.close();
      void close();
    },
  };
}

const stalled = () =>
  new CallkiteError('provider_unavailable', 'the model owes an answer and is silent', { retryable: true });
