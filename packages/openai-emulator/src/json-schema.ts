/** A JSON Schema object; `true` and `false` schemas are not used by the OpenAI API. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  definitions?: Record<string, JsonSchema>;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  additionalProperties?: unknown;
  [keyword: string]: unknown;
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Follows a local reference (`#`, `#/$defs/name`, …) to the schema it names.
 * Returns undefined when it leads nowhere or in a circle.
 */
export function resolveReference(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  let current: unknown = schema;
  for (let hops = 0; hops < 16; hops += 1) {
    if (!isJsonObject(current)) return undefined;
    if (typeof current.$ref !== 'string') return current;
    if (!current.$ref.startsWith('#')) return undefined;
    let target: unknown = root;
    for (const segment of current.$ref.split('/').slice(1)) {
      const key = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
      target = isJsonObject(target) ? target[key] : undefined;
    }
    current = target;
  }
  return undefined;
}

/** The types a schema names, with `anyOf` left aside. */
export function schemaTypes(schema: JsonSchema): string[] {
  if (schema.type === undefined) return [];
  return Array.isArray(schema.type) ? schema.type : [schema.type];
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function numberFits(value: number, schema: JsonSchema): boolean {
  return (
    value >= (schema.minimum ?? value) &&
    value <= (schema.maximum ?? value) &&
    (schema.exclusiveMinimum === undefined || value > schema.exclusiveMinimum) &&
    (schema.exclusiveMaximum === undefined || value < schema.exclusiveMaximum) &&
    (schema.multipleOf === undefined ||
      Math.abs(value / schema.multipleOf - Math.round(value / schema.multipleOf)) < 1e-9)
  );
}

const FORMATS: Record<string, RegExp> = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/i,
  duration: /^P(?=.)(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?$/,
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  hostname: /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i,
  ipv4: /^\d{1,3}(?:\.\d{1,3}){3}$/,
  ipv6: /^[\da-f:]+$/i,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
};

function textFits(value: string, schema: JsonSchema): boolean {
  if (value.length < (schema.minLength ?? 0) || value.length > (schema.maxLength ?? value.length))
    return false;
  if (schema.format !== undefined && !(FORMATS[schema.format]?.test(value) ?? true)) return false;
  if (schema.pattern === undefined) return true;
  try {
    return new RegExp(schema.pattern, 'u').test(value);
  } catch {
    return true;
  }
}

/** Whether a value fits a schema of the keywords that strict structured outputs support, and length limits. */
export function matchesSchema(value: unknown, node: JsonSchema, root: JsonSchema): boolean {
  const schema = resolveReference(node, root) ?? {};
  const types = schemaTypes(schema);
  if (types.length > 0 && !types.some((type) => hasType(value, type))) return false;
  if (schema.const !== undefined && JSON.stringify(value) !== JSON.stringify(schema.const)) return false;
  if (schema.enum && !schema.enum.some((option) => JSON.stringify(option) === JSON.stringify(value)))
    return false;
  if (schema.anyOf && !schema.anyOf.some((variant) => matchesSchema(value, variant, root))) return false;
  if (typeof value === 'number') return numberFits(value, schema);
  if (typeof value === 'string') return textFits(value, schema);
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? value.length))
      return false;
    return value.every((item) => !schema.items || matchesSchema(item, schema.items, root));
  }
  if (!isJsonObject(value)) return true;
  const properties = schema.properties ?? {};
  if (schema.required?.some((name) => !(name in value))) return false;
  return Object.entries(value).every(([name, item]) => {
    const property = properties[name];
    return property ? matchesSchema(item, property, root) : schema.additionalProperties !== false;
  });
}
