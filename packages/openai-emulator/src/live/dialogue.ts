import type { ModelRequest, Turn } from '../model/dialogue.ts';
import { answer } from '../model/model.ts';
import { createReply, type Reply, think } from '../reply.ts';
import type { SpeechContext } from '../speech/connection.ts';
import type { SessionConfig } from './client-events.ts';
import { delegatedTools, liveAnswer } from './delegated-work.ts';
import type { ResponsesBackend } from './responses-backend.ts';

/** A line of the dialogue given as context. */
const DIALOGUE_LINE = /^(?<role>user|assistant): (?<text>[\s\S]*)$/;

export type AnswerTurn = Extract<Turn, { role: 'assistant' }>;

/** What a live model knows: its instructions, what came later, and what both sides said. */
export class LiveDialogue {
  readonly #context: SpeechContext;
  readonly #backend: ResponsesBackend | undefined;
  readonly #instructions: string[] = [];
  /** Instructions and silent context that came after the start. */
  readonly #notes: string[] = [];
  readonly #turns: Turn[] = [];

  constructor(session: SessionConfig, backend: ResponsesBackend | undefined, context: SpeechContext) {
    this.#context = context;
    this.#backend = backend;
    if (session.instructions) this.#instructions.push(session.instructions);
    for (const { role, content } of session.input) {
      const [{ text }] = content;
      if (role === 'developer') this.#instructions.push(text);
      else this.#turns.push(role === 'user' ? { role, text } : { role, text, toolCalls: [] });
    }
  }

  get wasAnsweredLast(): boolean {
    return this.#turns.at(-1)?.role === 'assistant';
  }

  /** The other side said something. */
  hear(text: string): void {
    this.#turns.push({ role: 'user', text });
  }

  /** Context, or a line of the dialogue as `user: …` or `assistant: …`. */
  note(content: string): void {
    const line = DIALOGUE_LINE.exec(content)?.groups;
    if (line?.role === 'user') this.hear(line.text ?? '');
    else if (line) this.#turns.push({ role: 'assistant', text: line.text ?? '', toolCalls: [] });
    else this.#notes.push(content);
  }

  takeResult(callId: string, text: string): void {
    this.#turns.push({ role: 'tool', callId, text });
  }

  /** Begins a turn of the model; the words go into it as they are said. */
  beginAnswer(): AnswerTurn {
    const turn: AnswerTurn = { role: 'assistant', text: '', toolCalls: [] };
    this.#turns.push(turn);
    return turn;
  }

  /** What comes next: with the tools of the backend if there is one. @throws ApiError */
  think(): Reply {
    const own: ModelRequest = {
      instructions: [...this.#instructions, ...this.#notes].join('\n\n'),
      turns: this.#turns,
      tools: delegatedTools,
      toolChoice: { kind: 'auto' },
      parallelToolCalls: true,
      output: { kind: 'text' },
    };
    const request = this.#backend?.requestFor(this.#turns, this.#notes) ?? own;
    const source = think(request, this.#context, this.#backend ? answer : liveAnswer);
    return createReply({ request, source, faults: this.#context.faults, maxTokens: undefined });
  }
}
