import type { Faults } from '../faults.ts';
import type { SpeechPace } from '../speech/pace.ts';
import { estimateTokens } from '../tokens.ts';
import type { Send } from './response.ts';

const AUDIO_TOKEN_MS = 100;

/** A turn to be transcribed. */
export interface TranscriptionOrder {
  itemId: string;
  text: string;
  audioMs: number;
  /** The model that transcribes. */
  model: string;
  /** Told the transcript when it is sent. */
  onDone(transcript: string): void;
}

/** Transcribes what the user said, some time after it was said and not always in order. */
export class Transcriber {
  readonly #send: Send;
  readonly #pace: SpeechPace;
  readonly #faults: Faults;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Transcriptions that the next one overtakes. */
  #held: TranscriptionOrder[] = [];

  constructor(options: { send: Send; pace: SpeechPace; faults: Faults }) {
    this.#send = options.send;
    this.#pace = options.pace;
    this.#faults = options.faults;
  }

  transcribe(order: TranscriptionOrder): void {
    const lost = this.#faults.strike('transcriptionLost');
    if (lost) {
      if (lost.tell) this.#later(this.#pace.transcriptionMs, () => this.#fail(order));
      return;
    }
    if (this.#faults.strike('transcriptionOvertaken')) {
      this.#held.push(order);
      return;
    }
    const late = this.#faults.strike('transcriptionLate');
    this.#later(this.#pace.transcriptionMs + (late?.delayMs ?? 0), () => {
      this.#complete(order);
      for (const overtaken of this.#held.splice(0)) this.#complete(overtaken);
    });
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #later(waitMs: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, waitMs);
    this.#timers.add(timer);
  }

  #complete({ itemId, text, audioMs, model, onDone }: TranscriptionOrder): void {
    const place = { item_id: itemId, content_index: 0 };
    for (const delta of text.match(/\s*\S+/g) ?? []) {
      this.#send('conversation.item.input_audio_transcription.delta', { ...place, delta });
    }
    onDone(text);
    this.#send('conversation.item.input_audio_transcription.completed', {
      ...place,
      transcript: text,
      usage:
        model === 'whisper-1' ? { type: 'duration', seconds: audioMs / 1000 } : tokenUsage(text, audioMs),
    });
  }

  #fail({ itemId }: TranscriptionOrder): void {
    this.#send('conversation.item.input_audio_transcription.failed', {
      item_id: itemId,
      content_index: 0,
      error: {
        type: 'transcription_error',
        code: 'audio_unintelligible',
        message: 'The audio could not be transcribed.',
        param: null,
      },
    });
  }
}

function tokenUsage(text: string, audioMs: number): object {
  const input = Math.ceil(audioMs / AUDIO_TOKEN_MS);
  const output = estimateTokens(text.length);
  return {
    type: 'tokens',
    total_tokens: input + output,
    input_tokens: input,
    input_token_details: { text_tokens: 0, audio_tokens: input },
    output_tokens: output,
  };
}
