import { twilioSignature } from '@callkite/twilio-emulator';
import { WebSocket } from 'ws';
import { PlaybackClock } from './playback-clock.ts';
import { pieceIn, type Stopwatch, taggedSound } from './tagged-sound.ts';

/** Not 20: this is without padding in base64, which keeps the reading of it cheap. */
const frameMs = 21;
const payloadKey = '"payload":"';
const goldenRatio = (1 + Math.sqrt(5)) / 2;
let lines = 0;

export interface MediaLineOptions {
  readonly url: string;
  readonly callSid: string;
  readonly authToken: string;
  readonly watches: { readonly inbound: Stopwatch; readonly outbound: Stopwatch };
  /** Playback was cleared while this piece was heard, so far. */
  onCut(piece: number, playedMs: number): void;
}

/** One Media Stream of a callee who never stops making a sound, in real time. */
export class MediaLine {
  readonly #socket: WebSocket;
  readonly #playback: PlaybackClock;
  readonly #options: MediaLineOptions;
  readonly #streamSid: string;
  #timer: NodeJS.Timeout | undefined;
  #frames = 0;

  constructor(options: MediaLineOptions) {
    this.#options = options;
    this.#streamSid = options.callSid.replace('CA', 'MZ');
    this.#playback = new PlaybackClock((name) => this.#send({ event: 'mark', mark: { name } }));
    const signature = twilioSignature(options.authToken, options.url);
    this.#socket = new WebSocket(options.url, {
      headers: { 'X-Twilio-Signature': signature },
      perMessageDeflate: false,
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('open', () => this.#begin());
    this.#socket.on('message', (data) => this.#receive(data.toString()));
    this.#socket.on('close', () => this.stop());
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#playback.stop();
    this.#socket.terminate();
  }

  #begin(): void {
    this.#socket.send('{"event":"connected","protocol":"Call","version":"1.0.0"}');
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
    this.#send({
      event: 'start',
      sequenceNumber: '1',
      start: {
        streamSid: this.#streamSid,
        callSid: this.#options.callSid,
        tracks: ['inbound'],
        customParameters: {},
        mediaFormat,
      },
    });
    // Spread over the length of a frame, the same for every bridge: who writes to somebody awake writes cheaply.
    lines += 1;
    const phaseMs = ((lines * goldenRatio) % 1) * frameMs;
    setTimeout(() => this.#speak(), frameMs + phaseMs - (performance.now() % frameMs));
  }

  #speak(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const beganAtMs = performance.now();
    this.#timer = setInterval(() => {
      while (beganAtMs + this.#frames * frameMs <= performance.now()) this.#sendFrame();
    }, frameMs);
  }

  #sendFrame(): void {
    const timestamp = this.#frames * frameMs;
    this.#frames += 1;
    const payload = taggedSound(this.#options.watches.inbound.sent(), frameMs);
    this.#socket.send(
      `{"event":"media","sequenceNumber":"${this.#frames + 1}","media":{"track":"inbound","chunk":"${this.#frames}","timestamp":"${timestamp}","payload":"${payload}"},"streamSid":"${this.#streamSid}"}`,
    );
  }

  #receive(text: string): void {
    const piece = pieceIn(text, payloadKey);
    if (piece !== null) {
      this.#options.watches.outbound.arrived(piece);
      const start = text.indexOf(payloadKey) + payloadKey.length;
      this.#playback.play(piece, ((text.indexOf('"', start) - start) * 3) / 4 / 8);
      return;
    }
    const message = JSON.parse(text);
    if (message.event === 'mark') this.#playback.mark(message.mark.name);
    if (message.event !== 'clear') return;
    const cut = this.#playback.clear();
    if (cut) this.#options.onCut(cut.piece, cut.playedMs);
  }

  #send(message: object): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(JSON.stringify({ ...message, streamSid: this.#streamSid }));
  }
}
