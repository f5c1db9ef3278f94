import { ApiError } from '../api-error.ts';
import type { ModelRequest } from '../model/dialogue.ts';
import { newId, type Reply } from '../reply.ts';
import { readToolChoice, readTools } from '../request-validation.ts';
import type { Delegation, DelegationUpdate, ResponsesSettings } from './client-events.ts';

/** Sends an event to the client. */
type Send = (type: string, fields: object) => void;

/** The Responses model that a live one turns to: it asks the client for its tools, and goes on from what they give. */
export class ResponsesBackend {
  readonly #send: Send;
  /** Calls that the client has not answered yet. */
  readonly #open = new Set<string>();
  #delegationId: string | undefined;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Asks for the tools of a reply. @returns the id of the delegation, when it is a new one */
  call(settings: ResponsesSettings, calls: Reply['toolCalls'], offset_ms: number): string | undefined {
    const isNew = this.#delegationId === undefined;
    this.#delegationId ??= newId('dlg_');
    const id = newId('resp_');
    const response = { id, object: 'response', model: settings.model, output: [] };
    if (isNew) {
      const delegation = { id: this.#delegationId, type: 'delegation', target: 'responses', response_id: id };
      this.#send('session.delegation.created', { delegation, offset_ms });
    }
    this.#tell('response.created', { response: { ...response, status: 'in_progress' } });
    for (const [output_index, { id: call_id, name, arguments: json }] of calls.entries()) {
      this.#open.add(call_id);
      const item = { id: newId('fc_'), type: 'function_call', call_id, name, arguments: json.join('') };
      this.#tell('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } });
      this.#tell('response.output_item.done', { output_index, item: { ...item, status: 'completed' } });
    }
    this.#tell('response.completed', { response: { ...response, status: 'completed' } });
    return isNew ? this.#delegationId : undefined;
  }

  /** @throws ApiError 400 for an answer to a call that nobody made */
  answer(callId: string): void {
    if (this.#open.delete(callId)) return;
    throw new ApiError(`No tool call found for function call output with call_id ${callId}.`, {
      param: 'item.call_id',
      code: 'invalid_tool_call_id',
    });
  }

  /** @throws ApiError 400 when the client owes answers */
  goOn(): void {
    const [callId] = this.#open;
    if (callId === undefined) return;
    throw new ApiError(`No tool output found for function call ${callId}.`, { code: 'missing_tool_output' });
  }

  /** The work is done. */
  finish(): void {
    this.#delegationId = undefined;
  }

  #tell(type: string, fields: object): void {
    this.#send('response.event', { delegation_id: this.#delegationId, event: { type, ...fields } });
  }
}

/** What the settings say about tools. @throws ApiError 400 */
export function backendTools({
  tools = [],
  tool_choice,
}: ResponsesSettings): Pick<ModelRequest, 'tools' | 'toolChoice'> {
  const path = 'session.delegation.responses.tools';
  const definitions = readTools(tools, (index) => `${path}[${index}].parameters`);
  return { tools: definitions, toolChoice: readToolChoice(tool_choice, definitions) };
}

/** Merges an update into the delegation, whose owner stays. @throws ApiError 400 */
export function updatedDelegation(current: Delegation, update: DelegationUpdate): Delegation {
  if (current.type === 'client' && update.type === 'client') return { ...current, ...update };
  if (current.type === 'responses' && update.type === 'responses') {
    return { ...current, ...update, responses: { ...current.responses, ...update.responses } };
  }
  throw new ApiError('The delegation type of a session cannot be changed: start another session.', {
    param: 'session.delegation.type',
    code: 'cannot_update_delegation',
  });
}
