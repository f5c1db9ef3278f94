import {
  addDoNotCallRequest,
  type DoNotCallEntryResource,
  doNotCallEntry,
  doNotCallList,
  doNotCallListQuery,
  importDoNotCallRequest,
  importedDoNotCall,
  liftDoNotCallQuery,
} from '@callkite/contract';
import { pageOf } from '../../kernel/page-query.ts';
import { routesOf } from '../../kernel/route.ts';
import type { DoNotCall } from './do-not-call.ts';
import { firstColumn } from './do-not-call.ts';
import type { DoNotCallEntry } from './do-not-call-store.ts';

const { route } = routesOf<{ doNotCall: DoNotCall }>();

const tag = 'Do not call';
const refusalsShown = 1000;

export const doNotCallRoutes = [
  route(
    {
      method: 'POST',
      path: '/do-not-call',
      auth: 'key',
      tag,
      operationId: 'addDoNotCall',
      summary: 'Put a number on the do-not-call list',
      description:
        'From now on calls and transfers to it are refused, and calls that wait end as `blocked_dnc`. Adding a number again changes nothing. The list of a test key is one of its own.',
      body: addDoNotCallRequest,
      status: 201,
      answer: doNotCallEntry,
      refusals: ['invalid_phone_number'],
    },
    async ({ doNotCall }, { caller, body }) =>
      toEntry(await doNotCall.add(caller, { phoneNumber: body.phone_number, reason: body.reason })),
  ),
  route(
    {
      method: 'POST',
      path: '/do-not-call/import',
      auth: 'key',
      tag,
      operationId: 'importDoNotCall',
      summary: 'Put many numbers on the do-not-call list',
      description:
        'Takes a list or the text of a CSV file. Rows that are no phone numbers are reported, and the others are added.',
      body: importDoNotCallRequest,
      status: 200,
      answer: importedDoNotCall,
    },
    async ({ doNotCall }, { caller, body }) => {
      const { rows, hasHeader } =
        body.csv === undefined ? { rows: body.phone_numbers ?? [], hasHeader: false } : firstColumn(body.csv);
      const skipped = hasHeader ? 1 : 0;
      const { added, alreadyListed, refused } = await doNotCall.import(caller, {
        rows: rows.slice(skipped),
        reason: body.reason,
      });
      return {
        added,
        already_listed: alreadyListed,
        refused_count: refused.length,
        refused: refused.slice(0, refusalsShown).map(({ row, error }) => ({ row: row + skipped, error })),
      };
    },
  ),
  route(
    {
      method: 'GET',
      path: '/do-not-call',
      auth: 'key',
      tag,
      operationId: 'listDoNotCall',
      summary: 'Numbers that are not called, newest first',
      query: doNotCallListQuery,
      status: 200,
      answer: doNotCallList,
      refusals: ['invalid_phone_number'],
    },
    async ({ doNotCall }, { caller, query }) => {
      const { items, nextCursor } = await doNotCall.list(
        caller,
        { phoneNumber: query.phone_number, lifted: query.lifted },
        pageOf(query),
      );
      return { entries: items.map(toEntry), next_cursor: nextCursor };
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/do-not-call/{phone_number}',
      auth: 'key',
      tag,
      operationId: 'liftDoNotCall',
      summary: 'Let a number be called again',
      description:
        'The entry stays on record, with the key that lifted it and the reason. Where the callee asked for no more calls, a reason is required.',
      query: liftDoNotCallQuery,
      status: 200,
      answer: doNotCallEntry,
      refusals: ['invalid_phone_number', 'forbidden', 'not_found'],
    },
    async ({ doNotCall }, { caller, parameters, query }) =>
      toEntry(await doNotCall.lift(caller, parameters.phone_number, { reason: query.reason })),
  ),
];

function toEntry(entry: DoNotCallEntry): DoNotCallEntryResource {
  return {
    id: entry.id,
    phone_number: entry.phoneNumber,
    source: entry.source,
    reason: entry.reason,
    call_id: entry.callId,
    added_by: entry.addedBy,
    created_at: entry.createdAt.toISOString(),
    lifted_at: entry.liftedAt?.toISOString() ?? null,
    lifted_by: entry.liftedBy,
    lift_reason: entry.liftReason,
  };
}
