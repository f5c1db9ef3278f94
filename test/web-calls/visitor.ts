import { once } from 'node:events';
import type { WidgetClientEvent, WidgetServerEvent, WidgetSession } from '@callkite/contract';
import { WebSocket } from 'ws';
import { eventually } from '../embedded.ts';

export type Transcript = Extract<WidgetServerEvent, { type: 'transcript' }>;
type Start = Extract<WidgetClientEvent, { type: 'start' }>;

/** A visitor of a page, as far as the wire knows one: keeps the protocol by hand. */
export class Visitor {
  readonly session: Pick<WidgetSession, 'call_id' | 'token' | 'url'>;
  readonly origin: string;
  /** Everything that came, over all sockets, in order. */
  readonly events: WidgetServerEvent[] = [];
  readonly frames: Buffer[] = [];
  readonly closes: number[] = [];
  /** Last position that was received. */
  position = 0;
  socket: WebSocket | undefined;
  #messages = 0;
  #isLost = false;

  constructor(session: Pick<WidgetSession, 'call_id' | 'token' | 'url'>, origin: string) {
    this.session = session;
    this.origin = origin;
  }

  /** Opens a socket, without a word. */
  async open(options: { origin?: string; protocols?: string[] } = {}): Promise<WebSocket> {
    const socket = new WebSocket(
      this.session.url,
      options.protocols ?? ['call.v1', `token.${this.session.token}`],
      { origin: options.origin ?? this.origin },
    );
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (this.#isLost || socket !== this.socket) return;
      if (isBinary) {
        this.position += 1;
        this.frames.push(data);
      } else {
        this.#take(JSON.parse(data.toString()) as WidgetServerEvent);
      }
    });
    socket.on('close', (code) => this.closes.push(code));
    socket.on('error', () => undefined);
    await once(socket, 'open');
    return socket;
  }

  #take(event: WidgetServerEvent): void {
    this.events.push(event);
    if ('seq' in event) this.position = event.seq;
    // Played as soon as it is here.
    if (event.type === 'mark') this.send({ type: 'mark', id: this.nextId(), name: event.name });
  }

  nextId(): number {
    this.#messages += 1;
    return this.#messages;
  }

  send(event: WidgetClientEvent): void {
    this.socket?.send(JSON.stringify(event));
  }

  /** Opens a socket and begins or resumes. */
  async start(changes: Partial<Start> = {}): Promise<void> {
    this.#isLost = false;
    const readies = this.all('ready').length;
    await this.open();
    this.send({ type: 'start', resume: null, media: 'text', codecs: ['mulaw/8000'], ...changes });
    await eventually('ready', () => this.all('ready').length > readies);
  }

  type(text: string): number {
    const id = this.nextId();
    this.send({ type: 'text', id, text });
    return id;
  }

  hangUp(): void {
    this.send({ type: 'end', id: this.nextId() });
  }

  /** Loses the socket as a broken network does; what was on its way is not received. */
  lose(): void {
    this.#isLost = true;
    this.socket?.terminate();
  }

  all<Type extends WidgetServerEvent['type']>(type: Type): Extract<WidgetServerEvent, { type: Type }>[] {
    return this.events.filter(
      (event): event is Extract<WidgetServerEvent, { type: Type }> => event.type === type,
    );
  }

  /** Lines as they are shown: the newest text of each, in the order in which they first appeared. */
  get lines(): Transcript[] {
    const lines = new Map<string, Transcript>();
    for (const line of this.all('transcript')) lines.set(line.id, line);
    return [...lines.values()];
  }

  saw(role: 'assistant' | 'user', pattern: RegExp, timeoutMs?: number): Promise<Transcript> {
    return eventually(
      `${role}: ${pattern}`,
      () => this.lines.find((line) => line.final && line.role === role && pattern.test(line.text)),
      timeoutMs,
    );
  }

  /** Waits until the agent has finished so many lines. */
  async agentLines(count: number): Promise<Transcript[]> {
    return eventually(`${count} lines of the agent`, () => {
      const lines = this.lines.filter(({ role, final }) => role === 'assistant' && final);
      return lines.length >= count && lines;
    });
  }

  async closed(): Promise<number> {
    const before = this.closes.length;
    if (this.socket?.readyState === WebSocket.CLOSED) return this.closes.at(-1) ?? 0;
    await eventually('the end of the socket', () => this.closes.length > before);
    return this.closes.at(-1) ?? 0;
  }
}
