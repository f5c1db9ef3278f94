import type { WidgetClientEvent, WidgetServerEvent } from '@callkite/contract';

/** A message the server counts, so that none is lost and none is taken twice. */
type Counted = Extract<WidgetClientEvent, { id: number }>;
type WithoutId<Message> = Message extends unknown ? Omit<Message, 'id'> : never;
type TranscriptEvent = Pick<Extract<WidgetServerEvent, { type: 'transcript' }>, 'id' | 'role' | 'message_id'>;
export type OutgoingMessage = WithoutId<Counted>;

/** What a page must keep to go on with a call after a reload. */
export interface SavedLedger {
  readonly position: number;
  readonly nextId: number;
  readonly pending: readonly Counted[];
}

/**
 * What was received and what was sent in a call, across its sockets. The server counts everything it sends; this side
 * numbers its messages and keeps them until the server tells that they arrived.
 */
export class MessageLedger {
  #position: number;
  #nextId: number;
  #pending: readonly Counted[];
  /** The last of our messages that the server showed to have. */
  #shown = 0;
  /** Lines of the agent that have begun. */
  readonly #begun = new Set<string>();

  constructor(saved: SavedLedger = { position: 0, nextId: 1, pending: [] }) {
    this.#position = saved.position;
    this.#nextId = saved.nextId;
    this.#pending = saved.pending;
  }

  /** Everything up to here was received. */
  get position(): number {
    return this.#position;
  }

  /** Sound came. */
  countFrame(): void {
    this.#position++;
  }

  /** @returns whether the event at this position is new */
  receive(seq: number): boolean {
    if (seq <= this.#position) return false;
    this.#position = seq;
    return true;
  }

  /** Numbers a message and keeps it. */
  add(message: OutgoingMessage): Counted {
    const counted = { ...message, id: this.#nextId++ } as Counted;
    this.#pending = [...this.#pending, counted];
    return counted;
  }

  /**
   * Follows the conversation: what the agent has answered is not sent again, not even to another server, which knows
   * nothing of what arrived at the one that was lost. What was only shown may be lost with a server that dies then.
   */
  follow({ id, role, message_id: messageId }: TranscriptEvent): void {
    if (messageId !== null) this.#shown = Math.max(this.#shown, messageId);
    if (role === 'user' || this.#begun.has(id)) return;
    this.#begun.add(id);
    this.#pending = this.#pending.filter((message) => message.id > this.#shown);
  }

  /**
   * A socket is ready: it goes on after `seq`, and messages up to `received` arrived.
   * @returns the messages to send again, in order
   */
  begin(seq: number, received: number): readonly Counted[] {
    this.#position = seq;
    this.#pending = this.#pending.filter(({ id }) => id > received);
    return this.#pending;
  }

  save(): SavedLedger {
    return { position: this.#position, nextId: this.#nextId, pending: this.#pending };
  }
}
