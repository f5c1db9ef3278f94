import {
  type AudioChannel,
  type AudioEvent,
  audioDurationMs,
  type Logger,
  type TextSocket,
} from '@callkite/core';
import { mediaFrameOf, parseMediaMessage } from './media-messages.ts';

const MAXIMUM_BUFFERED_BYTES = 1024 * 1024;
/** WebSocket close codes: 1000 normal, 1001 going away, 1008 policy violation. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const TOO_SLOW = 1008;
const BYTES_PER_MS = 8;
/** Timestamps stray by less. Twilio sends a frame every 20 ms. */
const GAP_MS = 15;
/** A longer gap is not a loss on the way. */
const LONGEST_GAP_MS = 10_000;

/** One bidirectional Media Stream as an audio channel. Sound passes through as it is, in both directions. */
export class MediaChannel implements AudioChannel {
  readonly #socket: TextSocket;
  readonly #logger: Logger;
  readonly #undelivered: AudioEvent[] = [];
  #listener: ((event: AudioEvent) => void) | undefined;
  #streamSid: string | undefined;
  /** Counts the clearings. Marks carry it: `clear` makes Twilio return every open mark as if it had been played. */
  #generation = 0;
  #nextMs: number | undefined;
  #done = false;

  constructor(socket: TextSocket, logger: Logger) {
    this.#socket = socket;
    this.#logger = logger;
    socket.onMessage((frame) => this.#receive(frame));
    socket.onClose(() => {
      this.#done = true;
      this.#emit({ type: 'closed' });
    });
  }

  listen(listener: (event: AudioEvent) => void): void {
    this.#listener = listener;
    for (const event of this.#undelivered.splice(0)) listener(event);
  }

  play(audio: string): void {
    this.#send('media', `"media":{"payload":"${audio}"}`);
  }

  mark(name: string): void {
    this.#send('mark', `"mark":${JSON.stringify({ name: `${this.#generation}:${name}` })}`);
  }

  clear(): void {
    this.#generation += 1;
    this.#send('clear');
  }

  end(): void {
    this.#drop(NORMAL, 'done');
  }

  close(): void {
    this.#drop(GOING_AWAY, 'going away');
  }

  #receive(text: string): void {
    if (this.#done) return;
    const frame = mediaFrameOf(text);
    if (frame !== null) {
      if (this.#streamSid !== undefined) this.#heard(frame.payload, frame.timestampMs);
      return;
    }
    const message = parseMediaMessage(text);
    if (message === null) {
      this.#logger.debug({ length: text.length }, 'ignored a media message of an unknown kind');
      return;
    }
    if (message.event === 'start') {
      if (this.#streamSid !== undefined) return;
      this.#streamSid = message.streamSid;
      this.#emit({ type: 'ready', providerCallId: message.start.callSid, sessionId: message.streamSid });
      return;
    }
    if (this.#streamSid === undefined) return;
    if (message.event === 'dtmf') this.#emit({ type: 'pressed', digit: message.dtmf.digit });
    if (message.event === 'mark') this.#marked(message.mark.name);
  }

  #heard(payload: string, timestampMs: number): void {
    const missingMs = this.#nextMs === undefined ? 0 : timestampMs - this.#nextMs;
    if (missingMs >= GAP_MS && missingMs <= LONGEST_GAP_MS) {
      this.#emit({ type: 'audio', audio: silence(missingMs) });
    }
    this.#nextMs = timestampMs + audioDurationMs(payload);
    this.#emit({ type: 'audio', audio: payload });
  }

  #marked(name: string): void {
    const prefix = `${this.#generation}:`;
    if (name.startsWith(prefix)) this.#emit({ type: 'played', mark: name.slice(prefix.length) });
  }

  #emit(event: AudioEvent): void {
    if (this.#listener === undefined) this.#undelivered.push(event);
    else this.#listener(event);
  }

  #send(event: string, content?: string): void {
    if (this.#done || this.#streamSid === undefined) return;
    const more = content === undefined ? '' : `,${content}`;
    this.#socket.send(`{"event":"${event}","streamSid":"${this.#streamSid}"${more}}`);
    if (this.#socket.bufferedBytes > MAXIMUM_BUFFERED_BYTES) this.#drop(TOO_SLOW, 'too slow');
  }

  #drop(code: number, reason: string): void {
    if (this.#done) return;
    this.#done = true;
    this.#socket.close(code, reason);
  }
}

/** µ-law silence, byte 0xFF. */
function silence(ms: number): string {
  return Buffer.alloc(Math.round(ms) * BYTES_PER_MS, 0xff).toString('base64');
}
