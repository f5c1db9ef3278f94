/** What to say, and how. */
export interface Utterance {
  readonly text: string;
  readonly voice: 'agent' | 'callee';
  readonly wordsPerMinute: number;
  /** BCP-47 tag. */
  readonly language: string;
}

/** Speech as it was made, before it is filtered and levelled: samples from -1 to 1. */
export interface RawSpeech {
  readonly samples: Float64Array;
  readonly sampleRate: number;
}
