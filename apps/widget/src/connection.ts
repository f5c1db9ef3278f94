import type { WidgetClientEvent, WidgetServerEvent } from '@callkite/contract';
import type { MessageLedger, OutgoingMessage } from './message-ledger.ts';

export interface ConnectionOptions {
  readonly url: string;
  readonly token: string;
  readonly ledger: MessageLedger;
  /** What the first socket says; `resume` is filled in. */
  readonly start: Omit<Extract<WidgetClientEvent, { type: 'start' }>, 'type' | 'resume'>;
  /** Whether the call began before this page was loaded. */
  readonly resumed: boolean;
  /** Each event once, across sockets. */
  onEvent(event: WidgetServerEvent): void;
  onSound(audio: ArrayBuffer): void;
  /** The socket broke, and another is being opened. */
  onLost(): void;
  /** It is over: by the server's close code, or `null` when no socket could be had in time. */
  onClosed(code: number | null): void;
}

/** The line of a call to the server: one socket after the other, as long as the call lasts. */
export interface Connection {
  /** Sends once and surely. @returns the number of the message */
  send(message: OutgoingMessage): number;
  /** Sends now or never. */
  mention(message: Extract<WidgetClientEvent, { type: 'mute' | 'pause' }>): void;
  sendSound(frame: ArrayBuffer): void;
  /** Gives up the line without a word. */
  close(): void;
}

/** How long the server keeps a call for a client that was lost. */
const resumeWindowMs = 30_000;
/** The first socket of a call either opens soon or not at all. */
const dialWindowMs = 12_000;
const pausesMs = [0, 500, 1000, 2000, 3000];
const ackMs = 1000;
/** The close code of a socket that ended without a word. */
const abnormal = 1006;
/** Two seconds of sound that the network has not taken: what comes on top of it is dropped, as it would come too late. */
const maximumBufferedBytes = 16 * 1024;

/** Opens the line. Works in every browser of today; tests may run it in Node. */
export function openConnection(options: ConnectionOptions): Connection {
  const { ledger } = options;
  let socket: WebSocket;
  let isReady = false;
  let hasBegun = options.resumed;
  let wasReady = options.resumed;
  let isOver = false;
  let lostAtMs = Date.now();
  let attempt = 0;
  let acknowledged = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;

  // What a closing socket does not take is sent over the next one, by the ledger.
  const post = (message: WidgetClientEvent) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const ack = setInterval(() => {
    if (!isReady || ledger.position === acknowledged) return;
    acknowledged = ledger.position;
    post({ type: 'ack', seq: acknowledged });
  }, ackMs);
  // A network that went away is noticed at once, not when the operating system gives up on the socket.
  const drop = () => {
    const dropped = socket;
    closed(abnormal);
    dropped.close();
  };
  const hurry = () => {
    if (retry !== undefined) open();
  };
  globalThis.addEventListener?.('offline', drop);
  globalThis.addEventListener?.('online', hurry);

  function release(): void {
    isOver = true;
    clearInterval(ack);
    clearTimeout(retry);
    globalThis.removeEventListener?.('offline', drop);
    globalThis.removeEventListener?.('online', hurry);
  }

  function finish(code: number | null): void {
    release();
    options.onClosed(code);
  }

  function open(): void {
    clearTimeout(retry);
    retry = undefined;
    const opened = new WebSocket(options.url, ['call.v1', `token.${options.token}`]);
    socket = opened;
    opened.binaryType = 'arraybuffer';
    opened.onopen = () => {
      post({ type: 'start', resume: hasBegun ? ledger.position : null, ...options.start });
      // The server may have begun the call even when its answer gets lost.
      hasBegun = true;
    };
    opened.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (opened !== socket || retry !== undefined || isOver) return;
      if (typeof data === 'string') receive(JSON.parse(data) as WidgetServerEvent);
      else {
        ledger.countFrame();
        options.onSound(data);
      }
    };
    opened.onclose = ({ code }) => {
      if (opened === socket && retry === undefined) closed(code);
    };
  }

  function receive(event: WidgetServerEvent): void {
    if (event.type === 'ready') {
      isReady = true;
      wasReady = true;
      attempt = 0;
      acknowledged = event.seq;
      const pending = ledger.begin(event.seq, event.received);
      options.onEvent(event);
      for (const message of pending) post(message);
    } else if (event.type === 'error' || ledger.receive(event.seq)) {
      if (event.type === 'transcript') ledger.follow(event);
      options.onEvent(event);
    }
  }

  function closed(code: number): void {
    if (isOver) return;
    if (code === 1000 || (code >= 4000 && code < 5000)) {
      finish(code);
      return;
    }
    if (isReady) {
      isReady = false;
      lostAtMs = Date.now();
      options.onLost();
    }
    if (Date.now() - lostAtMs > (wasReady ? resumeWindowMs : dialWindowMs)) {
      finish(null);
      return;
    }
    retry = setTimeout(open, pausesMs[Math.min(attempt++, pausesMs.length - 1)]);
  }

  open();
  return {
    send(message) {
      const counted = ledger.add(message);
      if (isReady) post(counted);
      return counted.id;
    },
    mention(message) {
      if (isReady) post(message);
    },
    sendSound(frame) {
      const isOpen = isReady && socket.readyState === WebSocket.OPEN;
      if (isOpen && socket.bufferedAmount <= maximumBufferedBytes) socket.send(frame);
    },
    close() {
      release();
      socket.close(1000);
    },
  };
}
