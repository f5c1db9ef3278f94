import { expect, it } from 'vitest';
import * as z from 'zod';
import * as contract from './index.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Paths of the properties below a schema that have no description. Constants explain themselves. */
function undescribed(schema: JsonSchema, path: string): string[] {
  const inner = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
    ...[schema.items, schema.additionalProperties].flat(),
  ].filter((each): each is JsonSchema => typeof each === 'object');
  return [
    ...Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, property]) => [
      ...(property.description || 'const' in property ? [] : [`${path}.${name}`]),
      ...undescribed(property, `${path}.${name}`),
    ]),
    ...inner.flatMap((each) => undescribed(each, path)),
  ];
}

const exported: readonly (readonly [string, unknown])[] = Object.entries(contract);
const schemas = exported.flatMap(([name, value]) =>
  value instanceof z.ZodType ? [{ name, schema: value }] : [],
);

it.each(schemas)('$name describes every property', ({ name, schema }) => {
  for (const io of ['input', 'output'] as const) {
    expect(undescribed(z.toJSONSchema(schema, { io, unrepresentable: 'any' }), name)).toEqual([]);
  }
});

it('looks at every schema of the contract', () => {
  expect(schemas.length).toBeGreaterThan(60);
});
