import type { ApiError } from '../api-error.ts';
import { newId } from '../reply.ts';
import type { Connection } from '../speech/connection.ts';
import type { ClientEvent } from './client-events.ts';

/** A socket of the Live API: what is sent on it in the API's form, and what waits to be sent. */
export class LiveChannel {
  readonly #connection: Connection;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  send(type: string, fields: object): void {
    this.#connection.send({ type, event_id: newId('event_'), ...fields });
  }

  /** Answers a client event, by its id if it has one. */
  acknowledge(type: string, { event_id }: ClientEvent, fields: object = {}): void {
    this.send(type, { ...fields, ...(event_id != null && { client_event_id: event_id }) });
  }

  /** Sound goes without an event id, unlike all else. */
  sendSound(audio: Uint8Array): void {
    const delta = Buffer.from(audio).toString('base64');
    this.#connection.send({ type: 'session.output_audio.delta', delta });
  }

  refuse(error: ApiError, eventId?: string | undefined): void {
    const { message, type, param, code } = error.body;
    const client = eventId !== undefined && { client_event_id: eventId };
    this.send('error', {
      error: { type, code: code ?? 'invalid_request', message, ...(param !== null && { param }), ...client },
      ...client,
    });
  }

  /** Does something later, unless the channel is closed before. */
  later(waitMs: number, action: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, waitMs);
    this.#timers.add(timer);
    return timer;
  }

  /** Closes the socket in good order. */
  end(): void {
    this.#connection.end(1000, 'session closed');
  }

  /** Breaks the socket. */
  cut(): void {
    this.#connection.cut();
  }

  /** Forgets what waits. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
