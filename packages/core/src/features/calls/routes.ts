import {
  type CallDetail,
  type CallResource,
  type CallTransfer,
  callDetail,
  callList,
  callListQuery,
  callResource,
  promptCallRequest,
  promptCallResponse,
  triggerCallRequest,
  triggerCallResponse,
} from '@callkite/contract';
import type { CallRecord } from '../../calls/call-store.ts';
import type { VisitRecord } from '../../channels/web/web-call-store.ts';
import type { ErrorCode } from '../../kernel/errors.ts';
import type { HttpResponse } from '../../kernel/http.ts';
import { pageOf } from '../../kernel/page-query.ts';
import { routesOf } from '../../kernel/route.ts';
import { formFillsOf } from '../forms/form-fills.ts';
import type { CallForm } from '../forms/form-store.ts';
import type { Recordings } from '../recordings/recordings.ts';
import type { TransferRecord } from '../transfers/transfer-store.ts';
import type { Calls } from './calls.ts';
import type { AcceptedCall } from './idempotency.ts';

const { rawRoute, route } = routesOf<{ calls: Calls; recordings: Pick<Recordings, 'urlsOf'> }>();

const placingRefusals = [
  'invalid_phone_number',
  'destination_not_allowed',
  'number_opted_out',
  'spending_limit',
  'no_usable_number',
  'carrier_unavailable',
  'storage_unavailable',
  'request_in_progress',
] satisfies ErrorCode[];

export const callRoutes = [
  rawRoute(
    {
      method: 'POST',
      path: '/call',
      auth: 'key',
      tag: 'Calls',
      operationId: 'triggerCall',
      summary: 'Place a call that runs a workflow',
      body: triggerCallRequest,
      idempotent: true,
      status: 200,
      answer: triggerCallResponse,
      refusals: ['forbidden', 'not_found', ...placingRefusals],
    },
    async ({ calls }, { caller, body }) =>
      acceptedResponse(
        await calls.trigger(caller, {
          recipientPhone: body.recipient_phone,
          workflowId: body.workflow_id,
          recipientName: body.recipient_name,
          recipientEmail: body.recipient_email,
          recipientContext: body.recipient_context,
          idempotencyKey: body.idempotency_key,
        }),
      ),
  ),
  rawRoute(
    {
      method: 'POST',
      path: '/call-prompt',
      auth: 'key',
      tag: 'Calls',
      operationId: 'promptCall',
      summary: 'Place a call from a description of its task',
      description:
        'A workflow is generated from the prompt. With `callback_url` the result is posted there once; `GET /calls/{call_id}` tells it as well.',
      body: promptCallRequest,
      idempotent: true,
      status: 200,
      answer: promptCallResponse,
      refusals: placingRefusals,
    },
    async ({ calls }, { caller, body }) =>
      acceptedResponse(
        await calls.prompt(caller, {
          prompt: body.prompt,
          recipientPhone: body.recipient_phone,
          callbackUrl: body.callback_url,
          callbackSecret: body.callback_secret,
          idempotencyKey: body.idempotency_key,
        }),
      ),
  ),
  route(
    {
      method: 'GET',
      path: '/calls',
      auth: 'key',
      tag: 'Calls',
      operationId: 'listCalls',
      summary: 'List calls, newest first',
      query: callListQuery,
      status: 200,
      answer: callList,
    },
    async ({ calls, recordings }, { caller, query }) => {
      const page = await calls.list(
        caller,
        {
          ...(query.state && { state: query.state }),
          ...(query.call_status && { callStatus: query.call_status }),
          ...(query.workflow_id && { workflowId: query.workflow_id }),
          ...(query.to && { to: query.to }),
          ...(query.created_after && { createdAfter: query.created_after }),
          ...(query.created_before && { createdBefore: query.created_before }),
        },
        pageOf(query),
      );
      const urls = await recordings.urlsOf(page.items.map(({ id }) => id));
      return { calls: page.items.map((call) => toResource(call, urls)), next_cursor: page.nextCursor };
    },
  ),
  route(
    {
      method: 'GET',
      path: '/calls/{call_id}',
      auth: 'key',
      tag: 'Calls',
      operationId: 'getCall',
      summary: 'Where a call stands, its result and what was said',
      status: 200,
      answer: callDetail,
      refusals: ['not_found'],
    },
    async (services, { caller, parameters }) => {
      const found = await services.calls.get(caller, parameters.call_id);
      const { call, transcript, recordingConsent, forms, toolCalls, transfers, visit } = found;
      return {
        ...toResource(call, await services.recordings.urlsOf([call.id])),
        messages: transcript.map(({ role, content }) => ({ role, content })),
        recording_consent: recordingConsent,
        form_fills: formFillsOf(forms),
        form_answers: forms.flatMap(answersOf),
        tool_calls: toolCalls.map(({ name, status, at, durationMs }) => ({
          name,
          status,
          at: at.toISOString(),
          duration_ms: durationMs,
        })),
        transfers: transfers.map(toTransfer),
        visit: visit && toVisit(visit),
      };
    },
  ),
  route(
    {
      method: 'POST',
      path: '/calls/{call_id}/cancel',
      auth: 'key',
      tag: 'Calls',
      operationId: 'cancelCall',
      summary: 'Cancel a call that waits, or end one that is under way',
      status: 200,
      answer: callResource,
      refusals: ['not_found', 'conflict'],
    },
    async (services, { caller, parameters }) => {
      const canceled = await services.calls.cancel(caller, parameters.call_id);
      return toResource(canceled, await services.recordings.urlsOf([canceled.id]));
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/calls/{call_id}',
      auth: 'key',
      tag: 'Calls',
      operationId: 'eraseCall',
      summary: 'Erase what was said on a call and who it was with',
      description:
        'For good, once the call is over: recipient, prompt, transcript, summary, form values, inputs and results of tools, transfer messages, facts about a web visitor, numbers called, and bodies of notifications. Those that are pending are canceled. A recording is deleted at the carrier shortly after. Ids, times, statuses and durations stay, and so does an opt-out, as a keyed hash of the number. The workflow made for a prompt call goes too, unless a call that is not erased runs it. Repeating it changes nothing.',
      status: 200,
      answer: callResource,
      refusals: ['not_found', 'conflict'],
    },
    async (services, { caller, parameters }) => {
      return toResource(await services.calls.erase(caller, parameters.call_id), new Map());
    },
  ),
];

function acceptedResponse(accepted: AcceptedCall): HttpResponse {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (accepted.callId !== null) headers['callkite-call-id'] = accepted.callId;
  if (accepted.replayed) headers['idempotent-replayed'] = 'true';
  if (accepted.bodyMismatch) headers['idempotent-body-mismatch'] = 'true';
  return { status: accepted.status, headers, body: accepted.body };
}

function answersOf({ id, answers }: CallForm): CallDetail['form_answers'] {
  return answers.map(({ field, value, confirmed, quote, at }) => ({
    form_id: id,
    field,
    value: typeof value === 'object' ? [...value] : value,
    confirmed,
    quote,
    at: at.toISOString(),
  }));
}

function toTransfer(transfer: TransferRecord): CallTransfer {
  const tried = transfer.legs.filter(({ dialedAt, outcome }) => dialedAt !== null || outcome !== null);
  const rung = tried.filter(({ dialedAt }) => dialedAt !== null);
  const decisive = rung.find(({ outcome }) => outcome === 'connected') ?? rung.at(-1);
  return {
    integration_id: transfer.integrationId,
    integration: transfer.name,
    mode: transfer.mode,
    reason: transfer.reason,
    requested_at: transfer.requestedAt.toISOString(),
    outcome: transfer.outcome,
    to: decisive?.to ?? null,
    answered_seconds: decisive?.seconds ?? null,
    ended_at: transfer.endedAt?.toISOString() ?? null,
    message: transfer.message,
    legs: tried.map((leg) => ({
      to: leg.to,
      source: leg.source,
      outcome: leg.outcome,
      dialed_at: leg.dialedAt?.toISOString() ?? null,
      answered_at: leg.answeredAt?.toISOString() ?? null,
      ended_at: leg.endedAt?.toISOString() ?? null,
      seconds: leg.seconds,
    })),
  };
}

function toVisit(visit: VisitRecord): NonNullable<CallDetail['visit']> {
  return {
    kind: visit.kind,
    publishable_key_id: visit.keyId,
    origin: visit.origin,
    remote_address: visit.remoteAddress,
    page: visit.page,
    user_id: visit.user?.id ?? null,
    user_verified: visit.user?.verified ?? false,
    consent: visit.consent && { ...visit.consent },
    created_at: visit.createdAt.toISOString(),
  };
}

function toResource(call: CallRecord, recordingUrls: ReadonlyMap<string, string>): CallResource {
  return {
    call_id: call.id,
    mode: call.mode,
    origin: call.origin,
    workflow_id: call.workflowId,
    workflow_name: call.workflowName,
    workflow_version: call.workflowVersion,
    phone_number_from: call.from,
    phone_number_to: call.to,
    recipient_name: call.recipientName,
    recipient_email: call.recipientEmail,
    recipient_context: call.recipientContext,
    prompt: call.prompt,
    state: call.state,
    call_status: call.outcome?.callStatus ?? null,
    provider_status: call.outcome?.providerStatus ?? null,
    reason: call.reason,
    answered_by: call.answeredBy,
    cancel_requested: call.cancelRequested,
    call_summary: call.summary,
    recording_url: recordingUrls.get(call.id) ?? null,
    created_at: call.createdAt.toISOString(),
    answered_at: call.answeredAt?.toISOString() ?? null,
    ended_at: call.endedAt?.toISOString() ?? null,
    duration_seconds: call.durationSeconds,
    erased_at: call.erasedAt?.toISOString() ?? null,
  };
}
