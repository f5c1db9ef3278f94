import { readBrief } from './brief.ts';
import { readTranscript, summarizeCall } from './call-summary.ts';
import { callAnyTool } from './call-tools.ts';
import { calleeIntent } from './callee-intent.ts';
import { converse } from './conversation.ts';
import type { ModelAnswer, ModelRequest, ToolDefinition } from './dialogue.ts';
import { structuredOutput } from './structured-output.ts';
import { sentences, shorten } from './wording.ts';

function lastUserText(request: ModelRequest): string {
  return request.turns.findLast((turn) => turn.role === 'user')?.text ?? '';
}

/** An answer to a conversation that no brief describes. */
function plainAnswer(request: ModelRequest): string {
  const last = request.turns.at(-1);
  if (last?.role === 'tool') return `Here is the result: ${shorten(last.text, 200)}`;
  const transcript = readTranscript(lastUserText(request));
  if (transcript.length > 1) return summarizeCall(transcript).summary;
  const text = sentences(lastUserText(request))[0] ?? '';
  if (text === '') return 'How can I help you?';
  return calleeIntent(text) === 'question'
    ? `I am a rule-based stand-in and have no answer to "${shorten(text, 120)}"`
    : `I understand: ${shorten(text, 160)}`;
}

function freeAnswer(request: ModelRequest): ModelAnswer {
  const brief = readBrief(request.instructions);
  if (brief) return converse(brief, request);
  return { text: plainAnswer(request), toolCalls: [] };
}

/** A choice that demands a call is met even where the conversation would not call one. */
function forcedCall(request: ModelRequest, allowed: ToolDefinition[]): ModelAnswer {
  const free = freeAnswer(request);
  const chosen = free.toolCalls.filter((call) => allowed.some((tool) => tool.name === call.name));
  if (chosen.length > 0) return { text: free.text, toolCalls: chosen };
  const [tool] = allowed;
  return tool ? { text: null, toolCalls: [callAnyTool(tool, lastUserText(request))] } : free;
}

function chosenAnswer(request: ModelRequest): ModelAnswer {
  const { output, toolChoice, tools } = request;
  if (toolChoice.kind === 'named') {
    return forcedCall(
      request,
      tools.filter((tool) => tool.name === toolChoice.name),
    );
  }
  if (toolChoice.kind === 'required') return forcedCall(request, tools);
  if (output.kind === 'json_schema') return { text: structuredOutput(request, output.schema), toolCalls: [] };
  if (output.kind === 'json_object') {
    return { text: JSON.stringify({ answer: plainAnswer(request) }), toolCalls: [] };
  }
  return freeAnswer(toolChoice.kind === 'none' ? { ...request, tools: [] } : request);
}

/** Answers a request by rules alone: the same request always gets the same answer. */
export function answer(request: ModelRequest): ModelAnswer {
  const reply = chosenAnswer(request);
  return request.parallelToolCalls ? reply : { ...reply, toolCalls: reply.toolCalls.slice(0, 1) };
}
