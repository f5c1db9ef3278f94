import type { CallStore, TranscriptEntry } from '../../calls/call-store.ts';
import type { EmitEvent } from '../../kernel/events.ts';
import type { Logger } from '../../kernel/logger.ts';
import { type SpokenEntry, transcriptWriter } from './transcript-writer.ts';

export type { SpokenEntry };

/** What was said on one call: known at once here, stored in order behind the scenes. */
export interface Transcript {
  /** Everything said so far, entries on their way to the store included. */
  readonly entries: readonly SpokenEntry[];
  /** How many times the callee has spoken, keys pressed included. */
  readonly calleeTurns: number;
  add(entry: SpokenEntry): void;
  /** Resolves when every entry is stored or given up. Never rejects. */
  settled(): Promise<void>;
}

/** The store takes neither U+0000 nor halves of surrogate pairs, and a model's token may end in one. */
export function sanitizeForStorage(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Cs}/gu, '\uFFFD');
}

export function openTranscript(options: {
  callId: string;
  store: Pick<CallStore, 'appendTranscript' | 'transcript'>;
  /** What the store holds already. */
  earlier: readonly TranscriptEntry[];
  emit: EmitEvent;
  logger: Logger;
}): Transcript {
  const { callId, store, emit, logger } = options;
  const entries: SpokenEntry[] = [...options.earlier];
  const write = transcriptWriter(store, callId, options.earlier.length);
  let tail: Promise<void> = Promise.resolve();

  async function append(entry: SpokenEntry): Promise<void> {
    try {
      await write(entry);
      emit({ type: 'call.spoken', callId, role: entry.role, content: entry.content });
    } catch (error) {
      logger.error({ callId, error }, 'failed to store a transcript entry; it is lost');
    }
  }

  return {
    entries,
    get calleeTurns() {
      return entries.filter(({ role }) => role === 'user').length;
    },
    add(spoken) {
      const entry = { ...spoken, content: sanitizeForStorage(spoken.content) };
      entries.push(entry);
      tail = tail.then(() => append(entry));
    },
    settled: () => tail,
  };
}
