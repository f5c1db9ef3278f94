/** One message as it went out. */
export type SentMessage = string | Uint8Array;

/**
 * What was sent on one web call and is not known to have arrived. Every message has a position; the first is 1 after
 * the position the outbox begins at.
 */
export interface Outbox {
  /** Of the last message. */
  readonly position: number;
  /** @param write makes the message for its position */
  add<Message extends SentMessage>(write: (position: number) => Message): Message;
  /** Forgets messages up to a position. */
  acknowledge(position: number): void;
  /** What comes after a position; `null` when that is not kept any more, or was never sent. */
  since(position: number): readonly SentMessage[] | null;
}

/** @param options.limitBytes what is older than that many bytes is forgotten */
export function outbox(options: { beginsAt: number; limitBytes: number }): Outbox {
  const kept: SentMessage[] = [];
  let keptBytes = 0;
  let position = options.beginsAt;

  function forget(count: number): void {
    for (const message of kept.splice(0, count)) keptBytes -= message.length;
  }

  return {
    get position() {
      return position;
    },
    add(write) {
      position += 1;
      const message = write(position);
      kept.push(message);
      keptBytes += message.length;
      let count = 0;
      for (let excess = keptBytes - options.limitBytes; excess > 0; count += 1) {
        excess -= kept[count]?.length ?? excess;
      }
      forget(count);
      return message;
    },
    acknowledge(acknowledged) {
      forget(Math.max(0, kept.length - (position - acknowledged)));
    },
    since(received) {
      const missing = position - received;
      return missing < 0 || missing > kept.length ? null : kept.slice(kept.length - missing);
    },
  };
}
