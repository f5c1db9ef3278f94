import type { ErrorCode } from '../../kernel/errors.ts';
import type { Route } from '../../kernel/route.ts';
import { isForPages } from '../cors.ts';
import { statusOf } from '../problem.ts';
import { answerExamples } from './examples.ts';
import { type Json, jsonContent, reference, schemaOf } from './schemas.ts';

const meaningOf: Readonly<Record<ErrorCode, string>> = {
  validation_failed: 'A field is missing or wrong; `details` holds messages by field',
  malformed_request: 'The body or the query cannot be read',
  invalid_phone_number: 'The phone number is not a valid E.164 number',
  destination_not_allowed: 'Numbers of this kind or country may not be called',
  number_opted_out: 'The person at this number asked not to be called again',
  unauthenticated: 'The key is missing or invalid',
  origin_not_allowed: 'The key is not for pages of this origin',
  workflow_disabled: 'The key is not for this workflow, or the workflow was deleted',
  forbidden: 'It belongs to another organization, or the key may not do this',
  business_profile_required: 'The carrier account has no approved business profile',
  not_found: 'It does not exist, or was deleted',
  method_not_allowed: 'The path does not know this method',
  request_timeout: 'The body did not arrive within 30 s',
  conflict: 'It is not in a state that allows this',
  payload_too_large: 'The body is larger than 1 MiB',
  unsupported_media_type: 'The body is not plain `application/json`',
  rate_limited: 'Too many requests; try again after `Retry-After` seconds',
  spending_limit:
    'The call minutes of the UTC day are used up; `Retry-After` tells the seconds until the next one',
  request_in_progress: 'A request with this idempotency key is still being answered',
  no_usable_number: 'No phone number to call from is connected',
  carrier_unavailable: 'The phone carrier is down',
  storage_unavailable: 'The database is down; nothing was changed',
  provider_rejected: 'The carrier refused the credentials or the request',
  provider_unavailable: 'The carrier does not answer',
  internal: 'A defect of the service; quote the `Request-Id`',
};

const header = (description: string, type: string): Json => ({ description, schema: { type } });

/** Headers that responses refer to. */
export const responseHeaders: Json = {
  'Request-Id': header('Id of the request, to quote in reports', 'string'),
  'Callkite-Error-Code': header('Stable code of the error, for programs', 'string'),
  'Retry-After': header('Seconds after which to try again', 'integer'),
  'Callkite-Call-Id': header('Id of the call, for `GET /calls/{call_id}`', 'string'),
  'Idempotent-Replayed': header('`true`: this is the stored answer to an earlier request', 'string'),
  'Idempotent-Body-Mismatch': header('`true`: that earlier request had another body', 'string'),
  RateLimit: header('How many requests are left in this minute', 'string'),
};

/** Every response of an operation, by status. */
export function responsesOf(route: Route): Json {
  const others = Object.entries(route.otherAnswers ?? {}).map(([status, { meaning, answer }]) => [
    status,
    {
      description: meaning,
      headers: headerReferences(['Request-Id']),
      ...jsonContent(schemaOf(answer, 'output')),
    },
  ]);
  return { [route.status]: success(route), ...problems(route), ...Object.fromEntries(others) };
}

/** What others answer our requests with, of which only the status counts. */
export const received: Json = { description: 'Received' };

function success(route: Route): Json {
  return {
    description: 'Success',
    headers: headerReferences([
      'Request-Id',
      ...(route.auth === 'key' ? ['RateLimit'] : []),
      ...(route.idempotent ? ['Callkite-Call-Id', 'Idempotent-Replayed', 'Idempotent-Body-Mismatch'] : []),
    ]),
    ...(route.mediaType && {
      content: { [route.mediaType]: { schema: { type: 'string', format: 'binary' } } },
    }),
    ...(route.answer && jsonContent(schemaOf(route.answer, 'output'), answerExamples[route.operationId])),
  };
}

function problems(route: Route): Json {
  const codes = new Set<ErrorCode>(route.refusals);
  if (route.auth !== 'none')
    for (const code of ['unauthenticated', 'rate_limited', 'storage_unavailable'] as const) codes.add(code);
  if (route.query || route.body) codes.add('validation_failed').add('malformed_request');
  if (route.body) codes.add('request_timeout').add('payload_too_large').add('unsupported_media_type');
  if (route.auth === 'publishable') codes.add('origin_not_allowed');
  codes.add('internal');
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(statusOf[code], [...(byStatus.get(statusOf[code]) ?? []), code]);
  if (![...byStatus.keys()].some((status) => status < 500)) byStatus.set(405, ['method_not_allowed']);
  return Object.fromEntries(
    [...byStatus].map(([status, all]) => [
      status,
      {
        description: all.map((code) => `\`${code}\`: ${meaningOf[code]}`).join('. '),
        headers: headerReferences([
          'Request-Id',
          'Callkite-Error-Code',
          ...(status === 429 || status === 503 ? ['Retry-After'] : []),
        ]),
        ...jsonContent(reference(isForPages(route.path) ? 'WidgetError' : 'Error')),
      },
    ]),
  );
}

function headerReferences(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
