import { ApiError } from '../api-error.ts';
import { newId } from '../reply.ts';
import { parseRequest } from '../request-validation.ts';
import type { Connection, SpeechContext, SpeechSession } from '../speech/connection.ts';
import { LiveChannel } from './channel.ts';
import { type ClientEvent, type ClientEventOf, clientEvent } from './client-events.ts';
import { LiveConversation, type StartedSession } from './conversation.ts';
import { ResponsesBackend } from './responses-backend.ts';

/** A session of the Live API over one socket, from the socket's opening to its end. */
export class LiveSession implements SpeechSession {
  readonly #connection: Connection;
  readonly #context: SpeechContext;
  readonly #channel: LiveChannel;
  #session: StartedSession | undefined;
  #backend: ResponsesBackend | undefined;
  #conversation: LiveConversation | undefined;
  #isOver = false;

  constructor(connection: Connection, context: SpeechContext) {
    this.#connection = connection;
    this.#context = context;
    this.#channel = new LiveChannel(connection);
  }

  receive(raw: Record<string, unknown>): void {
    if (this.#isOver) return;
    const event = parseRequest(clientEvent, raw);
    if (event.type === 'session.start') {
      this.#start(event);
    } else if (!this.#conversation || !this.#session) {
      throw new ApiError(`Send 'session.start' and wait for 'session.started' before '${event.type}'.`, {
        code: 'session_not_started',
      });
    } else if (event.type === 'session.update') {
      this.#update(event, this.#session);
    } else if (event.type === 'session.close') {
      this.#end('close_requested', event);
    } else {
      this.#conversation.receive(event);
    }
  }

  refuse(error: ApiError, eventId: string | undefined): void {
    this.#channel.refuse(error, eventId);
  }

  close(): void {
    this.#isOver = true;
    this.#conversation?.close();
    this.#channel.close();
  }

  #start(event: ClientEventOf<'session.start'>): void {
    if (this.#session) {
      throw new ApiError('The session has started: close it and open another one.', {
        code: 'session_already_started',
      });
    }
    const { session } = event;
    this.#context.catalog.assertKnown(session.model, 'live');
    if (session.audio.format.type !== 'audio/pcmu') {
      throw new ApiError(
        `The emulator does not speak '${session.audio.format.type}': use { "type": "audio/pcmu", "rate": 8000 }.`,
        { param: 'session.audio.format', code: 'emulator_unsupported' },
      );
    }
    if (session.delegation?.type === 'responses') {
      this.#backend = new ResponsesBackend(session.delegation.responses, this.#context.catalog);
    }
    const { sessionMs } = this.#context.pace;
    this.#connection.record.model = session.model;
    this.#session = {
      ...session,
      id: newId('live_'),
      expires_at: Math.floor((Date.now() + sessionMs) / 1000),
      status: 'active',
      delegation: session.delegation ?? { type: 'client' },
    };
    this.#conversation = new LiveConversation({
      channel: this.#channel,
      context: this.#context,
      session: this.#session,
      backend: this.#backend,
    });
    this.#channel.later(sessionMs, () => this.#end('expired'));
    this.#channel.acknowledge('session.started', event, { session: this.#session });
  }

  #update(event: ClientEventOf<'session.update'>, session: StartedSession): void {
    const change = event.session.delegation;
    if (change && change.type !== session.delegation?.type) {
      throw new ApiError('The owner of delegated work cannot be changed: open another session.', {
        param: 'session.delegation.type',
        code: 'cannot_update_delegation',
      });
    }
    if (change?.type === 'responses' && this.#backend) {
      this.#backend.update(change.responses ?? {});
      session.delegation = { ...session.delegation, ...change, responses: this.#backend.config };
    } else if (change?.type === 'client') {
      session.delegation = { ...session.delegation, ...change };
    }
    this.#channel.acknowledge('session.updated', event, { session });
  }

  #end(reason: 'close_requested' | 'expired', event?: ClientEvent): void {
    this.close();
    const fields = { reason, session: this.#session, usage: this.#conversation?.usage };
    if (event) this.#channel.acknowledge('session.closed', event, fields);
    else this.#channel.send('session.closed', fields);
    this.#channel.end();
  }
}
