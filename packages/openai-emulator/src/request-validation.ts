import * as z from 'zod';
import { ApiError } from './api-error.ts';
import type { JsonSchema } from './json-schema.ts';
import type { ToolChoice, ToolDefinition } from './model/dialogue.ts';
import { assertObjectSchema, assertStrictSchema } from './strict-schema.ts';

const IDENTIFIER = /^[a-zA-Z0-9_-]+$/;
const MAX_TOOLS = 128;

/** The name of a function or of a response format. */
export const identifier = z.string().regex(IDENTIFIER).max(64);

/** A schema of any shape; what it may hold is checked by the strict rules, not here. */
export const jsonSchema = z.custom<JsonSchema>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

export const metadata = z.record(z.string().max(64), z.string().max(512)).nullish();
export const serviceTier = z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish();
export const verbosity = z.enum(['low', 'medium', 'high']).nullish();
export const reasoningEffort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish();
export const cacheRetention = z.enum(['in_memory', '24h']).nullish();

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function listValues(values: readonly unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')}, and ${last}`;
}

function expectedType(expected: string): string {
  if (expected === 'int') return 'an integer';
  const vowel = /^[aeiou]/.test(expected);
  return `${vowel ? 'an' : 'a'} ${expected}`;
}

function rangeError(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall, param: string): ApiError {
  const tooBig = issue.code === 'too_big';
  const side = tooBig ? 'above_max' : 'below_min';
  const bound = tooBig ? issue.maximum : issue.minimum;
  const words = `${tooBig ? 'above maximum' : 'below minimum'}`;
  if (issue.origin === 'string') {
    return new ApiError(
      `Invalid '${param}': string too ${tooBig ? 'long' : 'short'}. Expected a string with ${tooBig ? 'maximum' : 'minimum'} length ${bound}.`,
      { param, code: `string_${side}_length` },
    );
  }
  if (issue.origin === 'array') {
    return new ApiError(
      `Invalid '${param}': array too ${tooBig ? 'long' : 'short'}. Expected an array with ${tooBig ? 'maximum' : 'minimum'} length ${bound}.`,
      { param, code: `array_${side}_length` },
    );
  }
  const kind = issue.origin === 'int' || Number.isInteger(issue.input) ? 'integer' : 'decimal';
  return new ApiError(
    `Invalid '${param}': ${kind} ${words} value. Expected a value ${tooBig ? '<=' : '>='} ${bound}, but got ${String(issue.input)} instead.`,
    { param, code: `${kind}_${side}_value` },
  );
}

function issueError(issue: z.core.$ZodIssue, parents: readonly PropertyKey[]): ApiError {
  const path = [...parents, ...issue.path];
  const param = pathText(path);
  switch (issue.code) {
    case 'unrecognized_keys': {
      const unknown = pathText([...path, issue.keys[0] ?? '']);
      return new ApiError(`Unknown parameter: '${unknown}'.`, { param: unknown, code: 'unknown_parameter' });
    }
    case 'too_big':
    case 'too_small':
      return rangeError(issue, param);
    case 'invalid_value':
      if (issue.input === undefined) break;
      return new ApiError(
        `Invalid value: '${String(issue.input)}'. Supported values are: ${listValues(issue.values)}.`,
        { param, code: 'invalid_value' },
      );
    case 'invalid_format':
      return new ApiError(
        `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${IDENTIFIER.source}'.`,
        { param, code: 'invalid_value' },
      );
    case 'invalid_union': {
      // Of several alternatives, the one that failed latest is the one that was meant.
      const closest = issue.errors
        .filter((branch) => branch.length > 0)
        .toSorted((left, right) => (right[0]?.path.length ?? 0) - (left[0]?.path.length ?? 0))[0]?.[0];
      if (closest && closest.path.length > 0) return issueError(closest, path);
      const named = issue.errors.flat().find((branch) => branch.code === 'invalid_value');
      if (named && typeof issue.input === 'string') return issueError({ ...named, input: issue.input }, path);
      if (issue.errors.length === 0 && 'options' in issue && Array.isArray(issue.options)) {
        return new ApiError(
          `Invalid value at '${param}'. Supported values are: ${listValues(issue.options)}.`,
          { param, code: 'invalid_value' },
        );
      }
      break;
    }
    case 'custom':
      if (issue.params?.openai) return new ApiError(issue.message, { param, ...issue.params.openai });
      break;
    default:
  }
  if (issue.input === undefined) {
    return new ApiError(`Missing required parameter: '${param}'.`, {
      param,
      code: 'missing_required_parameter',
    });
  }
  const expected =
    issue.code === 'invalid_type' ? `: expected ${expectedType(issue.expected)}` : ': expected another type';
  return new ApiError(`Invalid type for '${param}'${expected}, but got ${typeName(issue.input)} instead.`, {
    param,
    code: 'invalid_type',
  });
}

/**
 * Parses a request body and turns the first thing that is wrong with it into the error the API would send.
 *
 * @throws ApiError 400
 */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  const issues = result.error.issues;
  // A missing parameter is named before an unknown one.
  const issue = issues.find((candidate) => candidate.code !== 'unrecognized_keys') ?? issues[0];
  throw issue ? issueError(issue, []) : new ApiError('The request body is not valid.');
}

/** A parameter the API knows and the emulator, or every current model, refuses. */
export function refusedParameter(reason: string) {
  return z
    .unknown()
    .optional()
    .superRefine((value, refinement) => {
      if (value === undefined || value === null) return;
      refinement.addIssue({
        code: 'custom',
        message: reason,
        params: { openai: { code: 'unsupported_parameter' } },
      });
    });
}

/** A tool of either endpoint, before its schema is checked. */
export interface ToolInput {
  name: string;
  description?: string | null | undefined;
  parameters?: JsonSchema | null | undefined;
  strict?: boolean | null | undefined;
}

/** Checks the schema of each tool. `paramOf` gives the path of the nth tool's schema. @throws ApiError 400 */
export function readTools(tools: ToolInput[], paramOf: (index: number) => string): ToolDefinition[] {
  if (tools.length > MAX_TOOLS) {
    throw new ApiError(
      `Invalid 'tools': array too long. Expected an array with maximum length ${MAX_TOOLS}, but got an array with length ${tools.length} instead.`,
      { param: 'tools', code: 'array_above_max_length' },
    );
  }
  return tools.map((tool, index) => {
    const origin = {
      subject: `function '${tool.name}'`,
      param: paramOf(index),
      code: 'invalid_function_parameters',
    };
    const parameters: unknown = tool.parameters ?? {
      type: 'object',
      properties: {},
      required: [],
      additionalProperties: false,
    };
    if (tool.strict) assertStrictSchema(parameters, origin);
    else assertObjectSchema(parameters, origin);
    return { name: tool.name, description: tool.description ?? '', parameters, strict: tool.strict ?? false };
  });
}

/** Checks that a tool choice can be met by the tools given. @throws ApiError 400 */
export function readToolChoice(
  choice: 'none' | 'auto' | 'required' | { name: string } | undefined,
  tools: ToolDefinition[],
): ToolChoice {
  if (choice === undefined) return { kind: 'auto' };
  if (tools.length === 0 && choice !== 'none' && choice !== 'auto') {
    throw new ApiError(
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      { param: 'tool_choice' },
    );
  }
  if (typeof choice === 'string') return { kind: choice };
  if (!tools.some((tool) => tool.name === choice.name)) {
    throw new ApiError(`Tool choice '${choice.name}' not found in 'tools' parameter.`, {
      param: 'tool_choice',
    });
  }
  return { kind: 'named', name: choice.name };
}

/** JSON mode needs the word in the conversation, or models print white space for ever. @throws ApiError 400 */
export function assertMentionsJson(texts: string[], holder: string, param: string): void {
  if (texts.some((text) => /json/i.test(text))) return;
  throw new ApiError(
    `'${holder}' must contain the word 'json' in some form, to use '${param}' of type 'json_object'.`,
    { param: holder },
  );
}
