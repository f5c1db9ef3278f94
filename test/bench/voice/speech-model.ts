import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { pieceIn, type Stopwatch, taggedSound } from './tagged-sound.ts';

/** Milliseconds of sound in one event. */
const pieceMs = 120;
const piecesOfAnswer = 60;
const piecesOfLine = 4;
const calleeSpeaksMs = 400;

/** Where a bridge cut an answer off, in milliseconds; `sentInFull`: nothing of it was on its way any more. */
export interface Cut {
  readonly itemId: string;
  readonly heardMs: number;
  readonly sentInFull: boolean;
}

export interface SpeechModelServer {
  readonly url: string;
  readonly sessions: number;
  /** When the model told that the callee speaks over this item, in milliseconds of `performance.now()`. */
  readonly interruptedAtMs: ReadonlyMap<string, number>;
  readonly cuts: readonly Cut[];
  /** Which item a piece of sound is of, and how much of the item was before it. */
  placeOf(piece: number): { readonly itemId: string; readonly fromMs: number } | undefined;
  /** The session whose turn it is takes the callee for speaking, if it talks. */
  interruptNext(): void;
  stop(): Promise<void>;
}

/**
 * A speech model as cheap as can be: it says what it is told to say, otherwise it talks for long, in step with the clock
 * and all at once in turns. Speaks the Realtime API as far as a bridge needs it; the emulator of this project
 * understands speech, and would take the processor from what is measured.
 */
export async function startSpeechModel(watches: {
  inbound: Stopwatch;
  outbound: Stopwatch;
}): Promise<SpeechModelServer> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const interruptedAtMs = new Map<string, number>();
  const cuts: Cut[] = [];
  const places = new Map<number, { itemId: string; fromMs: number }>();
  const sessions = new Set<Session>();
  let items = 0;
  sockets.on('connection', (socket) => {
    const session = new Session(socket, {
      ...watches,
      interruptedAtMs,
      cuts,
      places,
      nextItem: () => {
        items += 1;
        return `item_${items}`;
      },
    });
    sessions.add(session);
    socket.on('close', () => sessions.delete(session));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    interruptedAtMs,
    cuts,
    placeOf: (piece) => places.get(piece),
    get sessions() {
      return sessions.size;
    },
    interruptNext() {
      const [next] = sessions;
      if (next === undefined) return;
      sessions.delete(next);
      sessions.add(next);
      next.interrupt();
    },
    async stop() {
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface SessionDeps {
  readonly inbound: Stopwatch;
  readonly outbound: Stopwatch;
  readonly interruptedAtMs: Map<string, number>;
  readonly cuts: Cut[];
  readonly places: Map<number, { itemId: string; fromMs: number }>;
  nextItem(): string;
}

class Session {
  readonly #socket: WebSocket;
  readonly #deps: SessionDeps;
  readonly #sentInFull = new Set<string>();
  #sending: NodeJS.Timeout | undefined;
  #answers = 0;
  /** The response that is being made. */
  #running: { responseId: string; itemId: string } | null = null;
  /** The answer that is being played at the other end. */
  #talking: string | null = null;

  constructor(socket: WebSocket, deps: SessionDeps) {
    this.#socket = socket;
    this.#deps = deps;
    socket.on('message', (data) => this.#receive(data.toString()));
    socket.on('close', () => clearInterval(this.#sending));
    socket.on('error', () => undefined);
    this.#send({ type: 'session.created', session: {} });
  }

  interrupt(): void {
    const itemId = this.#talking;
    if (itemId === null) return;
    this.#talking = null;
    const turn = { item_id: `callee_over_${itemId}` };
    this.#deps.interruptedAtMs.set(itemId, performance.now());
    this.#send({ type: 'input_audio_buffer.speech_started', ...turn, audio_start_ms: 0 });
    this.#endResponse('cancelled');
    setTimeout(() => {
      this.#send({ type: 'input_audio_buffer.speech_stopped', ...turn, audio_end_ms: calleeSpeaksMs });
      this.#send({ type: 'input_audio_buffer.committed', ...turn, previous_item_id: null });
      this.#answer(null, null);
      const type = 'conversation.item.input_audio_transcription.completed';
      this.#send({ type, ...turn, content_index: 0, transcript: 'Tell me more.' });
    }, calleeSpeaksMs);
  }

  #receive(text: string): void {
    if (text.startsWith('{"type":"input_audio_buffer.append"')) {
      this.#deps.inbound.arrived(pieceIn(text, '"audio":"'));
      return;
    }
    const event = JSON.parse(text);
    switch (event.type) {
      case 'session.update':
        this.#send({ type: 'session.updated', session: event.session });
        break;
      case 'response.create': {
        const { instructions = '', metadata = null } = event.response ?? {};
        this.#answer(/: "(.*)"$/s.exec(instructions)?.[1] ?? null, metadata);
        break;
      }
      case 'response.cancel':
        this.#endResponse('cancelled');
        break;
      case 'conversation.item.truncate': {
        const itemId = event.item_id;
        const sentInFull = this.#sentInFull.has(itemId);
        this.#deps.cuts.push({ itemId, heardMs: event.audio_end_ms, sentInFull });
      }
    }
  }

  #answer(line: string | null, metadata: unknown): void {
    this.#endResponse('cancelled');
    const itemId = this.#deps.nextItem();
    const responseId = `resp_of_${itemId}`;
    this.#running = { responseId, itemId };
    this.#send({
      type: 'response.created',
      response: { id: responseId, status: 'in_progress', metadata },
    });
    const place = { response_id: responseId, item_id: itemId, output_index: 0, content_index: 0 };
    const words = line ?? 'one two three four five six seven eight nine ten '.repeat(3);
    this.#send({ type: 'response.output_audio_transcript.delta', ...place, delta: words });
    if (line === null) {
      this.#talking = itemId;
      this.#answers += 1;
    }
    const pieces = line === null ? piecesOfAnswer : piecesOfLine;
    let sent = 0;
    const head = JSON.stringify({ type: 'response.output_audio.delta', event_id: 'e', ...place }).slice(
      0,
      -1,
    );
    const sendPiece = () => {
      const piece = this.#deps.outbound.sent();
      this.#deps.places.set(piece, { itemId, fromMs: sent * pieceMs });
      const sound = taggedSound(piece, pieceMs);
      if (this.#socket.readyState === 1) this.#socket.send(`${head},"delta":"${sound}"}`);
      sent += 1;
      if (sent < pieces) return;
      this.#sentInFull.add(itemId);
      this.#endResponse('completed');
    };
    if (line !== null || this.#answers % 2 === 0) while (sent < pieces) sendPiece();
    else this.#sending = setInterval(sendPiece, pieceMs);
  }

  #endResponse(status: 'completed' | 'cancelled'): void {
    clearInterval(this.#sending);
    if (this.#running === null) return;
    const { responseId, itemId } = this.#running;
    this.#running = null;
    const item = { id: itemId, type: 'message', role: 'assistant', status, content: [] };
    this.#send({ type: 'response.output_item.done', response_id: responseId, output_index: 0, item });
    this.#send({
      type: 'response.done',
      response: { id: responseId, status, status_details: null, output: [item] },
    });
  }

  #send(event: object): void {
    if (this.#socket.readyState === 1) this.#socket.send(JSON.stringify({ event_id: 'e', ...event }));
  }
}
