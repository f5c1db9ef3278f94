import assert from 'node:assert/strict';
import type {
  LanguageModel,
  ModelToolCall,
  ObjectRequest,
  TurnPart,
  TurnRequest,
} from '../agent/ports/language-model.ts';

/**
 * One thing a scripted turn does, in order:
 * text is streamed as one token, a tool call is made, time passes, or the turn fails. Without `tool` the turn ends
 * as `stop`, with it as `tool-calls`, unless `end` says otherwise.
 */
export type ScriptedPart =
  | string
  | { readonly tool: string; readonly input: unknown }
  /** A tool call whose arguments are this text, whatever it is. */
  | { readonly tool: string; readonly rawInput: string }
  | { readonly waitMs: number }
  /** Nothing more comes before the request is aborted. */
  | { readonly hang: true }
  | { readonly error: Error }
  | { readonly end: Extract<TurnPart, { type: 'end' }>['reason'] };

export type ScriptedAnswer =
  | { readonly turn: readonly ScriptedPart[] }
  | { readonly object: unknown }
  | { readonly objectError: Error }
  /** No object comes before the request is aborted. */
  | { readonly objectHang: true };

/** Rejects with the reason of the abort. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([elapsed, untilAborted(signal)]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A model that answers from a script, in order. Strict: a request the script does not expect is an error, also when
 * the code under test swallows it, and so is an answer nobody asked for. Call `assertFinished` at the end of a test.
 *
 * ```ts
 * const model = new ScriptedModel([{ turn: ['Good', ' morning.'] }, { object: { summary: 'Done.' } }]);
 * ```
 */
export class ScriptedModel implements LanguageModel {
  /** Every turn that was asked for, in order. */
  readonly turns: TurnRequest[] = [];
  /** Every object that was asked for, in order. */
  readonly objects: ObjectRequest<unknown>[] = [];
  /** Requests under way. */
  open = 0;
  readonly #script: ScriptedAnswer[];
  readonly #complaints: string[] = [];
  #toolCalls = 0;

  constructor(script: readonly ScriptedAnswer[] = []) {
    this.#script = [...script];
  }

  /** Adds to the script. */
  expect(...answers: readonly ScriptedAnswer[]): void {
    this.#script.push(...answers);
  }

  async *streamTurn(request: TurnRequest): AsyncIterable<TurnPart> {
    this.turns.push(request);
    const answer = this.#script.shift();
    if (!answer || !('turn' in answer)) throw this.#complain('a turn');
    this.open += 1;
    try {
      yield* this.#play(answer.turn, request.signal);
    } finally {
      this.open -= 1;
    }
  }

  async generateObject<T>(request: ObjectRequest<T>): Promise<T> {
    this.objects.push(request);
    const answer = this.#script.shift();
    if (!answer || 'turn' in answer) throw this.#complain('an object');
    request.signal.throwIfAborted();
    if ('objectHang' in answer) return untilAborted(request.signal);
    if ('objectError' in answer) throw answer.objectError;
    return request.schema.parse(answer.object);
  }

  /** Throws when something unexpected was asked for, or something scripted was not, or a request is still open. */
  assertFinished(): void {
    assert.deepEqual(this.#complaints, []);
    assert.deepEqual(this.#script, [], 'scripted answers nobody asked for');
    assert.equal(this.open, 0, 'requests still open');
  }

  async *#play(parts: readonly ScriptedPart[], signal: AbortSignal): AsyncIterable<TurnPart> {
    let reason: Extract<TurnPart, { type: 'end' }>['reason'] = 'stop';
    for (const part of parts) {
      signal.throwIfAborted();
      if (typeof part === 'string') {
        yield { type: 'text', text: part };
      } else if ('tool' in part) {
        reason = 'tool-calls';
        yield { type: 'tool-call', call: this.#toolCall(part) };
      } else if ('waitMs' in part) {
        await pause(part.waitMs, signal);
      } else if ('hang' in part) {
        await untilAborted(signal);
      } else if ('error' in part) {
        throw part.error;
      } else {
        reason = part.end;
      }
    }
    signal.throwIfAborted();
    yield { type: 'end', reason };
  }

  #toolCall(part: Extract<ScriptedPart, { tool: string }>): ModelToolCall {
    this.#toolCalls += 1;
    const text = 'rawInput' in part ? part.rawInput : JSON.stringify(part.input);
    return { id: `tool_${this.#toolCalls}`, name: part.tool, arguments: text };
  }

  #complain(what: string): Error {
    const complaint = `the script does not expect ${what} here`;
    this.#complaints.push(complaint);
    return new Error(complaint);
  }
}
