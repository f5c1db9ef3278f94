import { chatCompletion, chatErrorFrame, chatFrames } from './chat-reply.ts';
import { readChatRequest } from './chat-request.ts';
import {
  type Pacing,
  type StreamBreak,
  type StreamFrame,
  sendEventStream,
  waitForAnswer,
} from './event-stream.ts';
import { type Exchange, readJson, sendJson } from './exchange.ts';
import { type Faults, strikeRequestError } from './faults.ts';
import { isJsonObject } from './json-schema.ts';
import type { ModelRequest } from './model/dialogue.ts';
import type { ModelCatalog } from './model-catalog.ts';
import { createReply, type Reply, think } from './reply.ts';
import type { ResponseMemory } from './response-memory.ts';
import {
  rememberedTurns,
  responseBody,
  responseDraft,
  responseErrorFrame,
  responseFrames,
} from './responses-reply.ts';
import { readResponsesRequest } from './responses-request.ts';
import type { Script } from './script.ts';

/** A checked request, and how its endpoint words the reply. */
interface Presentation {
  stream: boolean;
  maxTokens: number | undefined;
  modelRequest: ModelRequest;
  body(reply: Reply): object;
  frames(reply: Reply): Iterable<StreamFrame>;
  errorFrame(message: string, framesSent: number): StreamFrame;
}

function currentSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function presentChat(body: unknown): Presentation {
  const request = readChatRequest(body);
  return {
    stream: request.body.stream ?? false,
    maxTokens: request.body.max_completion_tokens ?? undefined,
    modelRequest: request.modelRequest,
    body: (reply) => chatCompletion(request, reply, currentSeconds()),
    frames: (reply) => chatFrames(request, reply, currentSeconds()),
    errorFrame: chatErrorFrame,
  };
}

function presentResponses(body: unknown, memory: ResponseMemory): Presentation {
  const request = readResponsesRequest(body, memory);
  const draft = (reply: Reply) => {
    const made = responseDraft(request, reply, currentSeconds());
    if (request.body.store ?? true) memory.remember(made.id, rememberedTurns(made));
    return made;
  };
  return {
    stream: request.body.stream ?? false,
    maxTokens: request.body.max_output_tokens ?? undefined,
    modelRequest: request.modelRequest,
    body: (reply) => responseBody(draft(reply)),
    frames: (reply) => responseFrames(draft(reply)),
    errorFrame: responseErrorFrame,
  };
}

export interface CompletionContext {
  catalog: ModelCatalog;
  faults: Faults;
  script: Script;
  memory: ResponseMemory;
  pacing: Pacing;
  keepBodies: boolean;
}

/** The break in the middle of this answer, if a fault strikes. */
function strikeBreak(faults: Faults, presentation: Presentation): StreamBreak | undefined {
  const cut = faults.strike('socketCut');
  if (cut) return { afterTokens: cut.afterTokens };
  const error = presentation.stream ? faults.strike('streamError') : undefined;
  if (!error) return undefined;
  const message = error.message ?? 'The server had an error while processing your request. Sorry about that!';
  return {
    afterTokens: error.afterTokens,
    errorFrame: (framesSent) => presentation.errorFrame(message, framesSent),
  };
}

/** Answers `POST /v1/chat/completions` or `POST /v1/responses`. @throws ApiError */
export async function complete(
  exchange: Exchange,
  endpoint: 'chat' | 'responses',
  context: CompletionContext,
): Promise<void> {
  const { record, response, signal } = exchange;
  const { faults } = context;
  const body = await readJson(exchange);
  if (context.keepBodies) record.body = body;
  if (isJsonObject(body)) {
    record.model = typeof body.model === 'string' ? body.model : null;
    record.stream = body.stream === true;
  }
  if (faults.strike('hang')) {
    exchange.settle(null);
    return;
  }
  const failure = strikeRequestError(faults, record.model ?? 'this model');
  if (failure) throw failure;

  const presentation = endpoint === 'chat' ? presentChat(body) : presentResponses(body, context.memory);
  context.catalog.assertKnown(record.model ?? '', 'text');
  const reply = createReply({
    request: presentation.modelRequest,
    source: think(presentation.modelRequest, context),
    faults,
    maxTokens: presentation.maxTokens,
  });
  const slow = faults.strike('slowFirstToken');
  const pacing = { ...context.pacing, firstTokenMs: context.pacing.firstTokenMs + (slow?.delayMs ?? 0) };
  const breakAt = strikeBreak(faults, presentation);
  if (presentation.stream) {
    exchange.settle(200);
    const { headers } = exchange;
    await sendEventStream({ response, headers, frames: presentation.frames(reply), pacing, breakAt, signal });
    return;
  }
  await waitForAnswer(pacing, reply.usage.outputTokens, signal);
  if (breakAt) {
    exchange.settle(null);
    response.destroy();
    return;
  }
  sendJson(exchange, 200, presentation.body(reply));
}
