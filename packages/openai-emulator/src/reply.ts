import { randomBytes } from 'node:crypto';
import type { Faults } from './faults.ts';
import type { ModelAnswer, ModelRequest } from './model/dialogue.ts';
import { answer } from './model/model.ts';
import { obey } from './model/obedience.ts';
import type { Script, ScriptedReply } from './script.ts';
import { estimateTokens, splitArguments, splitIntoTokens } from './tokens.ts';

type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** A finished answer, already cut into the fragments that a stream carries. */
export interface Reply {
  text: string[];
  refusal: string[];
  toolCalls: { id: string; name: string; arguments: string[] }[];
  finishReason: FinishReason;
  usage: { inputTokens: number; outputTokens: number };
}

export function newId(prefix: string): string {
  return `${prefix}${randomBytes(16).toString('hex')}`;
}

const DEFAULT_REFUSAL = "I'm sorry, but I can't help with that request.";
/** Valid JSON that no schema of named properties accepts. */
const VIOLATING_JSON = '{"unexpected_property":true}';

function countFragments(reply: Omit<Reply, 'usage'>): number {
  const inCalls = reply.toolCalls.reduce((sum, call) => sum + call.arguments.length + 1, 0);
  return reply.text.length + reply.refusal.length + inCalls;
}

/** Keeps the first `limit` fragments, and tool calls only as far as they still fit. */
function cut(reply: Omit<Reply, 'usage'>, limit: number, finishReason: FinishReason): Omit<Reply, 'usage'> {
  let left = limit;
  const take = (fragments: string[]): string[] => {
    const taken = fragments.slice(0, Math.max(left, 0));
    left -= taken.length;
    return taken;
  };
  const text = take(reply.text);
  const refusal = take(reply.refusal);
  const toolCalls: Reply['toolCalls'] = [];
  for (const call of reply.toolCalls) {
    left -= 1;
    if (left < 0) break;
    toolCalls.push({ ...call, arguments: take(call.arguments) });
  }
  return { text, refusal, toolCalls, finishReason };
}

function inputCharacters(request: ModelRequest): number {
  let characters = request.instructions.length;
  for (const turn of request.turns) {
    characters += turn.text.length;
    if (turn.role !== 'assistant') continue;
    for (const call of turn.toolCalls) characters += call.name.length + call.arguments.length;
  }
  return characters;
}

type ReplySource = ModelAnswer | Exclude<ScriptedReply, string>;

/**
 * The next scripted reply, else what the model answers, by the rules of `ownAnswer`.
 *
 * @throws ApiError 400 when the script is used up
 */
export function think(
  request: ModelRequest,
  mind: { script: Script; faults: Faults },
  ownAnswer: (request: ModelRequest) => ModelAnswer = answer,
): ReplySource {
  if (mind.script.active()) return mind.script.next();
  const obeyed = mind.faults.strike('obedient') && obey(request);
  return obeyed ?? ownAnswer(request);
}

export interface ReplyOptions {
  request: ModelRequest;
  /** What is to be said and called. */
  source: ReplySource;
  faults: Faults;
  /** Most tokens the client takes. */
  maxTokens: number | undefined;
}

/** Cuts an answer into fragments, and applies the faults that change what is said. */
export function createReply(options: ReplyOptions): Reply {
  const { request, source, faults } = options;
  const calls = (source.toolCalls ?? []).map((call) => ({
    id: newId('call_'),
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }));

  let text = source.text ?? '';
  let refusal = 'refusal' in source ? (source.refusal ?? '') : '';
  const refusalFault = faults.strike('refusal');
  if (refusalFault) {
    text = '';
    calls.length = 0;
    refusal = refusalFault.text ?? DEFAULT_REFUSAL;
  }
  const hasSchema = request.output.kind === 'json_schema' || calls.length > 0;
  if (hasSchema && !refusal && faults.strike('schemaViolation')) {
    if (request.output.kind === 'json_schema') text = VIOLATING_JSON;
    for (const call of calls) call.arguments = VIOLATING_JSON;
  }

  const defaultFinish: FinishReason = calls.length > 0 ? 'tool_calls' : 'stop';
  let reply: Omit<Reply, 'usage'> = {
    text: splitIntoTokens(text),
    refusal: splitIntoTokens(refusal),
    toolCalls: calls.map((call) => ({ ...call, arguments: splitArguments(call.arguments) })),
    finishReason: ('finishReason' in source ? source.finishReason : undefined) ?? defaultFinish,
  };
  const lengthStop = faults.strike('lengthStop');
  const contentFilter = faults.strike('contentFilter');
  if (contentFilter) reply = cut(reply, contentFilter.afterTokens, 'content_filter');
  else if (lengthStop) reply = cut(reply, lengthStop.afterTokens, 'length');
  else if (options.maxTokens !== undefined && countFragments(reply) > options.maxTokens) {
    reply = cut(reply, options.maxTokens, 'length');
  }
  return {
    ...reply,
    usage: {
      inputTokens: estimateTokens(inputCharacters(request)),
      outputTokens: countFragments(reply),
    },
  };
}
