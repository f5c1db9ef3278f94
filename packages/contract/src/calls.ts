import * as z from 'zod';
import { callReason, callState, callStatus, providerStatus } from './call-status.ts';
import {
  emailAddress,
  mode,
  nextCursor,
  pageQuery,
  phoneNumberText,
  resourceId,
  timestamp,
} from './fields.ts';
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
    'Protects against ringing somebody twice: a request with the same key within 5 minutes gets the first answer again, and no call is placed. Keys are scoped to the organization',
  );

/** Body of `POST /call`. Fields it does not know are ignored. */
export const triggerCallRequest = z.object({
  recipient_phone: phoneNumberText.describe('The number to call, in E.164 form'),
  workflow_id: z
    .string()
    .min(1)
    .max(200)
    .describe('The workflow to run; `GET /workflows` lists them')
    .meta({ examples: ['wf_01kag0n5v8qx3t7m2d9e4b6c8f'] }),
  recipient_name: z
    .string()
    .max(200)
    .optional()
    .describe('Name of the person to call, as the agent should say it')
    .meta({ examples: ['Jamie Doe'] }),
  recipient_email: emailAddress
    .optional()
    .describe('Email address of the person to call. Recommended for calls that book a meeting')
    .meta({ examples: ['jamie@example.com'] }),
  recipient_context: z
    .string()
    .max(10_000)
    .optional()
    .describe('What else the agent should know about this person or this call, in plain words')
    .meta({ examples: ['Ordered a blue bicycle on Monday.'] }),
  idempotency_key: idempotencyKey.optional(),
});
export type TriggerCallRequest = z.input<typeof triggerCallRequest>;

export const triggerCallResponse = z.object({
  success: z.boolean().describe('`true`: the call was accepted and will be placed'),
  message: z.string().describe('A short confirmation for people to read'),
});
export type TriggerCallResponse = z.infer<typeof triggerCallResponse>;

/** Body of `POST /call-prompt`. Fields it does not know are ignored. */
export const promptCallRequest = z.object({
  prompt: z
    .string()
    .trim()
    .min(1)
    .max(4000)
    .describe('The task in plain words: whom to call, what about, when, where, and any specifics')
    .meta({
      examples: ['Ask the bakery whether the cake for Sunday, ordered as Doe, can be picked up at nine.'],
    }),
  recipient_phone: phoneNumberText.describe('The number to call, in E.164 form'),
  // Which addresses are acceptable is decided by the guard on outbound addresses, in one place.
  callback_url: z
    .string()
    .min(1)
    .max(2048)
    .optional()
    .meta({
      format: 'uri',
      description:
        'HTTPS address that gets the result in one POST when the call is over, however it ended. Sent once, and given up after 30 seconds. Private and reserved addresses are refused',
      examples: ['https://example.com/call-results'],
    }),
  callback_secret: z
    .string()
    .min(1)
    .max(1000)
    // Blanks at the ends of a header do not arrive.
    .regex(
      /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/,
      'must be printable ASCII that neither begins nor ends in a blank',
    )
    .optional()
    .describe(
      'Sent with the callback as `Authorization: Bearer <callback_secret>`, so that its receiver can check where it comes from. Printable ASCII that neither begins nor ends in a blank',
    ),
  idempotency_key: idempotencyKey.optional(),
});
export type PromptCallRequest = z.input<typeof promptCallRequest>;

export const promptCallResponse = z.object({
  success: z.boolean().describe('`true`: the call was accepted and will be placed'),
  workflow_id: z.string().describe('Id of the workflow that is generated from the prompt'),
  call_id: z.string().describe('Id of the call, for `GET /calls/{call_id}`'),
});
export type PromptCallResponse = z.infer<typeof promptCallResponse>;

/** A call as it stands. The two statuses are null until `state` is `completed`. */
export const callResource = z.object({
  call_id: z.string().describe('Id of the call'),
  mode,
  origin: z
    .enum(['workflow', 'prompt'])
    .describe('How the call was requested: with a workflow, or with a prompt'),
  workflow_id: z.string().describe('Id of the workflow that the call runs'),
  workflow_name: z.string().describe('Name of that workflow when the call was accepted'),
  workflow_version: z
    .int()
    .describe('Version of the workflow that the call runs, also once the workflow has been changed'),
  phone_number_from: z
    .string()
    .describe('The number the call goes out from, in E.164 form; `browser` for a web call'),
  phone_number_to: z
    .string()
    .describe('The number called, in E.164 form; `browser` for a web call, `erased` once the call is erased'),
  recipient_name: z.string().nullable().describe('As the request gave it; null when it gave none'),
  recipient_email: z.string().nullable().describe('As the request gave it; null when it gave none'),
  recipient_context: z.string().nullable().describe('As the request gave it; null when it gave none'),
  prompt: z.string().nullable().describe('The task of a prompt call; null for other calls'),
  state: callState,
  call_status: callStatus.nullable().describe('The outcome of the call; null until `state` is `completed`'),
  provider_status: providerStatus
    .nullable()
    .describe("How the call ended on the carrier's side; null until `state` is `completed`"),
  reason: callReason
    .nullable()
    .describe('Why the call ended this way, where the two statuses alone do not say; otherwise null'),
  answered_by: z
    .enum(['human', 'machine', 'fax', 'unknown'])
    .nullable()
    .describe('Who or what answered; null until that is known, and where nobody answered'),
  cancel_requested: z.boolean().describe('Whether the call was canceled through the API'),
  call_summary: z
    .string()
    .nullable()
    .describe(
      'What happened, in a few sentences. Written shortly after the call ended, null until then; empty once erased',
    ),
  recording_url: z
    .url()
    .nullable()
    .describe('Where to fetch the recording. Valid for 15 minutes, without a key; null when there is none'),
  created_at: timestamp.describe('When the call was accepted'),
  answered_at: timestamp.nullable().describe('When it was answered; null while it is not'),
  ended_at: timestamp.nullable().describe('When it ended; null while it goes on'),
  duration_seconds: z
    .number()
    .nullable()
    .describe('How long the call lasted once it was answered, in seconds; null until that is known'),
  erased_at: timestamp.nullable().describe('When its content was erased; null when it was not'),
});
export type CallResource = z.infer<typeof callResource>;

const formAnswer = z.object({
  form_id: z.string().describe('Id of the form'),
  field: z.string().describe('Name of the field'),
  value: formValue.describe('The value, as in `form_fills`'),
  confirmed: z
    .boolean()
    .describe(
      'Email addresses, phone numbers and numbers are read back to the person: `false` until they agreed',
    ),
  quote: z.string().describe("The person's own words; empty where they are not kept"),
  at: timestamp.describe('When the agent noted the value'),
});

const toolCall = z.object({
  name: z.string().describe('Name of the tool'),
  status: z.enum(['running', 'ok', 'failed']).describe('How the tool fared'),
  at: timestamp.describe('When the agent called the tool'),
  duration_ms: z.number().nullable().describe('How long it took, in milliseconds; null while it runs'),
});

const visit = z
  .object({
    kind: z
      .enum(['call', 'callback'])
      .describe('`call`: the visitor talked on the page. `callback`: they asked to be phoned'),
    publishable_key_id: z.string().describe('Id of the publishable key that the page used'),
    origin: z.string().describe('Origin of the page, as the browser reported it'),
    remote_address: z.string().nullable().describe("The visitor's IP address; null when it is not known"),
    page: z.string().nullable().describe('Address of the page, as the page gave it; null when it gave none'),
    user_id: z.string().nullable().describe("The page's id of its user; null when it gave none"),
    user_verified: z.boolean().describe('Whether your server vouched for `user_id`, with `user.hash`'),
    consent: consent.nullable().describe('What the visitor agreed to; null when nothing was asked'),
    created_at: timestamp.describe('When the visitor asked'),
  })
  .describe('What a visitor of a web page asked for and agreed to');

/** A call with what was said in it. */
export const callDetail = callResource.extend({
  messages: z
    .array(message)
    .describe(
      'What was said so far, in order. Empty once the call is over where `recording_consent` is `refused`',
    ),
  recording_consent: z
    .enum(['given', 'refused', 'missing', 'withdrawn'])
    .nullable()
    .describe(
      'Whether the call may be recorded. `refused`: a person said no. `missing`: nobody could be asked, or the answer was unclear. `withdrawn`: given first, and the call was erased later. null before a decision, and where nothing was to be recorded',
    ),
  form_fills: z.array(formFill).describe('The forms of the workflow with the values collected so far'),
  form_answers: z.array(formAnswer).describe('Where each value of `form_fills` comes from'),
  tool_calls: z.array(toolCall).describe('Every use of a custom tool of this server, in order'),
  transfers: z.array(callTransfer).describe('Every attempt to hand the call over to a person, in order'),
  visit: visit
    .nullable()
    .describe(
      'For calls that began on a web page: who asked, where, and what they agreed to; otherwise null',
    ),
});
export type CallDetail = z.infer<typeof callDetail>;

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const callListQuery = pageQuery.extend({
  state: callState.optional().describe('Only calls in this state'),
  call_status: callStatus.optional().describe('Only calls that ended with this outcome'),
  workflow_id: resourceId.optional().describe('Only calls of this workflow'),
  // An unescaped "+" in a query string means a blank, and nearly everybody forgets to escape it.
  to: z
    .string()
    .max(64)
    .transform((text) => text.replace(/^ /, '+'))
    .optional()
    .describe('Only calls to this number, in E.164 form'),
  created_after: instant
    .optional()
    .describe('Only calls accepted after this time. ISO 8601 with a zone')
    .meta({ examples: ['2026-11-21T00:00:00Z'] }),
  created_before: instant
    .optional()
    .describe('Only calls accepted before this time. ISO 8601 with a zone')
    .meta({ examples: ['2026-11-22T00:00:00Z'] }),
});
export type CallListQuery = z.input<typeof callListQuery>;

export const callList = z.object({
  calls: z.array(callResource).describe('The calls of this page, newest first'),
  next_cursor: nextCursor,
});
export type CallList = z.infer<typeof callList>;
