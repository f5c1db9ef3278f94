import * as z from 'zod';
import { type CallOutcome, type CallReason, callReason, callStatus, providerStatus } from './call-status.ts';

/** One thing said in a call. For the assistant: what the callee heard. */
export const message = z.object({
  role: z
    .enum(['assistant', 'user'])
    .describe('`assistant`: the agent. `user`: the person on the phone or on the page'),
  content: z.string().describe('What was said. Of the agent: as much as the person heard'),
});
export type Message = z.infer<typeof message>;

/** Numbers for number fields, lists for multi-selects, text for the others. */
export const formValue = z.union([z.string(), z.number(), z.array(z.string())]);

/** A form the agent filled in during a call: every field, null for what was not collected. */
export const formFill = z.object({
  title: z.string().describe('Title of the form'),
  values: z
    .record(z.string(), formValue.nullable())
    .describe(
      'Every field of the form by its name: a number for number fields, a list for multi-selects, text for all others, and null for what was not collected',
    ),
});
export type FormFill = z.infer<typeof formFill>;

const reason = callReason
  .nullable()
  .describe('Why the call ended this way, where the statuses do not say; null otherwise');

/** What is posted, once, to the `callback_url` of a prompt call. */
export const callbackPayload = z.object({
  call_id: z.string().describe('Id of the call'),
  workflow_id: z.string().describe('Id of the workflow that was generated from the prompt'),
  call_status: callStatus,
  provider_status: providerStatus,
  reason,
  call_summary: z.string().describe('What happened, in a few sentences'),
  messages: z.array(message).describe('The transcript, in order; may be empty'),
  context: z.null().describe('Always null'),
  form_fills: z.array(formFill).describe('The forms filled in during the call; may be empty'),
  created_at: z.iso
    .datetime({ precision: 3 })
    .describe('When the call was accepted. ISO 8601, UTC, with milliseconds and `Z`'),
});
export type CallbackPayload = z.infer<typeof callbackPayload>;

/** What is posted, signed, to the webhook integrations of a workflow when one of its calls completes. */
export const webhookPayload = z.object({
  call_id: z
    .string()
    .describe('Id of the call. The same webhook may arrive more than once: deduplicate by this id'),
  workflow_id: z.string().describe('Id of the workflow that ran'),
  workflow_name: z.string().describe('Name of that workflow'),
  phone_number_from: z
    .string()
    .describe('The number the call went out from, in E.164 form; `browser` for a web call'),
  phone_number_to: z.string().describe('The number called, in E.164 form; `browser` for a web call'),
  call_status: callStatus,
  reason,
  call_summary: z.string().describe('What happened, in a few sentences'),
  messages: z.array(message).describe('The whole transcript, in order; may be empty'),
  context: z
    .string()
    .describe(
      'JSON text to parse: an object with `name`, `email`, `number` and `context`, as the request gave them, null where it gave none',
    ),
  form_fills: z
    .array(formFill)
    .optional()
    .describe('The forms filled in during the call. Only for workflows that contain forms'),
  created_at: z.iso
    .datetime({ local: true, precision: 3 })
    .describe('When the call was accepted. ISO 8601, UTC, with milliseconds and without a zone suffix'),
});
export type WebhookPayload = z.infer<typeof webhookPayload>;

/** What both payloads tell about a call that is over. A `CallRecord` of a completed call fits. */
export interface CompletedCall {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string;
  /** E.164, or `browser` */
  readonly from: string;
  /** E.164, or `browser` */
  readonly to: string;
  readonly recipientName: string | null;
  readonly recipientEmail: string | null;
  readonly recipientContext: string | null;
  readonly createdAt: Date;
}

/** Everything the two payloads are made of. */
export interface CallResult {
  readonly call: CompletedCall;
  readonly outcome: CallOutcome;
  readonly reason: CallReason | null;
  readonly summary: string;
  readonly transcript: readonly Message[];
  /** `null` when the workflow contains no forms. */
  readonly formFills: readonly FormFill[] | null;
}

const messagesOf = (transcript: readonly Message[]): Message[] =>
  transcript.map(({ role, content }) => ({ role, content }));

/** The body of a prompt call's callback. */
export function formatCallback(result: CallResult): CallbackPayload {
  const { call, outcome } = result;
  return {
    call_id: call.id,
    workflow_id: call.workflowId,
    call_status: outcome.callStatus,
    provider_status: outcome.providerStatus,
    reason: result.reason,
    call_summary: result.summary,
    messages: messagesOf(result.transcript),
    context: null,
    form_fills: [...(result.formFills ?? [])],
    created_at: call.createdAt.toISOString(),
  };
}

/** The body of a workflow call's webhook. */
export function formatWebhook(result: CallResult): WebhookPayload {
  const { call, outcome, formFills } = result;
  return {
    call_id: call.id,
    workflow_id: call.workflowId,
    workflow_name: call.workflowName,
    phone_number_from: call.from,
    phone_number_to: call.to,
    call_status: outcome.callStatus,
    reason: result.reason,
    call_summary: result.summary,
    messages: messagesOf(result.transcript),
    context: JSON.stringify({
      name: call.recipientName,
      email: call.recipientEmail,
      number: call.to,
      context: call.recipientContext,
    }),
    ...(formFills === null ? {} : { form_fills: [...formFills] }),
    created_at: call.createdAt.toISOString().slice(0, -1),
  };
}

/** The stored body of a callback or webhook without what was said; an emptied body stays as it is. */
export function withoutMessages(body: string): string {
  return body === '' ? body : JSON.stringify({ ...JSON.parse(body), messages: [] });
}
