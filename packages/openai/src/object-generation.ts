import type { ObjectRequest } from '@callkite/core';
import type OpenAI from 'openai';
import { chatMessages, type ModelAccess, modelParameters } from './chat-request.ts';
import { rejected, timeout, toCallkiteError } from './model-failure.ts';
import { strictJsonSchema } from './strict-schema.ts';
import { watchdog } from './watchdog.ts';

const ATTEMPTS = 2;

/** Asks for a value of the schema. An outage, or an answer that does not fit the schema, gets a second try. */
export async function generateObject<T>(access: ModelAccess, request: ObjectRequest<T>): Promise<T> {
  const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
    ...modelParameters(access),
    messages: chatMessages(request.instructions, [{ role: 'user', content: request.input }]),
    response_format: {
      type: 'json_schema',
      json_schema: { name: request.name, schema: strictJsonSchema(request.schema), strict: true },
    },
  };
  const patience = watchdog(request.signal, access.timeoutMs);
  try {
    for (let attempt = 1; ; attempt += 1) {
      request.signal.throwIfAborted();
      try {
        const completion = await access.client.chat.completions.create(body, { signal: patience.signal });
        const value = request.schema.safeParse(parsed(textOf(completion)));
        if (value.success) return value.data;
        if (attempt >= ATTEMPTS)
          throw rejected('the model answered with something that does not fit the schema');
      } catch (error) {
        request.signal.throwIfAborted();
        if (patience.timedOut) throw timeout();
        const failure = toCallkiteError(error);
        if (attempt >= ATTEMPTS || !failure.retryable) throw failure;
      }
    }
  } finally {
    patience.stop();
  }
}

function textOf(completion: OpenAI.ChatCompletion): string {
  const [choice] = completion.choices ?? [];
  if (choice?.message.refusal || choice?.finish_reason === 'content_filter') {
    throw rejected('the model refused to answer');
  }
  if (choice?.finish_reason === 'length') throw rejected('the answer of the model is too long');
  return choice?.message.content ?? '';
}

/** `undefined` for text that is not JSON, which no object schema accepts. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
