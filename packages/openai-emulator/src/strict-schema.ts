import { ApiError } from './api-error.ts';
import { isJsonObject, type JsonSchema, resolveReference, schemaTypes } from './json-schema.ts';

const MAX_NESTING = 10;
const MAX_PROPERTIES = 5000;
const MAX_ENUM_VALUES = 1000;

const ALLOWED_KEYWORDS = new Set([
  '$schema',
  '$id',
  '$ref',
  '$defs',
  'definitions',
  'title',
  'description',
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'enum',
  'const',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
]);

const ALLOWED_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

const ALLOWED_FORMATS = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

/** Where a schema was found, for the error that names it. */
export interface SchemaOrigin {
  /** Such as `response_format 'workflow'` or `function 'end_call'`. */
  subject: string;
  /** Path of the request parameter that holds the schema. */
  param: string;
  code: string | null;
}

function refuse(origin: SchemaOrigin, detail: string): never {
  throw new ApiError(`Invalid schema for ${origin.subject}: ${detail}`, {
    param: origin.param,
    code: origin.code,
  });
}

function context(path: string[]): string {
  return `In context=(${path.map((part) => `'${part}'`).join(', ')})`;
}

/** Every function's parameters must be an object schema, strict or not. */
export function assertObjectSchema(schema: unknown, origin: SchemaOrigin): asserts schema is JsonSchema {
  const type = isJsonObject(schema) ? schema.type : undefined;
  if (type !== 'object') {
    const shown = type === undefined ? 'None' : String(type);
    refuse(origin, `schema must be a JSON Schema of 'type: "object"', got 'type: "${shown}"'.`);
  }
}

/**
 * Refuses what strict structured outputs do not take: a root that is not an object, open objects, optional properties,
 * keywords outside the supported set, and schemas deeper or wider than the limits.
 *
 * @throws ApiError 400 `invalid_request_error`
 */
export function assertStrictSchema(schema: unknown, origin: SchemaOrigin): asserts schema is JsonSchema {
  assertObjectSchema(schema, origin);
  if (schema.anyOf) refuse(origin, `${context([])}, 'anyOf' is not permitted at the root.`);
  const root = schema;
  let properties = 0;
  let enumValues = 0;

  function visit(node: unknown, path: string[], depth: number): void {
    if (!isJsonObject(node)) {
      refuse(origin, `${context(path)}, schema must be a JSON object, not a ${typeof node}.`);
    }
    const current: JsonSchema = node;
    if (depth > MAX_NESTING) refuse(origin, `${depth} levels of nesting exceeds limit of ${MAX_NESTING}.`);
    for (const keyword of Object.keys(current)) {
      if (!ALLOWED_KEYWORDS.has(keyword)) refuse(origin, `${context(path)}, '${keyword}' is not permitted.`);
    }
    for (const type of schemaTypes(current)) {
      if (!ALLOWED_TYPES.has(type)) refuse(origin, `${context(path)}, '${type}' is not a valid type.`);
    }
    if (current.format !== undefined && !ALLOWED_FORMATS.has(current.format)) {
      refuse(origin, `${context(path)}, '${current.format}' is not a valid format.`);
    }
    if (current.$ref !== undefined) {
      if (!resolveReference(current, root)) {
        refuse(origin, `${context(path)}, reference '${current.$ref}' can not be resolved.`);
      }
    } else if (!current.type && !current.anyOf && !current.enum && current.const === undefined) {
      refuse(origin, `${context(path)}, schema must have a 'type' key.`);
    }
    if (current.enum) {
      enumValues += current.enum.length;
      if (enumValues > MAX_ENUM_VALUES) {
        refuse(origin, `${enumValues} enum values exceed the limit of ${MAX_ENUM_VALUES}.`);
      }
    }
    if (schemaTypes(current).includes('object')) visitObject(current, path, depth);
    if (schemaTypes(current).includes('array')) {
      if (!current.items) refuse(origin, `${context(path)}, array schema missing items.`);
      visit(current.items, [...path, 'items'], depth + 1);
    }
    current.anyOf?.forEach((variant, index) => {
      visit(variant, [...path, 'anyOf', String(index)], depth);
    });
    for (const key of ['$defs', 'definitions'] as const) {
      for (const [name, definition] of Object.entries(current[key] ?? {})) {
        visit(definition, [...path, key, name], depth);
      }
    }
  }

  function visitObject(node: JsonSchema, path: string[], depth: number): void {
    if (node.additionalProperties !== false) {
      refuse(origin, `${context(path)}, 'additionalProperties' is required to be supplied and to be false.`);
    }
    const names = Object.keys(node.properties ?? {});
    const required = Array.isArray(node.required) ? node.required : [];
    const rule = `${context(path)}, 'required' is required to be supplied and to be an array including every key in properties.`;
    for (const name of names) {
      if (!required.includes(name)) refuse(origin, `${rule} Missing '${name}'.`);
    }
    for (const name of required) {
      if (!names.includes(name)) refuse(origin, `${rule} Extra required key '${name}' supplied.`);
    }
    properties += names.length;
    if (properties > MAX_PROPERTIES) {
      refuse(origin, `${properties} properties exceed the limit of ${MAX_PROPERTIES}.`);
    }
    for (const name of names) visit(node.properties?.[name], [...path, 'properties', name], depth + 1);
  }

  visit(root, [], 1);
}
