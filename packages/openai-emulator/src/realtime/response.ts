import type { Faults } from '../faults.ts';
import { newId, type Reply } from '../reply.ts';
import { type SpeechPace, waitUntil } from '../speech/pace.ts';
import { growingSound, utter, written } from '../speech/utterance.ts';
import { estimateTokens } from '../tokens.ts';
import { type Entry, openEntry } from './conversation.ts';
import type { ContentPart, Item } from './items.ts';

const AUDIO_TOKEN_MS = 50;

/** Sends an event to the client. */
export type Send = (type: string, fields: object) => void;

export type CancelReason = 'turn_detected' | 'client_cancelled';

/** What a response is, and what it needs. */
export interface ResponseOrder {
  /** The fields of the response object that do not change. */
  facts: Record<string, unknown>;
  modality: 'audio' | 'text';
  /** Notes a new item in the conversation and gives the item before it; undefined when the response is out of band. */
  remember: ((entry: Entry) => string | null) | undefined;
  reply: Reply;
  pace: SpeechPace;
  faults: Faults;
  send: Send;
  /** Breaks the connection. */
  cut(): void;
  /** Told before the last events, with the length of what was said. */
  onEnd(audioMs: number): void;
}

/** How a response ended. */
type Ending =
  | { status: 'completed' }
  | { status: 'cancelled'; reason: CancelReason }
  | { status: 'incomplete'; reason: 'max_output_tokens' | 'content_filter' }
  | { status: 'failed'; error: { type: string; code: string; message: string } };

/** The message being generated. */
interface OpenMessage {
  entry: Entry;
  item: Extract<Item, { type: 'message' }>;
  previousId: string | null;
  index: number;
  text: string;
}

/** One response while it is generated, and its events in the order of the API. */
export class RealtimeResponse {
  readonly id = newId('resp_');
  readonly #order: ResponseOrder;
  readonly #output: Item[] = [];
  readonly #abort = new AbortController();
  #open: OpenMessage | undefined;
  #audioMs = 0;
  #isOver = false;

  constructor(order: ResponseOrder) {
    this.#order = order;
  }

  get isInConversation(): boolean {
    return this.#order.remember !== undefined;
  }

  /** Runs to its end; resolves also when it is canceled. */
  async run(): Promise<void> {
    const { faults, pace, reply, send } = this.#order;
    send('response.created', { response: this.#body('in_progress', null) });
    const trouble = faults.strike('errorEvent');
    if (trouble) {
      const { code, message } = trouble;
      send('error', { error: { type: 'server_error', code, message, param: null, event_id: null } });
    }
    if (faults.strike('hang')) return;
    const slow = faults.strike('slowFirstToken');
    if (!(await this.#wait(performance.now() + pace.thinkMs + (slow?.delayMs ?? 0)))) return;
    const text = reply.text.join('') + reply.refusal.join('');
    if (text !== '' && !(await this.#say(text))) return;
    for (const call of reply.toolCalls) this.#call(call);
    if (reply.finishReason === 'length') this.#end({ status: 'incomplete', reason: 'max_output_tokens' });
    else if (reply.finishReason === 'content_filter')
      this.#end({ status: 'incomplete', reason: 'content_filter' });
    else this.#end({ status: 'completed' });
  }

  cancel(reason: CancelReason): void {
    this.#end({ status: 'cancelled', reason });
  }

  /** Ends without a word: the session is gone. */
  abandon(): void {
    this.#isOver = true;
    this.#abort.abort();
  }

  #wait(dueMs: number): Promise<boolean> {
    return waitUntil(dueMs, this.#abort.signal);
  }

  /** Sends a message piece by piece. Resolves to false when the response ended meanwhile. */
  async #say(text: string): Promise<boolean> {
    const { faults, modality, pace, send } = this.#order;
    const cut = faults.strike('socketCut');
    const failure = faults.strike('streamError');
    const breakAfter = cut?.afterTokens ?? failure?.afterTokens ?? Number.POSITIVE_INFINITY;
    const fragments = modality === 'audio' ? utter(text, pace.chunkMs) : written(text);
    const sound = growingSound();
    let open: OpenMessage | undefined;
    let startMs = 0;
    let words = 0;
    for await (const fragment of fragments) {
      if (this.#isOver) return false;
      if (words >= breakAfter) break;
      if (open === undefined) startMs = performance.now();
      open ??= this.#openMessage();
      const { entry } = open;
      const place = this.#place(open);
      if (!(await this.#wait(startMs + fragment.startMs / pace.timesRealTime))) return false;
      words += fragment.words.length;
      open.text += fragment.text;
      if (!entry.isTruncated) {
        entry.words.push(...fragment.words);
        entry.text = open.text;
        if (modality === 'audio') entry.audio = sound.add(fragment.audio);
      }
      if (fragment.text !== '') {
        const type =
          modality === 'audio' ? 'response.output_audio_transcript.delta' : 'response.output_text.delta';
        send(type, { ...place, delta: fragment.text });
      }
      if (modality === 'audio') {
        send('response.output_audio.delta', {
          ...place,
          delta: Buffer.from(fragment.audio).toString('base64'),
        });
        this.#audioMs = fragment.endMs;
      }
    }
    if (words >= breakAfter && cut) {
      this.abandon();
      this.#order.cut();
      return false;
    }
    if (words >= breakAfter && failure) {
      const message =
        failure.message ?? 'The server had an error while processing your request. Sorry about that!';
      this.#end({ status: 'failed', error: { type: 'server_error', code: 'server_error', message } });
      return false;
    }
    this.#closeMessage('completed');
    return true;
  }

  #place({ item, index }: OpenMessage): object {
    return { response_id: this.id, item_id: item.id, output_index: index, content_index: 0 };
  }

  #begin(item: Item): { entry: Entry; previousId: string | null; index: number } {
    const { remember, send } = this.#order;
    const entry = openEntry(item);
    const index = this.#output.push(item) - 1;
    const previousId = remember?.(entry) ?? null;
    send('response.output_item.added', { response_id: this.id, output_index: index, item });
    if (remember) send('conversation.item.added', { previous_item_id: previousId, item });
    return { entry, previousId, index };
  }

  #finish(item: Item, index: number, previousId: string | null): void {
    const { remember, send } = this.#order;
    send('response.output_item.done', { response_id: this.id, output_index: index, item });
    if (remember) send('conversation.item.done', { previous_item_id: previousId, item });
  }

  #openMessage(): OpenMessage {
    const item: OpenMessage['item'] = {
      id: newId('item_'),
      object: 'realtime.item',
      type: 'message',
      status: 'in_progress',
      role: 'assistant',
      content: [],
    };
    const open = { item, text: '', ...this.#begin(item) };
    this.#open = open;
    const part =
      this.#order.modality === 'audio' ? { type: 'audio', transcript: '' } : { type: 'text', text: '' };
    this.#order.send('response.content_part.added', { ...this.#place(open), part });
    return open;
  }

  #closeMessage(status: 'completed' | 'incomplete'): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const { modality, send } = this.#order;
    const { entry, item, text } = open;
    const place = this.#place(open);
    let part: object;
    let content: ContentPart;
    if (modality === 'audio') {
      send('response.output_audio.done', place);
      send('response.output_audio_transcript.done', { ...place, transcript: text });
      part = { type: 'audio', transcript: text };
      content = { type: 'output_audio', transcript: entry.isTruncated ? null : text };
    } else {
      send('response.output_text.done', { ...place, text });
      part = { type: 'text', text };
      content = { type: 'output_text', text };
    }
    send('response.content_part.done', { ...place, part });
    item.status = status;
    item.content = [content];
    this.#finish(item, open.index, open.previousId);
  }

  #call(call: Reply['toolCalls'][number]): void {
    const { send } = this.#order;
    const { id: call_id, name } = call;
    const item: Item = {
      id: newId('item_'),
      object: 'realtime.item',
      type: 'function_call',
      status: 'in_progress',
      name,
      call_id,
      arguments: '',
    };
    const { previousId, index } = this.#begin(item);
    const place = { response_id: this.id, item_id: item.id, output_index: index, call_id };
    for (const delta of call.arguments) send('response.function_call_arguments.delta', { ...place, delta });
    item.arguments = call.arguments.join('');
    send('response.function_call_arguments.done', { ...place, name, arguments: item.arguments });
    item.status = 'completed';
    this.#finish(item, index, previousId);
  }

  #end(ending: Ending): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#abort.abort();
    const { onEnd, send } = this.#order;
    this.#closeMessage(ending.status === 'completed' ? 'completed' : 'incomplete');
    const { status, ...details } = ending;
    const status_details = status === 'completed' ? null : { type: status, ...details };
    onEnd(this.#audioMs);
    send('response.done', { response: this.#body(status, status_details) });
    send('rate_limits.updated', {
      rate_limits: [
        { name: 'requests', limit: 10_000, remaining: 9999, reset_seconds: 0.006 },
        { name: 'tokens', limit: 2_000_000, remaining: 1_999_000, reset_seconds: 0.03 },
      ],
    });
  }

  #body(status: string, status_details: object | null): object {
    return {
      id: this.id,
      object: 'realtime.response',
      status,
      status_details,
      output: this.#output,
      ...this.#order.facts,
      usage: status === 'in_progress' ? null : this.#usage(),
    };
  }

  #usage(): object {
    const { inputTokens } = this.#order.reply.usage;
    const audioTokens = Math.ceil(this.#audioMs / AUDIO_TOKEN_MS);
    const spoken = this.#output.flatMap((item) => {
      if (item.type === 'function_call') return [item.arguments];
      if (item.type !== 'message') return [];
      return item.content.map((part) => ('text' in part ? part.text : (part.transcript ?? '')));
    });
    const textTokens = estimateTokens(spoken.join('').length);
    return {
      total_tokens: inputTokens + audioTokens + textTokens,
      input_tokens: inputTokens,
      output_tokens: audioTokens + textTokens,
      input_token_details: { text_tokens: inputTokens, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
      output_token_details: { text_tokens: textTokens, audio_tokens: audioTokens },
    };
  }
}
