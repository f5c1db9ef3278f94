import { ApiError } from '../api-error.ts';
import type { ModelRequest, Turn } from '../model/dialogue.ts';
import type { ModelCatalog } from '../model-catalog.ts';
import { newId, type Reply } from '../reply.ts';
import { responseMemory } from '../response-memory.ts';
import { responseDraft, responseFrames } from '../responses-reply.ts';
import { type ResponsesRequest, readResponsesRequest } from '../responses-request.ts';
import type { ResponsesConfig, ResponsesUpdate } from './client-events.ts';

const CONFIG_PARAM = 'session.delegation.responses';

/** The configuration as a Responses request without any input. @throws ApiError 400 or 404 */
function readConfig(config: ResponsesConfig, catalog: ModelCatalog): ResponsesRequest {
  catalog.assertKnown(config.model, 'text');
  const given = Object.entries(config).filter(([, value]) => value !== null);
  try {
    return readResponsesRequest({ ...Object.fromEntries(given), input: [], store: false }, responseMemory(0));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { message, param, ...rest } = error.body;
    throw new ApiError(message, {
      ...rest,
      param: param === null ? CONFIG_PARAM : `${CONFIG_PARAM}.${param}`,
    });
  }
}

/** A response, and the delegation it belongs to. */
export interface BackendResponse {
  id: string;
  delegationId: string;
  /** Whether the delegation begins with it. */
  isNew: boolean;
  events: object[];
}

/** A text model behind a live one: it has the tools, and answers in the events of the Responses API. */
export class ResponsesBackend {
  readonly #catalog: ModelCatalog;
  #config: ResponsesConfig;
  #request: ResponsesRequest;
  /** Calls whose outputs are awaited. */
  readonly #openCalls = new Set<string>();
  /** The delegation that responses belong to until one of them calls nothing. */
  #delegationId: string | undefined;

  /** @throws ApiError 400 or 404 */
  constructor(config: ResponsesConfig, catalog: ModelCatalog) {
    this.#catalog = catalog;
    this.#config = config;
    this.#request = readConfig(config, catalog);
  }

  get config(): ResponsesConfig {
    return this.#config;
  }

  /** @throws ApiError 400 or 404 */
  update(change: ResponsesUpdate): void {
    const merged = { ...this.#config, ...change };
    this.#request = readConfig(merged, this.#catalog);
    this.#config = merged;
  }

  /** What it is asked after these turns. */
  requestFor(turns: Turn[], notes: string[]): ModelRequest {
    const { instructions, ...rest } = this.#request.modelRequest;
    return { ...rest, instructions: [instructions, ...notes].join('\n\n'), turns };
  }

  /** Takes the output of a call. @throws ApiError 400 for a call nobody made, or one that was answered */
  answer(callId: string): void {
    if (this.#openCalls.delete(callId)) return;
    throw new ApiError(`No tool call found for function call output with call_id ${callId}.`, {
      param: 'item.call_id',
      code: 'invalid_tool_call_id',
    });
  }

  /** @throws ApiError 400 while outputs are awaited */
  assertAnswered(): void {
    const [callId] = this.#openCalls;
    if (callId === undefined) return;
    throw new ApiError(`No tool output found for function call ${callId}.`, { code: 'missing_tool_output' });
  }

  /** A response as the events that tell of it; snapshots in them carry neither prompt nor output. */
  respond(reply: Reply): BackendResponse {
    for (const { id } of reply.toolCalls) this.#openCalls.add(id);
    const draft = responseDraft(this.#request, reply, Math.floor(Date.now() / 1000));
    const events = [...responseFrames(draft)].map(({ data }) => {
      if (typeof data === 'string' || !('response' in data)) return data as object;
      return {
        ...data,
        response: { ...(data.response as object), instructions: null, tools: [], output: [] },
      };
    });
    const isNew = this.#delegationId === undefined;
    const delegationId = this.#delegationId ?? newId('dlg_');
    this.#delegationId = reply.toolCalls.length > 0 ? delegationId : undefined;
    return { id: draft.id, delegationId, isNew, events };
  }
}
