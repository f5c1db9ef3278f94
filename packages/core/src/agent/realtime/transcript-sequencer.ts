import type { SpokenEntry, Transcript } from '../session/transcript.ts';

/** A place in the transcript, taken when somebody began to speak, filled when it is known what they said. */
export interface TranscriptSlot {
  readonly isFilled: boolean;
  /** `null` when it comes to nothing. Counts once. */
  fill(entry: SpokenEntry | null): void;
}

/** Brings what was said into the transcript in spoken order, although it becomes known in another. */
export interface TranscriptSequencer {
  next(): TranscriptSlot;
}

export function transcriptSequencer(transcript: Pick<Transcript, 'add'>): TranscriptSequencer {
  const open: { entry: SpokenEntry | null | undefined }[] = [];

  return {
    next() {
      const place: { entry: SpokenEntry | null | undefined } = { entry: undefined };
      open.push(place);
      return {
        get isFilled() {
          return place.entry !== undefined;
        },
        fill(entry) {
          if (place.entry !== undefined) return;
          place.entry = entry;
          for (let first = open[0]; first && first.entry !== undefined; first = open[0]) {
            open.shift();
            if (first.entry) transcript.add(first.entry);
          }
        },
      };
    },
  };
}
