import { describe, expect, it } from 'vitest';
import type { JsonSchema } from './json-schema.ts';
import { assertStrictSchema } from './strict-schema.ts';

const origin = { subject: "response_format 'x'", param: 'response_format', code: null };
const object = (properties: Record<string, JsonSchema>, extra: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...extra,
});

function nested(levels: number): JsonSchema {
  return levels === 1 ? { type: 'string' } : object({ inner: nested(levels - 1) });
}

describe('strict schemas', () => {
  it.each<[string, JsonSchema]>([
    ['a flat object', object({ name: { type: ['string', 'null'] }, kind: { enum: ['a', 'b'] } })],
    ['definitions and recursion', object({ next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } })],
    [
      'number and array limits',
      object({ list: { type: 'array', items: { type: 'integer', minimum: 1 }, minItems: 1 } }),
    ],
    ['ten levels', nested(10)],
  ])('accepts %s', (_, schema) => {
    expect(() => assertStrictSchema(schema, origin)).not.toThrow();
  });

  it.each<[JsonSchema, string]>([
    [{ type: 'array', items: { type: 'string' } }, 'got \'type: "array"\''],
    [{}, 'got \'type: "None"\''],
    [object({}, { additionalProperties: true }), "In context=(), 'additionalProperties' is required"],
    [object({ a: { type: 'string' } }, { required: [] }), "Missing 'a'."],
    [object({}, { required: ['ghost'] }), "Extra required key 'ghost' supplied."],
    [object({ a: { type: 'object' } }), "In context=('properties', 'a'), 'additionalProperties' is required"],
    [
      object({ a: { type: 'string', minLength: 1 } }),
      "In context=('properties', 'a'), 'minLength' is not permitted.",
    ],
    [object({ a: { type: 'string', default: 'x' } }), "'default' is not permitted."],
    [object({}, { patternProperties: {} }), "'patternProperties' is not permitted."],
    [object({ a: { oneOf: [] } }), "'oneOf' is not permitted."],
    [object({ a: { type: 'string', format: 'uri' } }), "'uri' is not a valid format."],
    [object({ a: {} }), "schema must have a 'type' key."],
    [object({ a: { type: 'array' } }), 'array schema missing items.'],
    [object({ a: { $ref: '#/$defs/none' } }), "reference '#/$defs/none' can not be resolved."],
    [object({}, { anyOf: [] }), "'anyOf' is not permitted at the root."],
    [nested(11), '11 levels of nesting exceeds limit of 10.'],
    [
      object(
        Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`p${index}`, { type: 'string' }])),
      ),
      '5001 properties exceed the limit of 5000.',
    ],
  ])('refuses %#', (schema, message) => {
    expect(() => assertStrictSchema(schema, origin)).toThrow(message);
  });
});
