import type { AudioChannel } from '../../calls/speech.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { CarrierAnnouncer } from '../session/carrier-announcer.ts';
import type { PlayoutTracker } from './playout-tracker.ts';
import type { TranscriptSequencer } from './transcript-sequencer.ts';

/** Playback that was not confirmed for so long after its end is taken for over. */
const confirmationGraceMs = 3000;

/** How a realtime call ends: a last sentence is made, heard to its end, and then the channel is closed. */
export interface ClosingAnnouncement {
  /** `asked` of the model, `playing` out, or already `gone`: the channel is the carrier's again. */
  readonly stage: 'none' | 'asked' | 'playing' | 'gone';
  /** Empty for none. */
  readonly text: string;
  /** It is made and heard to its end, whoever speaks. */
  readonly isSafe: boolean;
  /** An empty line ends the channel once everything was heard. */
  begin(text: string, options: { readonly isSafe: boolean; readonly callGoesOn: boolean }): void;
  /** Its first sound is on its way to the callee. */
  sounds(): void;
  /** Ends the channel if there is nothing left to be heard, or when that must be over. */
  goIfHeard(): void;
  /** Ends the channel. */
  go(): void;
  /** The model did not say it. */
  byCarrier(): void;
  /** The carrier takes the call, says this, and closes the channel. */
  handOver(text: string, then: 'hang-up' | 'converse'): void;
  /** Nothing more happens by itself. Resolves when the carrier is not at work. */
  settle(): Promise<void>;
}

export function closingAnnouncement(options: {
  channel: Pick<AudioChannel, 'end'>;
  playback: Pick<PlayoutTracker, 'isPlaying' | 'isSpeaking' | 'leftMs' | 'cut'>;
  order: TranscriptSequencer;
  line: CarrierAnnouncer | null;
  /** The carrier has the word. */
  silenceModel(): void;
  noteEnd(): Promise<void>;
  logger: Logger;
  callId: string;
}): ClosingAnnouncement {
  const { channel, playback, order, line, silenceModel, logger, callId } = options;
  let stage: ClosingAnnouncement['stage'] = 'none';
  let text = '';
  let isSafe = false;
  let callGoesOn = false;
  let limit: NodeJS.Timeout | undefined;
  let carrierAtWork: Promise<void> = Promise.resolve();

  function go(): void {
    if (stage === 'gone') return;
    stage = 'gone';
    clearTimeout(limit);
    const noted = callGoesOn ? Promise.resolve() : options.noteEnd();
    void noted
      .catch((error: unknown) => logger.error({ callId, error }, 'failed to store the end of a conversation'))
      .finally(() => channel.end());
  }

  function goIfHeard(): void {
    if (stage !== 'playing') return;
    clearTimeout(limit);
    if (playback.isPlaying || playback.isSpeaking) {
      limit = setTimeout(go, playback.leftMs + confirmationGraceMs);
    } else {
      go();
    }
  }

  function handOver(words: string, then: 'hang-up' | 'converse'): void {
    // First of all: what is cut off now ends nothing, the carrier does that.
    stage = 'gone';
    silenceModel();
    playback.cut();
    if (line === null) {
      stage = 'playing';
      go();
      return;
    }
    const place = order.next();
    carrierAtWork = line.say(words, then).then(
      () => place.fill({ role: 'assistant', content: words, interrupted: false }),
      (error: unknown) => {
        logger.error({ callId, error }, 'failed to hand an announcement to the carrier');
        place.fill(null);
        stage = 'playing';
        go();
      },
    );
  }

  return {
    get stage() {
      return stage;
    },
    get text() {
      return text;
    },
    get isSafe() {
      return isSafe;
    },
    begin(words, how) {
      text = words;
      ({ isSafe, callGoesOn } = how);
      stage = words === '' ? 'playing' : 'asked';
      goIfHeard();
    },
    sounds() {
      if (stage === 'asked') stage = 'playing';
    },
    goIfHeard,
    go,
    byCarrier() {
      if (!callGoesOn) {
        handOver(text, 'hang-up');
        return;
      }
      silenceModel();
      go();
    },
    handOver,
    settle() {
      clearTimeout(limit);
      return carrierAtWork;
    },
  };
}
