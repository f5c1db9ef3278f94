import {
  type WidgetClientEvent,
  type WidgetServerEvent,
  widgetClientEvent,
  widgetCloseCodes,
} from '@callkite/contract';
import type { BinarySocket } from '../../calls/speech.ts';
import { outbox } from './outbox.ts';
import { tokenBucket } from './token-bucket.ts';

type WithoutSeq<Event> = Event extends { seq: number } ? Omit<Event, 'seq'> : never;

/** An event that counts as a position. */
export type LineEvent = WithoutSeq<Exclude<WidgetServerEvent, { type: 'ready' | 'error' }>>;

type Ready = Extract<WidgetServerEvent, { type: 'ready' }>;
type Refusal = Extract<WidgetServerEvent, { type: 'error' }>['code'];

/** What the visitor sends besides the beginning and acknowledgements; each message once. */
export type VisitorMessage = Exclude<WidgetClientEvent, { type: 'start' | 'ack' }>;

export interface LineListener {
  message(message: VisitorMessage): void;
  /** 20 ms of µ-law. */
  sound(frame: Uint8Array): void;
  /** Nobody came back in time. */
  lost(): void;
}

/**
 * The way to one visitor, over one socket after the other: what is sent while there is none, or gets lost with one,
 * arrives over the next, in order and once.
 */
export interface ResumableSocket {
  send(event: LineEvent): void;
  sendSound(frame: Uint8Array): void;
  /** Whether sound would be on its way now: not while there is no socket, or while it is stuffed. */
  readonly takesSound: boolean;
  /** Refuses a message of the visitor. */
  refuse(code: Refusal, message: string, messageId: number | null): void;
  /**
   * Goes on over this socket.
   * @param position the last one that arrived; `null` on the first socket of the call
   * @returns `false` when what was missed is not kept any more
   */
  attach(socket: BinarySocket, position: number | null): boolean;
  receive(socket: BinarySocket, text: string): void;
  receiveSound(socket: BinarySocket, frame: Uint8Array): void;
  detached(socket: BinarySocket): void;
  /** For good. */
  close(code: number, reason: string): void;
}

/** Bytes of one 20 ms frame. */
export const frameBytes = 160;

const keptBytes = 512 * 1024;
/** More than this under way, and sound waits: what waits here can still be taken back. */
const stuffedBytes = 16 * 1024;
/** More than this under way, and the socket is as good as broken. */
const brokenBytes = 256 * 1024;
const messagesPerSecond = 20;
const messagesAtOnce = 100;
const badMessagesAllowed = 20;

export function resumableSocket(options: {
  callId: string;
  ready: Pick<Ready, 'media' | 'codec'>;
  /** Where the count of positions goes on: 0 for a new call. */
  beginsAt: number;
  /** How long a visitor without a socket is waited for. */
  resumeWindowMs: number;
  listener: LineListener;
}): ResumableSocket {
  const { callId, listener, resumeWindowMs } = options;
  const sent = outbox({ beginsAt: options.beginsAt, limitBytes: keptBytes });
  const allowance = tokenBucket({ perSecond: messagesPerSecond, atOnce: messagesAtOnce });
  let socket: BinarySocket | null = null;
  let isClosed = false;
  let received = 0;
  let badMessages = 0;
  let waiting: NodeJS.Timeout | undefined;

  function waitForVisitor(): void {
    clearTimeout(waiting);
    if (!isClosed) waiting = setTimeout(() => listener.lost(), resumeWindowMs);
  }

  function leave(from: BinarySocket, code: number, reason: string): void {
    if (socket === from) {
      socket = null;
      waitForVisitor();
    }
    from.close(code, reason);
  }

  function write(message: string | Uint8Array): void {
    if (!socket) return;
    if (typeof message === 'string') socket.send(message);
    else socket.sendBytes(message);
    if (socket.bufferedBytes > brokenBytes) leave(socket, 1013, 'too slow');
  }

  function refuse(code: Refusal, message: string, messageId: number | null): void {
    write(
      JSON.stringify({ type: 'error', code, message, message_id: messageId } satisfies WidgetServerEvent),
    );
  }

  function complain(about: BinarySocket, message: string): void {
    badMessages += 1;
    if (badMessages > badMessagesAllowed)
      leave(about, widgetCloseCodes.protocol, 'too many messages that cannot be read');
    else refuse('invalid_message', message, null);
  }

  return {
    send(event) {
      if (!isClosed) write(sent.add((seq) => JSON.stringify({ ...event, seq })));
    },
    sendSound(frame) {
      if (!isClosed) write(sent.add(() => frame));
    },
    get takesSound() {
      return socket !== null && socket.bufferedBytes < stuffedBytes;
    },
    refuse,
    attach(next, resumedAt) {
      const position = resumedAt ?? options.beginsAt;
      const missed = isClosed ? null : sent.since(position);
      if (missed === null) return false;
      const before = socket;
      socket = next;
      before?.close(widgetCloseCodes.replaced, 'another socket took over');
      clearTimeout(waiting);
      sent.acknowledge(position);
      const ready: Ready = {
        type: 'ready',
        call_id: callId,
        seq: position,
        received,
        resumed: resumedAt !== null,
        ...options.ready,
      };
      write(JSON.stringify(ready));
      for (const message of missed) write(message);
      return true;
    },
    receive(from, text) {
      if (from !== socket) return;
      if (!allowance.take(1)) {
        leave(from, widgetCloseCodes.protocol, 'too many messages');
        return;
      }
      const message = parseClientEvent(text);
      if (message === null || message.type === 'start') {
        complain(from, 'This message cannot be read; see the protocol call.v1');
      } else if (message.type === 'ack') {
        sent.acknowledge(message.seq);
      } else if (!('id' in message)) {
        listener.message(message);
      } else if (message.id > received) {
        received = message.id;
        listener.message(message);
      }
    },
    receiveSound(from, frame) {
      if (from !== socket) return;
      if (frame.length === frameBytes && options.ready.media === 'audio') listener.sound(frame);
      else if (allowance.take(1))
        complain(from, 'Sound comes in frames of 160 bytes, and in audio calls only');
    },
    detached(from) {
      if (from !== socket) return;
      socket = null;
      waitForVisitor();
    },
    close(code, reason) {
      isClosed = true;
      clearTimeout(waiting);
      socket?.close(code, reason);
      socket = null;
    },
  };
}

/** `null` for what is no message of the protocol. */
export function parseClientEvent(text: string): ReturnType<typeof widgetClientEvent.parse> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { data } = widgetClientEvent.safeParse(value);
  return data ?? null;
}
