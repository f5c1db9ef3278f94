import { ApiError } from '../api-error.ts';
import type { Turn } from '../model/dialogue.ts';
import { newId } from '../reply.ts';
import { BYTES_PER_MS } from '../speech/ear.ts';
import type { TimedWord } from '../speech/utterance.ts';
import type { ClientItem, Item } from './items.ts';

/** An item, and what the model knows of it. */
export interface Entry {
  item: Item;
  /** What was said, in words, whether a transcript shows it or not. */
  text: string;
  /** The sound of a message that was spoken. */
  audio: Uint8Array | undefined;
  /** The words of a spoken answer. */
  words: TimedWord[];
  /** What is generated after a truncation was not heard either. */
  isTruncated: boolean;
}

/** An entry of an answer whose generation begins. */
export function openEntry(item: Item): Entry {
  return { item, text: '', audio: undefined, words: [], isTruncated: false };
}

/** An entry of what the user said, heard by the model and not transcribed. */
export function heardEntry(id: string, heard: { audio: Uint8Array; text: string }): Entry {
  return {
    item: {
      id,
      object: 'realtime.item',
      type: 'message',
      status: 'completed',
      role: 'user',
      content: [{ type: 'input_audio', transcript: null }],
    },
    text: heard.text,
    audio: heard.audio,
    words: [],
    isTruncated: false,
  };
}

/** An entry of an item that came from the client; `listen` gives the words of its sound. */
export function clientEntry(source: ClientItem, listen: (audio: Uint8Array) => string): Entry {
  const head = {
    id: source.id ?? newId('item_'),
    object: 'realtime.item',
    status: source.status ?? 'completed',
  } as const;
  if (source.type === 'function_call') {
    const { type, name, arguments: json, call_id = newId('call_') } = source;
    return openEntry({ ...head, type, name, arguments: json, call_id });
  }
  if (source.type === 'function_call_output') {
    const { type, call_id, output } = source;
    return openEntry({ ...head, type, call_id, output });
  }
  const sounds: Uint8Array[] = [];
  const texts: string[] = [];
  const content = source.content.map((part) => {
    if (part.type !== 'input_audio') {
      texts.push(part.text);
      return part;
    }
    const audio = Buffer.from(part.audio, 'base64');
    sounds.push(audio);
    texts.push(listen(audio));
    return { type: part.type, transcript: part.transcript ?? null };
  });
  return {
    item: { ...head, type: 'message', role: source.role, content },
    text: texts.join(' '),
    audio: sounds.length > 0 ? Buffer.concat(sounds) : undefined,
    words: [],
    isTruncated: false,
  };
}

/** What entries say to the model, in order. */
export function readEntries(entries: Entry[]): { instructions: string[]; turns: Turn[] } {
  const instructions: string[] = [];
  const turns: Turn[] = [];
  for (const { item, text } of entries) {
    const last = turns.at(-1);
    if (item.type === 'function_call_output') {
      turns.push({ role: 'tool', callId: item.call_id, text: item.output });
    } else if (item.type === 'function_call') {
      const call = { id: item.call_id, name: item.name, arguments: item.arguments };
      if (last?.role === 'assistant') last.toolCalls.push(call);
      else turns.push({ role: 'assistant', text: '', toolCalls: [call] });
    } else if (item.role === 'system') {
      instructions.push(text);
    } else if (item.role === 'user') {
      turns.push({ role: 'user', text });
    } else {
      turns.push({ role: 'assistant', text, toolCalls: [] });
    }
  }
  return { instructions, turns };
}

/** The items of a session, in order. */
export class Conversation {
  #entries: Entry[] = [];

  get entries(): Entry[] {
    return [...this.#entries];
  }

  find(id: string): Entry | undefined {
    return this.#entries.find(({ item }) => item.id === id);
  }

  /** @throws ApiError 400 when there is no such item */
  get(id: string, purpose: 'truncate' | 'delete' | 'retrieve'): Entry {
    const entry = this.find(id);
    if (entry) return entry;
    throw new ApiError(
      `Error: no item with id '${id}' is in the conversation, so it cannot be ${purpose}d.`,
      {
        param: 'item_id',
        code: `item_${purpose}_invalid_item_id`,
      },
    );
  }

  /** The id of the item before this one; null for the first. */
  previousOf(id: string): string | null {
    const index = this.#entries.findIndex(({ item }) => item.id === id);
    return this.#entries[index - 1]?.item.id ?? null;
  }

  get lastId(): string | null {
    return this.#entries.at(-1)?.item.id ?? null;
  }

  /**
   * Adds an entry at the end, or after the item given; `root` is before the first.
   *
   * @throws ApiError 400 for an unknown place, an id that is taken, or an output of a call that nobody made
   */
  add(entry: Entry, previousId?: string | null): void {
    const { item } = entry;
    if (this.find(item.id)) {
      throw new ApiError(`Error adding item: an item with id '${item.id}' already exists.`, {
        param: 'item.id',
        code: 'item_create_duplicate_item_id',
      });
    }
    if (item.type === 'function_call_output') this.assertCallKnown(item.call_id);
    if (previousId === undefined || previousId === null) {
      this.#entries.push(entry);
      return;
    }
    const index = this.#entries.findIndex((other) => other.item.id === previousId);
    if (index === -1 && previousId !== 'root') {
      throw new ApiError(`Error adding item: the previous item with id '${previousId}' does not exist.`, {
        param: 'previous_item_id',
        code: 'item_create_invalid_previous_item_id',
      });
    }
    this.#entries.splice(index + 1, 0, entry);
  }

  /** @throws ApiError 400 */
  assertCallKnown(callId: string): void {
    const isKnown = this.#entries.some(
      ({ item }) => item.type === 'function_call' && item.call_id === callId,
    );
    if (isKnown) return;
    throw new ApiError(`Tool call ID '${callId}' not found in conversation.`, {
      param: 'item.call_id',
      code: 'invalid_tool_call_id',
    });
  }

  /** @throws ApiError 400 */
  delete(id: string): void {
    const entry = this.get(id, 'delete');
    this.#entries = this.#entries.filter((other) => other !== entry);
  }

  /**
   * Cuts a spoken answer to what was heard of it. Its transcript goes, and the model remembers only the words heard.
   *
   * @throws ApiError 400 when the item has no such sound
   */
  truncate(id: string, audioEndMs: number): void {
    const entry = this.get(id, 'truncate');
    const { item } = entry;
    if (item.type !== 'message' || item.role !== 'assistant' || !entry.audio) {
      throw new ApiError('Only model output audio messages can be truncated', {
        param: 'item_id',
        code: 'unsupported_content_type',
      });
    }
    const audioMs = Math.floor(entry.audio.length / BYTES_PER_MS);
    if (audioEndMs > audioMs) {
      throw new ApiError(`Audio content of ${audioMs}ms is already shorter than ${audioEndMs}ms`, {
        param: 'audio_end_ms',
        code: 'invalid_value',
      });
    }
    entry.isTruncated = true;
    entry.audio = entry.audio.subarray(0, audioEndMs * BYTES_PER_MS);
    entry.words = entry.words.filter(({ endMs }) => endMs <= audioEndMs);
    entry.text = entry.words.map(({ text }) => text).join('');
    item.content = [{ type: 'output_audio', transcript: null }];
  }

  /** An item with its sound, which events leave out otherwise. @throws ApiError 400 */
  withSound(id: string): object {
    const { item, audio } = this.get(id, 'retrieve');
    if (item.type !== 'message' || !audio) return item;
    const base64 = Buffer.from(audio).toString('base64');
    const content = item.content.map((part) => ('transcript' in part ? { ...part, audio: base64 } : part));
    return { ...item, content };
  }
}
