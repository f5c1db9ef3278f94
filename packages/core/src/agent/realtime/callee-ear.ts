const bytesPerMs = 8;
/** About half a percent of full scale: louder than a quiet line, softer than any speech. An inverted µ-law byte without its sign. */
const loudCode = 20;
/** Share of samples that are loud where somebody speaks. */
const loudShare = 0.1;
/** Longer than a pause within a sentence, and than models wait before they take a turn for over. */
const quietAfterMs = 1500;
/** Shorter noises are not speech. */
const shortestSpeechMs = 500;

/**
 * Hears whether there is sound on the callee's line, for when the model that should hear it says nothing. Loudness is all it
 * knows: nothing that would harm a well model may follow from it.
 */
export interface CalleeEar {
  hear(audio: string): void;
  /** It was quiet for longer than a pause within a sentence lasts. */
  readonly isQuiet: boolean;
  /** There was sound for as long as a word takes, since `forget`. */
  readonly hasHeardSpeech: boolean;
  forget(): void;
}

export function calleeEar(): CalleeEar {
  let quietMs = 0;
  let loudMs = 0;
  return {
    hear(audio) {
      const bytes = Buffer.from(audio, 'base64');
      let loud = 0;
      for (const byte of bytes) if ((~byte & 0x7f) > loudCode) loud += 1;
      const ms = bytes.length / bytesPerMs;
      if (loud > bytes.length * loudShare) {
        loudMs += ms;
        quietMs = 0;
      } else {
        quietMs += ms;
      }
    },
    get isQuiet() {
      return quietMs >= quietAfterMs;
    },
    get hasHeardSpeech() {
      return loudMs >= shortestSpeechMs;
    },
    forget() {
      loudMs = 0;
    },
  };
}
