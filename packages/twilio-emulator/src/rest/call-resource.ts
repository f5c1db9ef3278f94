import type { Call } from '../calls/call.ts';
import { formatted } from '../calls/phone-numbers.ts';
import { rfc2822OrNull } from '../dates.ts';

const subresources = [
  'notifications',
  'recordings',
  'payments',
  'events',
  'siprec',
  'streams',
  'transcriptions',
  'user_defined_message_subscriptions',
  'user_defined_messages',
] as const;

/** A call as the 2010 API shows it. A call just created has no dates yet. */
export function callResource(call: Call, isNew = false): Record<string, unknown> {
  const uri = `/2010-04-01/Accounts/${call.account.sid}/Calls/${call.sid}`;
  const isShownAsOver = call.isOver && call.shownStatus === call.status;
  const duration = isShownAsOver ? call.durationSeconds : undefined;
  return {
    sid: call.sid,
    account_sid: call.account.sid,
    parent_call_sid: call.parent?.sid ?? null,
    phone_number_sid: null,
    group_sid: null,
    trunk_sid: null,
    status: call.shownStatus,
    direction: call.direction,
    to: call.request.to,
    to_formatted: formatted(call.request.to),
    from: call.request.from,
    from_formatted: formatted(call.request.from),
    start_time: rfc2822OrNull(call.startedAt),
    end_time: isShownAsOver ? rfc2822OrNull(call.endedAt) : null,
    date_created: isNew ? null : rfc2822OrNull(call.createdAt),
    date_updated: isNew ? null : rfc2822OrNull(call.updatedAt),
    duration: duration === undefined ? null : String(duration),
    queue_time: String(call.queueTimeMs),
    price: (isShownAsOver && call.price) || null,
    price_unit: 'USD',
    answered_by: call.answeredBy ?? null,
    annotation: null,
    forwarded_from: null,
    caller_name: null,
    api_version: '2010-04-01',
    uri: `${uri}.json`,
    subresource_uris: Object.fromEntries(
      subresources.map((name) => [name, `${uri}/${camelCase(name)}.json`]),
    ),
  };
}

function camelCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
