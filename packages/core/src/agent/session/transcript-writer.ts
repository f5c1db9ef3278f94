import type { CallStore, TranscriptEntry } from '../../calls/call-store.ts';
import { retry } from '../../kernel/retry.ts';

export type SpokenEntry = Omit<TranscriptEntry, 'at'>;

/**
 * Stores entries of one call's transcript, each once: an entry whose storing seemed to fail may be on record all the
 * same, because only the store's answer was lost.
 * @param onRecord how many entries the transcript has already
 * @returns stores the next entry; rejects when the store is away for too long
 */
export function transcriptWriter(
  store: Pick<CallStore, 'appendTranscript' | 'transcript'>,
  callId: string,
  onRecord: number,
): (entry: SpokenEntry) => Promise<void> {
  let last = onRecord;

  async function isOnRecord(entry: SpokenEntry): Promise<boolean> {
    const since = (await store.transcript(callId)).slice(last);
    const found = since.findIndex(
      ({ role, content, interrupted }) =>
        role === entry.role && content === entry.content && interrupted === entry.interrupted,
    );
    if (found >= 0) last += found + 1;
    return found >= 0;
  }

  return async (entry) => {
    let wasTried = false;
    await retry(async () => {
      if (wasTried && (await isOnRecord(entry))) return;
      wasTried = true;
      last = await store.appendTranscript(callId, entry);
    });
  };
}
