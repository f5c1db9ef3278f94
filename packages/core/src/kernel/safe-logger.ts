import type { Logger } from './logger.ts';

/** What is logged of an error. */
export interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  /** Of a database: the rule that was broken, and where. */
  readonly constraint?: string;
  readonly table?: string;
  readonly stack?: string;
  readonly cause?: ErrorFields;
}

const deepestCause = 5;
const longestMessage = 500;

/** What people and vendors write into messages without meaning to: numbers, addresses, credentials. */
const masks: readonly (readonly [RegExp, string])[] = [
  [/:\/\/[^\s/@]+@/g, '://[credentials]@'],
  [/\b(?:ck_(?:live|test|pub)_|sk-|whsec_)\S+/g, '[secret]'],
  [/\bBearer\s+\S+/gi, 'Bearer [secret]'],
  [/[^\s@"'<>]+@[^\s@"'<>]+\.[a-z]{2,}/gi, '[email]'],
  [/\+?\d(?:[ ().-]{0,3}\d){6,}/g, '[number]'],
];

const masked = (text: string) =>
  masks.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text).slice(0, longestMessage);

type Unknown = Readonly<Record<string, unknown>>;

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** A database's own words may quote the row, its `detail` always does: the code says what is wrong. */
function messageOf(error: Unknown): string {
  const isFromDatabase = textOf(error.severity) !== undefined && textOf(error.code) !== undefined;
  return isFromDatabase ? `the database refused: ${error.code}` : masked(textOf(error.message) ?? '');
}

/** The frames without the message that stands before them. */
function stackOf(error: Unknown, heading: string): string | undefined {
  const frames = (textOf(error.stack) ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return frames.length === 0 ? undefined : [heading, ...frames].join('\n');
}

/**
 * An error as it may stand in a log: a closed list of fields, none of which holds what a person said, wrote or is called.
 * What is in this form already stays as it is.
 */
export function errorFields(value: unknown, depth = 0): ErrorFields {
  if (typeof value !== 'object' || value === null)
    return { type: typeof value, message: masked(String(value)) };
  const error = value as Unknown;
  const type = textOf(error.type) ?? textOf(error.name) ?? 'Error';
  const message = messageOf(error);
  const stack = stackOf(error, `${type}: ${message}`);
  const { code } = error;
  const constraint = textOf(error.constraint);
  const table = textOf(error.table);
  const first = Array.isArray(error.errors) ? error.errors[0] : undefined;
  const cause = error.cause ?? first;
  return {
    type,
    message,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(constraint !== undefined && { constraint }),
    ...(table !== undefined && { table }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined &&
      cause !== null &&
      depth < deepestCause && { cause: errorFields(cause, depth + 1) }),
  };
}

/** The same logger, given errors (`err` and `error`) as `errorFields` only. */
export function safeLogger(logger: Logger): Logger {
  const safe = (fields: object): object => {
    const { err, error } = fields as Unknown;
    if (err === undefined && error === undefined) return fields;
    return {
      ...fields,
      ...(err !== undefined && { err: errorFields(err) }),
      ...(error !== undefined && { error: errorFields(error) }),
    };
  };
  return {
    debug: (fields, message) => logger.debug(safe(fields), message),
    info: (fields, message) => logger.info(safe(fields), message),
    warn: (fields, message) => logger.warn(safe(fields), message),
    error: (fields, message) => logger.error(safe(fields), message),
  };
}
