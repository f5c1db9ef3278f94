import type {
  RealtimeAudioInputTurnDetection,
  RealtimeClientEvent,
  RealtimeResponseCreateParams,
} from 'openai/resources/realtime/realtime';

/** What the model is asked for: words of ours, or its own. */
type Request = { readonly type: 'say'; readonly text: string } | { readonly type: 'respond' };

interface SentRequest {
  readonly request: Request;
  /** Names the request in the response that it leads to, and in errors. */
  readonly id: string;
  /** Not wanted any more. */
  isStopped: boolean;
}

/**
 * Asks for responses, one at a time: a conversation takes no second one.
 *
 * The server answers the callee by itself, and stops talking when the callee speaks, except while words of ours are
 * spoken: those are neither stopped nor answered before they are out. A turn that ended meanwhile is answered then.
 */
export class RealtimeResponses {
  readonly #send: (event: RealtimeClientEvent) => void;
  readonly #turnDetection: RealtimeAudioInputTurnDetection;
  readonly #calleeSpeaks: () => boolean;
  #waiting: Request[] = [];
  #sent: SentRequest | null = null;
  #activeId: string | null = null;
  #requests = 0;
  #isStarted = false;
  #wantsTurnsTaken = true;
  /** As the server has told. */
  #takesTurns = true;
  #hasUnansweredTurn = false;

  constructor(options: {
    readonly turnDetection: RealtimeAudioInputTurnDetection;
    calleeSpeaks(): boolean;
    send(event: RealtimeClientEvent): void;
  }) {
    this.#turnDetection = options.turnDetection;
    this.#calleeSpeaks = options.calleeSpeaks;
    this.#send = options.send;
  }

  start(): void {
    this.#isStarted = true;
    this.#advance();
  }

  say(text: string): void {
    this.#waiting.push({ type: 'say', text });
    this.#advance();
  }

  respond(): void {
    if (!this.#waiting.some(({ type }) => type === 'respond')) this.#waiting.push({ type: 'respond' });
    this.#advance();
  }

  /** @returns the id of the response that is stopped, if it is known already */
  stop(): string | null {
    this.#waiting = [];
    this.#hasUnansweredTurn = false;
    if (this.#sent !== null) this.#sent.isStopped = true;
    if (this.#activeId !== null) this.#cancel(this.#activeId);
    return this.#activeId;
  }

  /** @returns whether the response was asked for and then stopped */
  created(responseId: string, requestId: string | null | undefined): boolean {
    this.#activeId = responseId;
    const sent = this.#sent;
    if (sent === null || sent.id !== requestId) {
      // The server has answered by itself, which is all that was asked for.
      this.#waiting = this.#waiting.filter(({ type }) => type !== 'respond');
      return false;
    }
    this.#sent = null;
    if (sent.isStopped) this.#cancel(responseId);
    return sent.isStopped;
  }

  done(responseId: string): void {
    if (this.#activeId !== responseId) return;
    this.#activeId = null;
    this.#advance();
  }

  /** @returns whether it was a request of ours that will have no response */
  refused(eventId: string | null | undefined, code: string | null): boolean {
    const sent = this.#sent;
    if (sent === null || sent.id !== eventId) return false;
    this.#sent = null;
    if (code === 'conversation_already_has_active_response') {
      // The server was faster, with an answer of its own. Words of ours come after it.
      if (sent.request.type === 'say' && !sent.isStopped) this.#waiting.unshift(sent.request);
      return false;
    }
    this.#advance();
    return !sent.isStopped;
  }

  turnDetectionChanged(takesTurns: boolean): void {
    this.#takesTurns = takesTurns;
    if (!takesTurns || !this.#hasUnansweredTurn) return;
    this.#hasUnansweredTurn = false;
    // Who speaks again is answered afterwards, by the server; a response that is under way knows of the turn.
    if (!this.#calleeSpeaks() && this.#sent === null && this.#activeId === null) this.respond();
  }

  turnCommitted(): void {
    if (!this.#takesTurns) this.#hasUnansweredTurn = true;
  }

  #advance(): void {
    if (!this.#isStarted || this.#sent !== null || this.#activeId !== null) return;
    const request = this.#waiting.shift();
    this.#takeTurns(request?.type !== 'say');
    if (request === undefined) return;
    this.#requests += 1;
    const id = `request_${this.#requests}`;
    this.#sent = { request, id, isStopped: false };
    this.#send({
      type: 'response.create',
      event_id: id,
      response: { metadata: { request: id }, ...(request.type === 'say' && verbatim(request.text)) },
    });
  }

  #takeTurns(wanted: boolean): void {
    if (this.#wantsTurnsTaken === wanted) return;
    this.#wantsTurnsTaken = wanted;
    const turn_detection = { ...this.#turnDetection, create_response: wanted, interrupt_response: wanted };
    this.#send({
      type: 'session.update',
      session: { type: 'realtime', audio: { input: { turn_detection } } },
    });
  }

  #cancel(responseId: string): void {
    this.#send({ type: 'response.cancel', response_id: responseId });
  }
}

/** Nothing of the dialogue is shown to the model, lest it answers; what it says becomes part of it all the same. */
function verbatim(text: string): RealtimeResponseCreateParams {
  return {
    instructions: `Say exactly the following and nothing else: "${text}"`,
    input: [],
    tools: [],
    tool_choice: 'none',
  };
}
