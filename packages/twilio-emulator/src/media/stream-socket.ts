import { WebSocket } from 'ws';
import type { Call } from '../calls/call.ts';
import { sendCallback } from '../calls/status-callbacks.ts';
import type { Emulation } from '../emulation.ts';
import type { MediaStreamRecord } from '../ledger.ts';
import { twilioSignature } from '../signature.ts';
import { silentFrame } from './playback.ts';
import { readStreamMessage, type StreamMessage } from './stream-messages.ts';
import { type StreamSettings, streamAddressFault } from './stream-settings.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const MAXIMUM_MESSAGE_BYTES = 16 * 1024 * 1024;
// An application that does not read loses sound rather than filling the memory.
const MAXIMUM_BUFFERED_BYTES = 4 * 1024 * 1024;

const silentPayload = Buffer.from(silentFrame).toString('base64');

/** How a stream ended, seen from its socket. */
export type StreamOutcome =
  | { status: 'closed' | 'completed' | 'replaced' }
  | { status: 'failed'; errorCode: number; errorMessage: string };

/** Told what comes from the application. */
export interface StreamSocketListener {
  /** The stream has started: media may flow. */
  started(): void;
  received(message: StreamMessage): void;
  /** The socket is gone, or never was there. */
  ended(outcome: StreamOutcome): void;
}

/** The socket of a Media Stream: opens it with a signature, numbers what is sent, and checks what is received. */
export class StreamSocket {
  readonly #emulation: Emulation;
  readonly #call: Call;
  readonly #settings: StreamSettings;
  readonly #record: MediaStreamRecord;
  readonly #listener: StreamSocketListener;
  #socket: WebSocket | undefined;
  #sequenceNumber = 0;
  #chunk = 0;
  #hasStarted = false;
  #isOver = false;
  #wasRefused = false;

  constructor(options: {
    emulation: Emulation;
    call: Call;
    settings: StreamSettings;
    record: MediaStreamRecord;
    listener: StreamSocketListener;
  }) {
    this.#emulation = options.emulation;
    this.#call = options.call;
    this.#settings = options.settings;
    this.#record = options.record;
    this.#listener = options.listener;
  }

  open(): void {
    const { url } = this.#settings;
    const fault = streamAddressFault(url, this.#emulation.allowInsecureLoopback);
    if (fault) {
      this.#fail(fault.code, fault.message);
      return;
    }
    const socket = new WebSocket(url, {
      headers: { 'X-Twilio-Signature': twilioSignature(this.#call.account.authToken, url) },
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      perMessageDeflate: false,
      maxPayload: MAXIMUM_MESSAGE_BYTES,
    });
    this.#socket = socket;
    socket.on('open', () => this.#opened());
    socket.on('message', (data, isBinary) => this.#received(isBinary ? '' : data.toString(), isBinary));
    socket.on('error', (error: Error & { code?: string }) => {
      if (this.#hasStarted) this.#fail(31924, `Stream - WebSocket protocol error: ${error.message}`);
      else this.#fail(connectErrorCode(error), `Stream - unable to connect: ${error.message}`);
    });
    socket.on('close', (code) => {
      if (code === 1006) this.#fail(31924, 'Stream - the WebSocket was lost');
      else this.#end({ status: 'closed' });
    });
  }

  /** Sends a frame of the callee's sound, which began `timestampMs` after the start of the stream. */
  media(frame: Uint8Array, timestampMs: number): void {
    if (!this.#socket || this.#socket.bufferedAmount > MAXIMUM_BUFFERED_BYTES) {
      this.#record.framesLost += 1;
      return;
    }
    this.#chunk += 1;
    this.#record.framesSent += 1;
    const payload =
      frame === silentFrame
        ? silentPayload
        : Buffer.from(frame.buffer, frame.byteOffset, frame.length).toString('base64');
    const media = {
      track: 'inbound',
      chunk: String(this.#chunk),
      timestamp: String(timestampMs),
      payload,
    };
    this.#send('media', { media });
  }

  dtmf(digit: string): void {
    this.#send('dtmf', { dtmf: { track: 'inbound_track', digit } });
  }

  mark(name: string): void {
    this.#send('mark', { mark: { name } });
  }

  /** Ends the stream from Twilio's side. */
  stop(outcome: { status: 'completed' | 'replaced' }): void {
    if (this.#isOver) return;
    this.#send('stop', { stop: { accountSid: this.#call.account.sid, callSid: this.#call.sid } });
    this.#socket?.close(1000);
    this.#end(outcome);
  }

  /** Breaks the connection without a word. */
  destroy(): void {
    this.#socket?.terminate();
  }

  #opened(): void {
    // The call may have ended while the connection was made.
    if (this.#isOver) return;
    this.#hasStarted = true;
    const { streamSid } = this.#record;
    this.#record.connectedAt = new Date().toISOString();
    this.#write({ event: 'connected', protocol: 'Call', version: '1.0.0' });
    this.#send('start', {
      start: {
        streamSid,
        accountSid: this.#call.account.sid,
        callSid: this.#call.sid,
        tracks: ['inbound'],
        customParameters: this.#settings.customParameters,
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
      },
    });
    this.#report('stream-started');
    this.#listener.started();
  }

  #received(frame: string, isBinary: boolean): void {
    if (this.#isOver) return;
    this.#record.messagesReceived += 1;
    const message = readStreamMessage(frame, isBinary, this.#record.streamSid);
    if ('event' in message) {
      this.#listener.received(message);
      return;
    }
    this.#record.messagesRefused += 1;
    if (this.#wasRefused) return;
    this.#wasRefused = true;
    this.#call.notify(message.code, `Stream - invalid message: ${message.fault}`);
  }

  #fail(errorCode: number, errorMessage: string): void {
    this.#end({ status: 'failed', errorCode, errorMessage });
  }

  #end(outcome: StreamOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#record.endedAt = new Date().toISOString();
    this.#record.status = outcome.status;
    if (outcome.status === 'failed') {
      this.#record.errorCode = outcome.errorCode;
      this.#call.notify(outcome.errorCode, outcome.errorMessage);
      this.#report('stream-error', outcome.errorMessage);
    }
    if (this.#hasStarted) this.#report('stream-stopped');
    this.#listener.ended(outcome);
  }

  #report(event: 'stream-started' | 'stream-stopped' | 'stream-error', error?: string): void {
    const target = this.#settings.statusCallback;
    if (!target) return;
    const parameters = {
      AccountSid: this.#call.account.sid,
      CallSid: this.#call.sid,
      StreamSid: this.#record.streamSid,
      ...(this.#settings.name === undefined ? {} : { StreamName: this.#settings.name }),
      StreamEvent: event,
      ...(error === undefined ? {} : { StreamError: error }),
      Timestamp: new Date().toISOString(),
    };
    void sendCallback(this.#emulation, this.#call, target, parameters, { event });
  }

  #send(event: string, content: object): void {
    this.#sequenceNumber += 1;
    const { streamSid } = this.#record;
    this.#write({ event, sequenceNumber: String(this.#sequenceNumber), streamSid, ...content });
  }

  #write(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

function connectErrorCode(error: Error & { code?: string }): number {
  if (/CERT|TLS|SSL|SIGNED|UNABLE_TO/.test(error.code ?? '')) return 31910;
  return error.code !== undefined || /timed out/.test(error.message) ? 31901 : 31920;
}
