import * as z from 'zod';
import { callReason, callState, callStatus, providerStatus } from './call-status.ts';
import { mode, nextCursor, pageQuery, phoneNumberText, resourceId, timestamp } from './fields.ts';
import { formFill, formValue, message } from './notifications.ts';
import { callTransfer } from './transfers.ts';
import { consent } from './widget.ts';

// Control characters are refused: keys appear in headers and logs of clients and proxies.
const idempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
  .describe(
    'Repeating a request with the same key within 5 minutes returns the first answer and places no call',
  );

/** Body of `POST /call`. Fields it does not know are ignored. */
export const triggerCallRequest = z.object({
  recipient_phone: phoneNumberText,
  workflow_id: z.string().min(1).max(200).describe('Workflow to run, from `GET /workflows`'),
  recipient_name: z.string().max(200).optional(),
  recipient_email: z.email().max(320).optional().describe('Recommended for calls that book a meeting'),
  recipient_context: z.string().max(10_000).optional().describe('What else the agent should know'),
  idempotency_key: idempotencyKey.optional(),
});
export type TriggerCallRequest = z.input<typeof triggerCallRequest>;

export const triggerCallResponse = z.object({ success: z.boolean(), message: z.string() });
export type TriggerCallResponse = z.infer<typeof triggerCallResponse>;

/** Body of `POST /call-prompt`. Fields it does not know are ignored. */
export const promptCallRequest = z.object({
  prompt: z.string().trim().min(1).max(4000).describe('The task: who, what, when, where, specifics'),
  recipient_phone: phoneNumberText,
  // Which addresses are acceptable is decided by the guard on outbound addresses, in one place.
  callback_url: z.string().min(1).max(2048).optional().meta({
    format: 'uri',
    description: 'HTTPS address that receives the result; private and reserved addresses are refused',
  }),
  callback_secret: z
    .string()
    .min(1)
    .max(1000)
    .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
    .optional()
    .describe('Sent with the callback as `Authorization: Bearer …`'),
  idempotency_key: idempotencyKey.optional(),
});
export type PromptCallRequest = z.input<typeof promptCallRequest>;

export const promptCallResponse = z.object({
  success: z.boolean(),
  workflow_id: z.string(),
  call_id: z.string(),
});
export type PromptCallResponse = z.infer<typeof promptCallResponse>;

/** A call as it stands. The two statuses are null until `state` is `completed`. */
export const callResource = z.object({
  call_id: z.string(),
  mode,
  origin: z.enum(['workflow', 'prompt']),
  workflow_id: z.string(),
  workflow_name: z.string(),
  workflow_version: z.int(),
  phone_number_from: z.string().describe('E.164, or `browser` for a web call'),
  phone_number_to: z.string().describe('E.164, `browser` for a web call, or `erased`'),
  recipient_name: z.string().nullable(),
  recipient_email: z.string().nullable(),
  recipient_context: z.string().nullable(),
  prompt: z.string().nullable(),
  state: callState,
  call_status: callStatus.nullable(),
  provider_status: providerStatus.nullable(),
  reason: callReason.nullable().describe('Why the call ended so, where the statuses alone do not say'),
  answered_by: z.enum(['human', 'machine', 'fax', 'unknown']).nullable(),
  cancel_requested: z.boolean(),
  call_summary: z.string().nullable().describe('Written shortly after the call ended; empty once erased'),
  recording_url: z
    .url()
    .nullable()
    .describe('Address of the recording, valid for 15 minutes and without a key; null when there is none'),
  created_at: timestamp,
  answered_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  duration_seconds: z.number().nullable(),
  erased_at: timestamp.nullable().describe('When its content was erased'),
});
export type CallResource = z.infer<typeof callResource>;

const formAnswer = z.object({
  form_id: z.string(),
  field: z.string(),
  value: formValue,
  confirmed: z
    .boolean()
    .describe('E-mail addresses, phone numbers and numbers are read back; `false` until the callee agreed'),
  quote: z.string().describe("The callee's words; empty where they are not kept"),
  at: timestamp,
});

const toolCall = z.object({
  name: z.string(),
  status: z.enum(['running', 'ok', 'failed']),
  at: timestamp,
  duration_ms: z.number().nullable(),
});

const visit = z
  .object({
    kind: z.enum(['call', 'callback']),
    publishable_key_id: z.string(),
    origin: z.string().describe('Of the page, as the browser vouches for it'),
    remote_address: z.string().nullable(),
    page: z.string().nullable(),
    user_id: z.string().nullable(),
    user_verified: z.boolean().describe('Your server vouched for `user_id`'),
    consent: consent.nullable(),
    created_at: timestamp,
  })
  .describe('What a visitor of a web page asked for, and agreed to');

/** A call with what was said in it. */
export const callDetail = callResource.extend({
  messages: z.array(message).describe('Empty once the call is over where `recording_consent` is `refused`'),
  recording_consent: z
    .enum(['given', 'refused', 'missing', 'withdrawn'])
    .nullable()
    .describe(
      '`refused` by a person, `missing` where nobody could be asked or answered clearly, `withdrawn` by the erasure of the call; null before a decision and where nothing was to be recorded',
    ),
  form_fills: z.array(formFill),
  form_answers: z.array(formAnswer).describe('Where each value of `form_fills` comes from'),
  tool_calls: z.array(toolCall).describe("Uses of the server's own tools"),
  transfers: z.array(callTransfer).describe('Handing the call over to a person, in the order it was tried'),
  visit: visit.nullable(),
});
export type CallDetail = z.infer<typeof callDetail>;

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const callListQuery = pageQuery.extend({
  state: callState.optional(),
  call_status: callStatus.optional(),
  workflow_id: resourceId.optional(),
  // An unescaped "+" in a query string means a blank, and nearly everybody forgets to escape it.
  to: z
    .string()
    .max(64)
    .transform((text) => text.replace(/^ /, '+'))
    .optional()
    .describe('E.164 phone number'),
  created_after: instant.optional(),
  created_before: instant.optional(),
});
export type CallListQuery = z.input<typeof callListQuery>;

export const callList = z.object({ calls: z.array(callResource), next_cursor: nextCursor });
export type CallList = z.infer<typeof callList>;
