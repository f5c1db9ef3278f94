import type { CalleeEvent, RelayChannel } from '../../calls/speech.ts';
import { loggableError } from '../../kernel/loggable-error.ts';
import { monologue } from '../guardrails/monologue.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import { untilQuiet } from '../realtime/until-quiet.ts';
import { buildMessages, pressedNote } from '../session/prompt.ts';
import type {
  PipelineListener,
  PipelineOptions,
  ReplyTrigger,
  SpeechPipeline,
} from '../session/speech-pipeline.ts';
import { runModelTurn } from './model-turn.ts';
import { relaySpeechOutput } from './relay-speech-output.ts';
import { textChunker } from './text-chunker.ts';

/** The carrier hears and speaks, a text model thinks: words in, words out. */
export function relayPipeline(
  options: PipelineOptions & {
    channel: RelayChannel;
    languageModel: LanguageModel;
    /** BCP-47 tag of what is spoken; `null` where it is read. */
    language: string | null;
  },
): SpeechPipeline {
  const { callId, channel, transcript, silence, tools, emit, logger } = options;
  const voice = relaySpeechOutput({ channel, transcript, silence, language: options.language });
  const quiet = untilQuiet();
  /** The words that the callee spoke over were not all there were. */
  let brokeOff = false;
  let turn: AbortController | null = null;
  /** The carrier plays words of the agent. */
  let isSpeaking = false;
  let saidAtMs = 0;
  let isClosed = false;
  let listener: PipelineListener;

  function startTurn(occasion: ReplyTrigger): void {
    const own = new AbortController();
    turn = own;
    silence.hold();
    const isBack = occasion === 'resumed' || occasion === 'returned';
    const messages = buildMessages(transcript.entries, isBack ? [] : voice.unheard, occasion);
    const pieces = textChunker();
    const bound = monologue();
    const askedAtMs = performance.now();
    let modelMs: number | null = null;
    let hasSpoken = false;
    /** Of the model nothing more is said; what it does with tools still counts. */
    let isWithheld = false;
    const question = transcript.entries.at(-1);
    const guarded = options.guard.follow(question?.role === 'user' ? question.content : '');

    function whenQuiet(action: () => void): void {
      quiet.run(() => {
        if (turn === own) action();
      });
    }

    function speakPiece(piece: string, last: boolean): void {
      if (isWithheld) return;
      const instead = guarded.check(last ? `${piece} ` : piece);
      const bounded = bound.take(piece);
      isWithheld = instead !== null || bounded.isOver;
      voice.say(instead ?? bounded.piece, { last: last || isWithheld });
      if (hasSpoken || piece === '') return;
      hasSpoken = true;
      if (occasion === 'said') {
        const totalMs = performance.now() - saidAtMs;
        emit({ type: 'turn.started', callId, totalMs, modelMs: modelMs ?? totalMs });
      }
    }

    const result = runModelTurn({
      callId,
      languageModel: options.languageModel,
      instructions: options.instructions(),
      messages,
      tools,
      turn: transcript.calleeTurns,
      signal: own.signal,
      onText(text) {
        modelMs ??= performance.now() - askedAtMs;
        for (const piece of pieces.push(text)) whenQuiet(() => speakPiece(piece, false));
      },
      onBroken: () => pieces.breakOff(),
      onSlow() {
        const held = [...pieces.push(' '), pieces.flush()];
        whenQuiet(() => {
          for (const piece of held) speakPiece(piece, false);
          if (!isWithheld) voice.say(`${options.oneMoment()} `, { last: false });
        });
      },
      logger,
    });
    void result.then((how) => {
      if (how === 'aborted') return;
      whenQuiet(() => {
        speakPiece(pieces.flush(), true);
        turn = null;
        silence.release();
        listener.turnEnded(how, hasSpoken);
      });
    });
  }

  function stopTurn(): void {
    if (turn === null) return;
    turn.abort();
    turn = null;
    silence.release();
  }

  /** They spoke while the agent did, and only to show that they listen: what was cut off is said after all. */
  function listens(words: string): boolean {
    const { cut, unheard } = voice;
    if (cut === null && !isSpeaking) return false;
    const [heard = '', ...queued] = unheard;
    const rest = turn === null ? queued.join(' ') : [...queued, '…'].join(' ');
    const speech = cut ?? { heard, rest };
    if (!listener.onlyListens(words, speech)) return false;
    quiet.drop();
    silence.calleeSpeaking(false);
    transcript.add({ role: 'user', content: words, interrupted: false });
    if (cut === null) return true;
    voice.say(cut.rest, { last: true });
    if (brokeOff) startTurn('continued');
    return true;
  }

  function takeCalleeTurn(content: string): void {
    saidAtMs = performance.now();
    quiet.drop();
    voice.progressed({ type: 'callee-turn' });
    stopTurn();
    voice.finishUtterance();
    silence.calleeSpeaking(false);
    transcript.add({ role: 'user', content, interrupted: false });
  }

  function progressed(progress: Parameters<typeof voice.progressed>[0]): void {
    const wasSaying = voice.unheard.length > 0;
    voice.progressed(progress);
    if (wasSaying && voice.unheard.length === 0) listener.spoken('whole');
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    quiet.drop();
    stopTurn();
    voice.progressed({ type: 'closed', atMs: performance.now() });
    listener.closed();
  }

  function handle(event: CalleeEvent): void {
    if (isClosed) return;
    switch (event.type) {
      case 'ready':
        listener.ready();
        return;
      case 'said': {
        const words = event.text.trim();
        if (words === '' || listens(words)) return;
        const knowsAll = voice.unheard.length === 0;
        takeCalleeTurn(words);
        listener.said(words, { knowsAll, language: event.language });
        return;
      }
      case 'pressed':
        takeCalleeTurn(pressedNote(event.digit));
        listener.pressed(event.digit);
        return;
      case 'interrupted':
        voice.progressed(event);
        brokeOff = turn !== null;
        isSpeaking = false;
        stopTurn();
        listener.spoken('cut');
        return;
      case 'callee-speaking':
        silence.calleeSpeaking(event.speaking);
        // Nobody talks over what is read: there, this only says that a visitor may be typing.
        if (options.language !== null) quiet.calleeSpeaking(event.speaking);
        listener.calleeSpeaking(event.speaking);
        return;
      case 'agent-speaking':
        isSpeaking = event.speaking;
        progressed(event);
        // Also of words that the callee did not wait for to take the turn.
        if (!isSpeaking && voice.unheard.length === 0) listener.spoken('whole');
        return;
      case 'played':
        progressed(event);
        return;
      case 'failed':
        logger.warn(
          { callId, description: loggableError(event.description) },
          'the carrier reported an error on the speech channel',
        );
        return;
      case 'closed':
        close();
        return;
    }
  }

  return {
    listen(to) {
      listener = to;
      channel.listen(handle);
    },
    get isTakingTurn() {
      return turn !== null;
    },
    disclose: (line) => voice.say(line, { last: true, interruptible: false }),
    say: (line) => voice.say(line, { last: true }),
    interject: (line) => voice.say(line, { last: true }),
    takeTurn: startTurn,
    hush: stopTurn,
    leaveMessage: (message) => voice.say(message, { last: true }),
    speakIn(language) {
      voice.speakIn(language);
      channel.speakIn(language);
    },
    pressDigits: (digits) => channel.pressDigits(digits),
    finish(line, { interruptible }) {
      if (isClosed) return;
      stopTurn();
      voice.finishUtterance();
      voice.say(line, { last: true, interruptible });
      channel.end();
    },
    drop() {
      channel.close();
      close();
    },
  };
}
