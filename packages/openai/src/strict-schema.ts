import * as z from 'zod';

/**
 * Keywords that strict structured outputs refuse, and patterns, of which they take a dialect of their own. What these
 * demand is still checked on the answer, by zod.
 */
const REFUSED_KEYWORDS = [
  'default',
  'minLength',
  'maxLength',
  'pattern',
  'propertyNames',
  'uniqueItems',
] as const;

const ACCEPTED_FORMATS = [
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
];

/**
 * The JSON Schema of a zod object, reduced to what strict structured outputs accept.
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function strictJsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, {
    target: 'draft-7',
    override({ jsonSchema: node }) {
      for (const keyword of REFUSED_KEYWORDS) delete node[keyword];
      if (node.format !== undefined && !ACCEPTED_FORMATS.includes(node.format)) delete node.format;
      if (node.oneOf !== undefined) {
        node.anyOf = node.oneOf;
        delete node.oneOf;
      }
    },
  });
  return jsonSchema;
}
