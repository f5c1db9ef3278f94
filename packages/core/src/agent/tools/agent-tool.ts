import * as z from 'zod';
import type { CallRecord } from '../../calls/call-store.ts';
import { CallkiteError } from '../../kernel/errors.ts';

/** What a tool is given for one use. */
export interface AgentToolUse<Input> {
  /** Checked by the tool's schema. */
  readonly input: Input;
  /** The call it is used on. */
  readonly call: Pick<
    CallRecord,
    | 'id'
    | 'organizationId'
    | 'mode'
    | 'workflowId'
    | 'from'
    | 'to'
    | 'recipientName'
    | 'recipientEmail'
    | 'recipientContext'
  >;
  /** Names this use: the same for a use that is repeated, never for two different ones. */
  readonly idempotencyKey: string;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
}

/** Something a server lets its agents do on calls whose workflow names it. */
export interface AgentTool {
  /** Lower-case letters, digits and `_`. */
  readonly name: string;
  /** Tells the model what it does and when to use it. */
  readonly description: string;
  /**
   * Within the limits of strict structured outputs: every field required (`.nullable()`, not `.optional()`). On a web
   * call the visitor's page is told what the model gives here.
   */
  readonly input: z.ZodObject;
  /**
   * Returns something that can be written as JSON, for the model to go on from. What it throws is logged and told to
   * the model as a failure, without the reason; a `CallkiteError` with its message.
   */
  handler(use: AgentToolUse<unknown>): unknown;
  /** After so many milliseconds the model is told that it took too long. @default 8 000 */
  readonly deadlineMs?: number | undefined;
}

/**
 * Declares a tool, with the handler's input typed by the schema.
 *
 * ```ts
 * const findOrder = defineTool({
 *   name: 'find_order',
 *   description: 'Tells where an order is.',
 *   input: z.object({ number: z.string() }),
 *   handler: async ({ input }) => orders.find(input.number),
 * });
 * ```
 */
export function defineTool<Input extends z.ZodObject>(tool: {
  name: string;
  description: string;
  input: Input;
  handler: (use: AgentToolUse<z.output<Input>>) => unknown;
  deadlineMs?: number;
}): AgentTool {
  return { ...tool, handler: (use) => tool.handler({ ...use, input: tool.input.parse(use.input) }) };
}

const namePattern = /^[a-z][a-z0-9_]{0,63}$/;
const reservedNames = /^(end_call|note_opt_out|send_digits|transfer_call|take_message|fill_form.*)$/;

/** @throws CallkiteError `validation_failed` for tools that no model could be offered */
export function checkAgentTools(tools: readonly AgentTool[]): void {
  const names = new Set<string>();
  for (const { name, input } of tools) {
    if (!namePattern.test(name)) refuse(name, 'name it with lower-case letters, digits and _, at most 64');
    if (reservedNames.test(name)) refuse(name, 'give it another name: this one is in use');
    if (names.has(name)) refuse(name, 'give it another name: there are two of this one');
    names.add(name);
    let schema: z.core.JSONSchema.BaseSchema;
    try {
      schema = z.toJSONSchema(input);
    } catch (error) {
      refuse(name, error instanceof Error ? error.message : 'its input has no JSON Schema');
    }
    if (!isStrict(schema)) {
      refuse(
        name,
        'every field of its input must be required, and no other allowed: use .nullable(), no records',
      );
    }
  }
}

function refuse(name: string, what: string): never {
  throw new CallkiteError('validation_failed', `The tool "${name}" cannot be offered: ${what}`);
}

function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  if ('type' in schema && schema.type === 'object') {
    const { properties = {}, required = [], additionalProperties } = schema as z.core.JSONSchema.ObjectSchema;
    if (additionalProperties !== false || Object.keys(properties).some((key) => !required.includes(key))) {
      return false;
    }
  }
  return Object.values(schema).every(isStrict);
}
