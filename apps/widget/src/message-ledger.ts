import type { WidgetClientEvent } from '@callkite/contract';

/** A message the server counts, so that none is lost and none is taken twice. */
type Counted = Extract<WidgetClientEvent, { id: number }>;
type WithoutId<Message> = Message extends unknown ? Omit<Message, 'id'> : never;
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
