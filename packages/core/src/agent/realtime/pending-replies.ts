import type { InactivityTimer } from '../session/inactivity-timer.ts';
import { littlePatience, type ResponseTimer, responseTimer } from '../session/response-timer.ts';

/** An answer to a turn of the callee, other words of the model's own, or a line of ours, word for word. */
export type PendingReply = 'turn' | 'words' | { readonly line: string };

/** What a speech model owes, in the order in which it is given. While it owes any, the callee waits: their silence is not counted. */
export interface PendingReplies {
  readonly areAny: boolean;
  readonly all: readonly PendingReply[];
  /**
   * One more is owed. Turns that were not answered get one answer together.
   * @param hasWaited the callee has waited for the model before, in vain: there is little patience left
   */
  expect(owed: PendingReply, hasWaited?: boolean): void;
  /** The callee speaks again: what they said before is not answered by itself. */
  withdrawTurn(): void;
  /** The model has begun to speak, or goes on. */
  progressed(): void;
  /** A tool is at work for an answer. */
  toolBegan(): void;
  toolEnded(): void;
  /** One was given. */
  given(): void;
  /** None is owed any more. */
  drop(): void;
  /** Whatever was owed, it is this now. The callee goes on waiting. */
  renew(owed: readonly PendingReply[]): void;
}

export function pendingReplies(options: {
  silence: InactivityTimer;
  /** The callee has waited for a while. */
  onSlow(): void;
  /** The model has long been silent. */
  onStalled(): void;
  /** No answer is to be expected any more. */
  onGone(): void;
}): PendingReplies {
  const { silence, onSlow, onStalled, onGone } = options;
  let queue: readonly PendingReply[] = [];
  let pace: ResponseTimer | null = null;

  function become(next: readonly PendingReply[], hasWaited = false): void {
    queue = next;
    if (queue.length === 0) {
      pace?.stop();
      pace = null;
      silence.release();
    } else if (pace === null) {
      silence.hold();
      const own = responseTimer(onSlow, onStalled, hasWaited ? littlePatience : undefined);
      pace = own;
      own.signal.addEventListener('abort', () => {
        if (pace === own) onGone();
      });
    }
  }

  return {
    get areAny() {
      return queue.length > 0;
    },
    get all() {
      return queue;
    },
    expect(owed, hasWaited) {
      if (owed !== 'turn' || !queue.includes('turn')) become([...queue, owed], hasWaited);
    },
    withdrawTurn: () => become(queue.filter((owed) => owed !== 'turn')),
    progressed: () => pace?.progressed(),
    toolBegan: () => pace?.toolBegan(),
    toolEnded: () => pace?.toolEnded(),
    given() {
      become(queue.slice(1));
      pace?.progressed();
    },
    drop: () => become([]),
    renew: (owed) => become(owed),
  };
}
