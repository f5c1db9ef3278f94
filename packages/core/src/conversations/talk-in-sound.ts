import type { CallkiteError } from '../errors.ts';
import type { ModelToolCall } from '../ports/language-model.ts';
import type { AudioChannel, AudioEvent } from '../ports/speech.ts';
import type { SpeechModel, SpeechModelEvent, SpeechSession } from '../ports/speech-model.ts';
import { agentPlayback } from './agent-playback.ts';
import { calleeTurns } from './callee-turns.ts';
import type { CarrierLine } from './carrier-line.ts';
import { keepPace, type Pace } from './pace.ts';
import { dialogue, notes } from './prompt.ts';
import { keyTones, silenceAsLongAs, waitingTone } from './sound.ts';
import { spokenOrder } from './spoken-order.ts';
import type { Occasion, Talk, TalkListener, TalkOptions } from './talk.ts';
import { maximumToolRounds, useTool } from './tools.ts';
import { type VerifiedLine, verifiedLine } from './verified-line.ts';

/** A callee who waits for a line of ours is not left in silence for longer: then the carrier says it. */
const longestLineWaitMs = 4000;
/** The words a tool call follows from are known a little later than the call. */
const wordsBeforeToolsMs = 1500;
/** The callee's last words may be understood after they hung up. */
const lastWordsMs = 2000;
/** Playback that was not confirmed for so long after its end is taken for over. */
const confirmationGraceMs = 3000;

export interface SoundTalkOptions extends TalkOptions {
  readonly channel: AudioChannel;
  readonly speechModel: SpeechModel;
  readonly language: string;
  /** A voice of the model; `null` for its own choice. */
  readonly speaker: string | null;
  /** `null` where there is no carrier. */
  readonly line: CarrierLine | null;
}

/** A speech model hears and speaks by itself: sound in, sound out. */
export function talkInSound(options: SoundTalkOptions): Talk {
  const { callId, channel, transcript, silence, tools, line, emit, logger } = options;
  const order = spokenOrder(transcript);
  const playback = agentPlayback({ channel, order, onPlaying, onHeard });
  const turns = calleeTurns(order, transcript.calleeTurns);
  let listener: TalkListener;
  let session: SpeechSession;
  /** A session that was lost is replaced once. */
  let mayReconnect = true;
  let isModelLost = false;
  let opening: VerifiedLine | null = null;
  let openingId: string | null = null;
  let lineLimit: NodeJS.Timeout | undefined;
  /** While a line is said that cannot be talked over, the model hears silence. */
  let isDeaf = false;
  /** Responses the model owes. */
  let owed = 0;
  let pace: Pace | null = null;
  let mayAskAgain = true;
  let hasSpokenInResponse = false;
  let hasSpokenInTurn = false;
  let toolCalls: ModelToolCall[] = [];
  let toolIndex = 0;
  let toolRounds = 0;
  /** When the callee fell silent, until the agent answers. */
  let saidAtMs: number | null = null;
  /** `asked` for its last line, `playing` out, or already `handed` back to the carrier. */
  let end: 'none' | 'asked' | 'playing' | 'handed' = 'none';
  let lastLine = '';
  let endLimit: NodeJS.Timeout | undefined;
  let carrierAtWork: Promise<void> = Promise.resolve();
  let isClosed = false;

  function connect(): void {
    const { entries } = transcript;
    const opened = options.speechModel.open({
      instructions: options.instructions(),
      tools,
      language: options.language,
      voice: options.speaker,
      history: entries.length === 0 ? [] : dialogue(entries, playback.unheard, true),
    });
    session = opened;
    opened.listen((event) => {
      if (opened === session) onModel(event);
    });
  }

  // The model's turn

  function expect(): void {
    owed += 1;
    if (owed > 1) return;
    silence.hold();
    const own = keepPace(() => {
      if (!playback.isPlaying) playback.playTone(waitingTone);
    });
    pace = own;
    own.signal.addEventListener('abort', () => {
      if (pace === own) loseModel('the speech model fell silent');
    });
  }

  function expectNothing(): void {
    owed = 0;
    pace?.stop();
    pace = null;
    silence.release();
  }

  function respond(): void {
    session.respond();
    expect();
  }

  function conclude(how: Parameters<TalkListener['turnEnded']>[0]): void {
    if (end === 'none' && !isClosed) listener.turnEnded(how, hasSpokenInTurn);
  }

  function onModel(event: SpeechModelEvent): void {
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
        agentSounds(event.utteranceId, event.audio);
        return;
      case 'speech-text':
        playback.text(event.utteranceId, event.text);
        if (event.utteranceId === openingId) opening?.text(event.text);
        return;
      case 'speech-ended':
        if (event.utteranceId === openingId) opening?.ended();
        playback.ended(event.utteranceId);
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

  function calleeBegan(turnId: string): void {
    if (isDeaf || isClosed) return;
    turns.begin(turnId);
    silence.calleeSpeaking(true);
    newTurn();
  }

  function stopAnswer(): void {
    session.stop();
    expectNothing();
    for (const { id, heardMs } of playback.cut()) session.heardOnly(id, heardMs);
  }

  function newTurn(): void {
    stopAnswer();
    mayAskAgain = true;
    hasSpokenInTurn = false;
    toolIndex = 0;
    toolRounds = maximumToolRounds;
    if (end === 'asked' || end === 'playing') endChannel();
  }

  function calleeStopped(): void {
    if (isDeaf || isClosed) return;
    silence.calleeSpeaking(false);
    saidAtMs = performance.now();
    if (end === 'none') expect();
  }

  function calleeSaid(turnId: string, words: string): void {
    turns.said(turnId, words);
    // While something is said that must be heard, nothing is heard of the callee.
    if (words !== '') listener.said(words, { knowsAll: true });
  }

  function agentSounds(utteranceId: string, audio: string): void {
    const arrivedAtMs = performance.now();
    pace?.progressed();
    hasSpokenInResponse = true;
    hasSpokenInTurn = true;
    if (opening !== null && openingId === null) openingId = utteranceId;
    if (utteranceId === openingId && opening?.isOpen) opening.sound(audio);
    else playback.play(utteranceId, audio);
    if (end === 'asked') {
      clearTimeout(lineLimit);
      end = 'playing';
    }
    if (saidAtMs === null) return;
    const modelMs = arrivedAtMs - saidAtMs;
    emit({ type: 'turn.started', callId, totalMs: performance.now() - saidAtMs, modelMs });
    saidAtMs = null;
  }

  function responseEnded(how: 'completed' | 'interrupted' | 'failed'): void {
    const calls = toolCalls;
    const hasSpoken = hasSpokenInResponse;
    toolCalls = [];
    hasSpokenInResponse = false;
    if (how !== 'interrupted') {
      owed = Math.max(0, owed - 1);
      if (owed === 0) expectNothing();
      else pace?.progressed();
    }
    if (end !== 'none') {
      endIfHeard();
      return;
    }
    if (opening?.isOpen) {
      opening.refuse();
      return;
    }
    if (calls.length > 0) void use(calls, how !== 'interrupted');
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
    const turn = turns.count;
    const wanted: string[] = [];
    let isQuiet = false;
    if (mayGoOn) expect();
    pace?.toolBegan();
    await turns.known(wordsBeforeToolsMs);
    for (const call of calls) {
      const index = toolIndex;
      toolIndex += 1;
      const outcome = await useTool(tools, call, { turn, index });
      if (isClosed) return;
      if ('effect' in outcome) wanted.push(outcome.effect);
      if ('nothingToSay' in outcome) isQuiet = true;
      if (own === session) own.answerTool(call.id, 'answer' in outcome ? outcome.answer : 'Done.');
    }
    pace?.toolEnded();
    if (wanted.includes('opt-out')) {
      conclude('opt-out');
      return;
    }
    // Who speaks meanwhile is answered by the model, which has the results.
    if (turn !== turns.count || !mayGoOn || own !== session || end !== 'none') return;
    expectNothing();
    if (wanted.length > 0) conclude('end-call');
    else if (isQuiet || toolRounds === 0) conclude('answered');
    else {
      toolRounds -= 1;
      own.instruct(options.instructions());
      respond();
    }
  }

  // What becomes of the model

  function sessionLost(error: CallkiteError | null): void {
    if (isClosed || isModelLost || end === 'handed') return;
    logger.warn({ callId, error }, 'the session with the speech model was lost');
    const isAnswerOwed = owed > 0 || turns.isSpeaking;
    turns.giveUp();
    playback.endAll();
    toolCalls = [];
    if (end === 'playing') return;
    if (!mayReconnect || error?.retryable === false) {
      loseModel('no session with the speech model can be had');
      return;
    }
    mayReconnect = false;
    expectNothing();
    connect();
    if (end === 'asked') session.say(lastLine);
    else if (opening?.isOpen) opening.refuse();
    else if (isAnswerOwed && end === 'none') respond();
  }

  function loseModel(why: string): void {
    logger.warn({ callId }, why);
    isModelLost = true;
    expectNothing();
    session.close();
    if (end === 'asked') lastLineByCarrier();
    else if (opening?.isOpen) opening.refuse();
    else conclude('failed');
  }

  // Lines of ours

  function disclose(text: string): void {
    isDeaf = true;
    opening = verifiedLine(text, {
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
    session.say(text);
    expect();
  }

  function discloseByCarrier(text: string): void {
    logger.warn({ callId }, 'the speech model did not say the opening line; the carrier says it');
    handOver(text, 'converse');
  }

  function lastLineByCarrier(): void {
    handOver(lastLine, 'hang-up');
  }

  /** The carrier takes the call, says this, and closes the channel. */
  function handOver(text: string, then: 'hang-up' | 'converse'): void {
    clearTimeout(lineLimit);
    end = 'handed';
    session.stop();
    expectNothing();
    playback.cut();
    if (line === null) {
      end = 'playing';
      endChannel();
      return;
    }
    const place = order.next();
    carrierAtWork = line.say(text, then).then(
      () => place.fill({ role: 'assistant', content: text, interrupted: false }),
      (error: unknown) => {
        logger.error({ callId, error }, 'the carrier could not be told what to say');
        place.fill(null);
        end = 'playing';
        endChannel();
      },
    );
  }

  function finish(text: string, isInterruptible: boolean): void {
    if (isClosed || end === 'handed') return;
    session.stop();
    expectNothing();
    // What was not verified by now is not said.
    if (opening?.isOpen) playback.cut();
    opening = null;
    lastLine = text;
    isDeaf = !isInterruptible;
    if (text === '') {
      end = 'playing';
      endIfHeard();
      return;
    }
    end = 'asked';
    if (isModelLost) {
      lastLineByCarrier();
      return;
    }
    lineLimit = setTimeout(lastLineByCarrier, longestLineWaitMs);
    session.say(text);
  }

  function endIfHeard(): void {
    if (end !== 'playing') return;
    clearTimeout(endLimit);
    if (playback.isPlaying || playback.isSpeaking) {
      endLimit = setTimeout(endChannel, playback.leftMs + confirmationGraceMs);
    } else {
      endChannel();
    }
  }

  function endChannel(): void {
    if (end === 'handed') return;
    end = 'handed';
    clearTimeout(endLimit);
    void options
      .noteEnd()
      .catch((error: unknown) =>
        logger.error({ callId, error }, 'the end of a conversation could not be stored'),
      )
      .finally(() => channel.end());
  }

  // The callee's side

  function onPlaying(isPlaying: boolean): void {
    silence.agentSpeaking(isPlaying);
    if (!isPlaying) endIfHeard();
  }

  function onHeard(utteranceId: string): void {
    if (utteranceId === openingId && end === 'none') isDeaf = false;
    endIfHeard();
  }

  function onPressed(digit: string): void {
    const note = `(pressed ${digit})`;
    if (!isDeaf) newTurn();
    turns.add(note);
    session.tell({ role: 'user', content: note });
    listener.pressed(digit);
  }

  function onChannel(event: AudioEvent): void {
    if (isClosed) return;
    switch (event.type) {
      case 'ready':
        listener.ready();
        return;
      case 'audio':
        session.hear(isDeaf ? silenceAsLongAs(event.audio) : event.audio);
        return;
      case 'played':
        playback.played(event.mark);
        return;
      case 'pressed':
        onPressed(event.digit);
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
    clearTimeout(endLimit);
    session.stop();
    expectNothing();
    playback.cut();
    await Promise.all([turns.known(lastWordsMs), carrierAtWork]);
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
      return owed > 0;
    },
    disclose,
    say(text) {
      session.say(text);
      expect();
    },
    interject(text) {
      stopAnswer();
      session.say(text);
      expect();
    },
    takeTurn(occasion: Occasion) {
      // What was said is what the model has heard: it answers by itself.
      if (occasion === 'said') return;
      toolRounds = maximumToolRounds;
      if (occasion === 'answered') session.tell({ role: 'user', content: notes.answered });
      respond();
    },
    pressDigits: (digits) => playback.playTone(keyTones(digits)),
    finish: (text, { interruptible }) => finish(text, interruptible),
    drop() {
      channel.close();
      void close();
    },
  };
}
