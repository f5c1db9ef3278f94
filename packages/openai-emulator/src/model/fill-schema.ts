import { type JsonSchema, matchesSchema, resolveReference, schemaTypes } from '../json-schema.ts';
import { shorten } from './wording.ts';

const MAX_DEPTH = 12;

/** Where in the schema a value is wanted. */
interface Place {
  /** Name of the property, in lower case with underscores; of the array for its items. */
  name: string;
  /** Index within the array, for items and their properties. */
  index: number | undefined;
  /** Name of the property that holds this one's object; empty at the root. */
  parent: string;
}

/** A place in the schema for which a value is wanted. */
export interface Blank extends Place {
  description: string;
  schema: JsonSchema;
}

/** What is known about a blank: a value to try, or undefined. A value that does not fit is dropped. */
export type Knowledge = (blank: Blank) => unknown;

/** `agentName` and `Agent-Name` become `agent_name`. */
export function snakeCase(name: string): string {
  return name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .replaceAll(/[^\p{L}\d]+/gu, '_')
    .toLowerCase();
}

const FORMAT_EXAMPLES: Record<string, string> = {
  'date-time': '2026-01-01T09:00:00Z',
  date: '2026-01-01',
  time: '09:00:00Z',
  duration: 'PT5M',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** Values tried for a pattern, since no text is generated from one. */
const PATTERN_CANDIDATES = [
  ...Object.values(FORMAT_EXAMPLES),
  'en-US',
  'en',
  '+12025550100',
  '09:00',
  '0',
  '1',
  '12345',
  'a',
  'A',
  'text',
  'unknown',
  'value_1',
  'https://example.com/',
];

function placeholderText(schema: JsonSchema): string {
  const fixed = schema.format === undefined ? undefined : FORMAT_EXAMPLES[schema.format];
  if (fixed !== undefined) return fixed;
  const candidates = schema.pattern === undefined ? ['unknown'] : PATTERN_CANDIDATES;
  const candidate = candidates.find((text) => matchesSchema(text, schema, schema)) ?? candidates[0] ?? '';
  const padded = candidate.padEnd(schema.minLength ?? 0, '.');
  return schema.maxLength === undefined ? padded : padded.slice(0, schema.maxLength);
}

function placeholderNumber(schema: JsonSchema, isInteger: boolean): number {
  const step = schema.multipleOf ?? (isInteger ? 1 : 0);
  const lowest = Math.max(
    schema.minimum ?? Number.NEGATIVE_INFINITY,
    schema.exclusiveMinimum === undefined
      ? Number.NEGATIVE_INFINITY
      : schema.exclusiveMinimum + (step || 0.5),
  );
  const highest = Math.min(
    schema.maximum ?? Number.POSITIVE_INFINITY,
    schema.exclusiveMaximum === undefined
      ? Number.POSITIVE_INFINITY
      : schema.exclusiveMaximum - (step || 0.5),
  );
  const value = Math.min(Math.max(0, lowest), highest);
  if (step === 0) return value;
  const rounded = Math.ceil(value / step) * step;
  return rounded <= highest ? rounded : Math.floor(value / step) * step;
}

/**
 * Fills a schema with a valid value: what is known where it fits, `null` where nothing is known and null is allowed,
 * and a plain placeholder elsewhere. An array gets as many items as are known, each filled by itself when the known
 * ones do not fit as they are.
 */
export function fillSchema(root: JsonSchema, know: Knowledge): unknown {
  let knownValues = 0;

  function resolve(node: JsonSchema): JsonSchema {
    return resolveReference(node, root) ?? {};
  }

  function allowsNull(schema: JsonSchema): boolean {
    return (
      schemaTypes(schema).includes('null') ||
      (schema.enum?.includes(null) ?? false) ||
      (schema.anyOf?.some((variant) => allowsNull(resolve(variant))) ?? false)
    );
  }

  function fill(node: JsonSchema, place: Place, depth: number): unknown {
    const schema = resolve(node);
    const known = know({ ...place, schema, description: node.description ?? schema.description ?? '' });
    const fitted = known === undefined ? undefined : fit(known, schema);
    if (fitted !== undefined) {
      knownValues += 1;
      return fitted;
    }
    const nullable = allowsNull(schema);
    if (nullable && depth >= MAX_DEPTH) return null;
    const before = knownValues;
    const filled = fillUnknown(schema, place, depth, Array.isArray(known) ? known.length : 0);
    return nullable && knownValues === before ? null : filled;
  }

  function fillUnknown(schema: JsonSchema, place: Place, depth: number, items: number): unknown {
    const types = schemaTypes(schema);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum.find((option) => option !== null) ?? null;
    if (schema.anyOf) {
      const variant = schema.anyOf.find((candidate) => !schemaTypes(resolve(candidate)).includes('null'));
      return variant ? fill(variant, place, depth + 1) : null;
    }
    if (types.includes('object') || schema.properties) return fillObject(schema, place, depth);
    if (types.includes('array')) return fillArray(schema, place, depth, items);
    if (types.includes('integer') || types.includes('number')) {
      return placeholderNumber(schema, types.includes('integer'));
    }
    if (types.includes('boolean')) return false;
    return types.length > 0 && !types.includes('string') ? null : placeholderText(schema);
  }

  /** The value itself, or a shortened or converted one, if the schema takes it. */
  function fit(value: unknown, schema: JsonSchema): unknown {
    if (matchesSchema(value, schema, root)) return value;
    for (const variant of schema.anyOf ?? [schema]) {
      const { maxLength, maxItems } = resolve(variant);
      const candidates: unknown[] = [];
      if (typeof value === 'string') {
        if (maxLength !== undefined) candidates.push(shorten(value, maxLength));
        candidates.push(Number.parseFloat(value.replaceAll(/[^\d.-]/g, '')));
      }
      if (Array.isArray(value) && maxItems !== undefined) candidates.push(value.slice(0, maxItems));
      const fitting = candidates.find((candidate) => matchesSchema(candidate, schema, root));
      if (fitting !== undefined) return fitting;
    }
    return undefined;
  }

  function fillObject(schema: JsonSchema, place: Place, depth: number): Record<string, unknown> {
    const filled: Record<string, unknown> = {};
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      const required = schema.required?.includes(key) ?? false;
      if (!required && depth >= MAX_DEPTH) continue;
      const before = knownValues;
      const value = fill(
        property,
        { name: snakeCase(key), index: place.index, parent: place.name },
        depth + 1,
      );
      if (required || knownValues > before) filled[key] = value;
    }
    return filled;
  }

  function fillArray(schema: JsonSchema, place: Place, depth: number, known: number): unknown[] {
    const { items } = schema;
    if (!items) return [];
    const wanted = Math.max(depth >= MAX_DEPTH ? 0 : known, schema.minItems ?? 0);
    const length = Math.min(wanted, schema.maxItems ?? wanted);
    return Array.from({ length }, (_, index) => fill(items, { ...place, index }, depth + 1));
  }

  return fill(root, { name: '', index: undefined, parent: '' }, 0);
}
