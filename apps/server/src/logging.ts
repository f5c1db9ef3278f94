import { errorFields } from '@callkite/core';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Settings } from './env.ts';

export type { Logger };

/** Personal and secret fields that must not reach a log even when a caller passes them by mistake. */
const redacted = [
  'to',
  'from',
  'phoneNumber',
  'recipientPhone',
  'recipientName',
  'recipientEmail',
  'recipientContext',
  'prompt',
  'content',
  'transcript',
  'summary',
  'authorization',
  'secret',
  'secretKey',
  'apiKey',
  'token',
];

/** JSON lines in production, short lines for people otherwise. */
export function createLogger(
  settings: Pick<Settings, 'production' | 'logLevel'>,
  destination: DestinationStream = process.stderr,
): Logger {
  return pino(
    {
      level: settings.logLevel,
      base: null,
      serializers: { err: errorFields, error: errorFields },
      redact: {
        paths: redacted.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
    },
    settings.production ? destination : shortLines(destination),
  );
}

function shortLines(destination: DestinationStream): DestinationStream {
  return { write: (line) => destination.write(shortLine(line)) };
}

function shortLine(line: string): string {
  const { level, time, msg, err, error = err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const at = new Date(Number(time)).toISOString().slice(11, 19);
  const label = pino.levels.labels[Number(level)] ?? '';
  const details = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${[at, label.padEnd(5), msg, ...details].join(' ')}${stackOf(error)}\n`;
}

/** Of an error and of what caused it. */
function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, type, message, cause } = error as Record<string, unknown>;
  const caused = stackOf(cause);
  return `\n${stack ?? `${type}: ${message}`}${caused === '' ? '' : `\ncaused by:${caused}`}`;
}
