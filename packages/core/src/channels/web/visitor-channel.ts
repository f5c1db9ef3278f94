import type { LineEvent, VisitorMessage } from './resumable-socket.ts';

/** What a channel of a web call, of words or of sound, works with. */
export interface VisitorChannelOptions {
  readonly callId: string;
  /** Names this stretch of the call: another one has another owner. */
  readonly sessionId: string;
  send(event: LineEvent): void;
  /** Milliseconds since the call began. */
  sinceBeginning(): number;
  /** The agent ends the call. */
  onEnd(): void;
  /** The agent's side drops the channel. */
  onClose(): void;
}

export type ChannelMessage = Extract<VisitorMessage, { type: 'text' | 'dtmf' | 'mark' | 'mute' | 'pause' }>;

/** The visitor's side of a channel. */
export interface VisitorSide {
  take(message: ChannelMessage): void;
  /** 20 ms of µ-law. */
  hear(frame: Uint8Array): void;
  /** Something was said, as the conversation understood it. */
  spoken(role: 'assistant' | 'user', content: string): void;
  /** The channel is over: the agent is told, and nothing comes after that. */
  closed(): void;
}

/** Tells events to one listener, in order: none before it listens, none while it is still at one. */
export function eventQueue<Event>() {
  const waiting: Event[] = [];
  let listener: ((event: Event) => void) | undefined;
  let isScheduled = false;

  function deliver(): void {
    isScheduled = false;
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) listener?.(event);
  }

  function schedule(): void {
    if (isScheduled || !listener) return;
    isScheduled = true;
    queueMicrotask(deliver);
  }

  return {
    push(event: Event): void {
      waiting.push(event);
      schedule();
    },
    listen(to: (event: Event) => void): void {
      listener = to;
      schedule();
    },
  };
}

/** One line of the transcript as the visitor sees it. */
export interface Caption {
  /** @param text the whole line so far */
  show(text: string, final: boolean): void;
}

/** Begins lines, each with an id of its own. */
export function captions(
  options: Pick<VisitorChannelOptions, 'sessionId' | 'send' | 'sinceBeginning'>,
): (role: 'assistant' | 'user', messageId?: number) => Caption {
  let count = 0;
  return (role, messageId) => {
    count += 1;
    const id = `${options.sessionId}.${count}`;
    const startMs = options.sinceBeginning();
    return {
      show(text, final) {
        options.send({
          type: 'transcript',
          id,
          role,
          text,
          final,
          start_ms: startMs,
          end_ms: final ? options.sinceBeginning() : null,
          message_id: messageId ?? null,
        });
      },
    };
  };
}
