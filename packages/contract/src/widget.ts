import * as z from 'zod';
import { callState } from './call-status.ts';
import {
  displayName,
  emailAddress,
  mode,
  nextCursor,
  phoneNumberText,
  resourceId,
  timestamp,
} from './fields.ts';

/**
 * Sub-protocol of the socket of web calls. `POST /widget/sessions` and `POST /widget/callbacks` are asked with `Authorization: Bearer ck_pub_…` from
 * a page of an allowed origin; their errors are `{error, code, details?}`.
 *
 * A session's socket is opened once, within 60 s, with the sub-protocols `call.v1` and `token.<token>`. The client
 * sends `start` within 10 s and gets `ready`; the call begins there. JSON travels as text frames. In an audio call each
 * binary frame is 20 ms of µ-law, 8 kHz, mono: 160 bytes, both ways; the server sends at most 400 ms ahead.
 *
 * Positions: the server counts what it sends after `ready`, binary frames too. `seq` of an event is its position, so a
 * client keeps one number: set it to `seq` on an event, add one on a binary frame. It says it in `ack`, about once a
 * second, and in `start.resume` on another socket with the same token, within 30 s of the loss; the server then goes on
 * right after it. In the other direction a client counts its `text`, `context`, `dtmf`, `mark` and `end` in `id`, from
 * 1: `ready.received` tells the last one that arrived, and those after it are sent again, in order.
 */
export const widgetProtocol = 'call.v1';

/** `https://host[:port]`, or `https://*.host[:port]` for every name below it. Plain http is for development. */
const allowedOrigin = z
  .string()
  .max(300)
  .regex(
    /^https?:\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:[0-9]{1,5})?$/,
    'an origin such as https://www.example.com, or https://*.example.com for every name below it',
  )
  .describe('As browsers send it: lower case, without a path and without the default port');

const country = z.string().regex(/^[A-Z]{2}$/, 'an ISO 3166-1 alpha-2 code such as US');

const publishableKeySettings = {
  name: displayName.describe('What the key is for, to tell it from others'),
  allowed_origins: z
    .array(allowedOrigin)
    .min(1)
    .max(50)
    .describe(
      'Pages that may use the key, by their origin; `https://*.example.com` stands for every name below it',
    )
    .meta({ examples: [['https://www.example.com']] }),
  workflow_ids: z.array(resourceId).min(1).max(50).describe('Ids of the workflows that visitors may start'),
  daily_calls: z
    .int()
    .min(1)
    .max(100_000)
    .describe('How many web calls and call-backs may begin in a UTC day'),
  callback_countries: z
    .array(country)
    .max(250)
    .describe(
      'Countries in which visitors may be called back, as ISO 3166-1 alpha-2 codes, among those the organization may call. Empty: no call-backs',
    )
    .meta({ examples: [['US']] }),
};

export const createPublishableKeyRequest = z.strictObject({
  ...publishableKeySettings,
  mode,
  daily_calls: publishableKeySettings.daily_calls.default(200),
  callback_countries: publishableKeySettings.callback_countries.default([]),
});
export type CreatePublishableKeyRequest = z.input<typeof createPublishableKeyRequest>;

/** What is absent stays as it is. */
export const updatePublishableKeyRequest = z.strictObject(publishableKeySettings).partial();
export type UpdatePublishableKeyRequest = z.input<typeof updatePublishableKeyRequest>;

/** A key for pages: it is public, and good for nothing but the widget's endpoints. */
export const publishableKeyResource = z.object({
  ...publishableKeySettings,
  id: z.string().describe('Id of the key'),
  mode,
  key: z.string().describe('The key itself, `ck_pub_…`. It goes into the page and is not secret'),
  created_at: timestamp.describe('When the key was created'),
  revoked_at: timestamp.nullable().describe('When the key was revoked; null while it is good'),
});
export type PublishableKeyResource = z.infer<typeof publishableKeyResource>;

export const createdPublishableKey = publishableKeyResource.extend({
  identity_secret: z
    .string()
    .describe(
      'Makes `user.hash` on your server; keep it off your pages. It is shown here and never again: store it now',
    ),
});
export type CreatedPublishableKey = z.infer<typeof createdPublishableKey>;

export const publishableKeyList = z.object({
  publishable_keys: z
    .array(publishableKeyResource)
    .describe('The keys of this page, newest first, revoked ones included'),
  next_cursor: nextCursor,
});
export type PublishableKeyList = z.infer<typeof publishableKeyList>;

/** What the visitor agreed to, word for word. Where and from which address is noted by the server. */
export const consent = z.object({
  text: z
    .string()
    .trim()
    .min(1)
    .max(4000)
    .describe('The sentence the visitor agreed to, exactly as it was shown'),
  version: z.string().trim().min(1).max(100).describe("The page's own name for this wording, such as a date"),
  time: z.iso.datetime({ offset: true }).describe("When the visitor agreed, by the visitor's clock"),
});
export type Consent = z.infer<typeof consent>;

const visitor = {
  workflow_id: resourceId.describe('The workflow to start, one of those the key is for'),
  name: z.string().trim().min(1).max(200).optional().describe("The visitor's name, for the agent to use"),
  email: emailAddress.optional().describe("The visitor's email address"),
  variables: z
    .record(z.string().min(1).max(64), z.string().max(500))
    .optional()
    .describe(
      'What the page knows about the visitor, by name. The agent gets those that the workflow lists in `definition.web.variables`; others are dropped',
    )
    .meta({ examples: [{ plan: 'Premium' }] }),
  user: z
    .object({
      id: z.string().min(1).max(200).describe("Your site's id of the user"),
      hash: z
        .string()
        .regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits')
        .optional()
        .describe(
          'HMAC-SHA256 of `id` with the identity secret of the key, in hexadecimal, made on your server. Without it the id counts as unverified',
        ),
    })
    .optional()
    .describe('Who is signed in on the page'),
  page: z.url().max(2048).optional().describe('Address of the page that shows the widget'),
};

/** Body of `POST /widget/sessions`. Fields it does not know are ignored. */
export const widgetSessionRequest = z.object({
  ...visitor,
  media: z
    .enum(['audio', 'text'])
    .default('audio')
    .describe('`audio`: the visitor talks. `text`: the visitor writes, and the microphone is not used'),
  consent: consent.optional().describe('What the visitor agreed to before the call, word for word'),
});
export type WidgetSessionRequest = z.input<typeof widgetSessionRequest>;

export const audioCodec = z.literal('mulaw/8000').describe('µ-law, 8 kHz, mono');
export type AudioCodec = z.infer<typeof audioCodec>;

export const widgetSession = z.object({
  call_id: z.string().describe('Id of the call that begins with the socket'),
  token: z
    .string()
    .describe('Opens the socket once, within `expires_in_seconds`; afterwards it resumes this call'),
  expires_in_seconds: z.int().describe('How long the token can open the socket, in seconds'),
  url: z.string().describe('Address of the socket, `wss://…/widget/socket`'),
  transport: z.enum(['text', 'audio']).describe('`audio`: sound both ways. Typing works in both'),
  codecs: z.array(audioCodec).describe('How sound is encoded; empty for `text`'),
  language: z.string().describe('BCP-47 tag of the language the agent speaks'),
  agent_name: z.string().nullable().describe('Name of the agent; null when the workflow gives none'),
});
export type WidgetSession = z.infer<typeof widgetSession>;

/** Answer of `POST /widget/settings`. */
export const widgetSettings = z.object({
  callback_countries: z
    .array(country)
    .describe('Where visitors may be called back with this key, as country codes; empty when nowhere'),
});
export type WidgetSettings = z.infer<typeof widgetSettings>;

/** Body of `POST /widget/callbacks`. Fields it does not know are ignored. */
export const widgetCallbackRequest = z.object({
  ...visitor,
  phone: phoneNumberText.describe('The number to call, in E.164 form, in a country the key calls back'),
  when: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('When to call, at most seven days ahead. ISO 8601 with a zone; immediately when absent'),
  consent: consent.describe('What the visitor agreed to, word for word. No one is called back without it'),
});
export type WidgetCallbackRequest = z.input<typeof widgetCallbackRequest>;

export const widgetCallback = z.object({
  call_id: z.string().describe('Id of the call'),
  token: z
    .string()
    .describe(
      'Bearer token for `GET /widget/callbacks/{call_id}`, which returns the state of the call, and for `DELETE`, which cancels it',
    ),
});
export type WidgetCallback = z.infer<typeof widgetCallback>;

/** Where a call-back stands. Of its end a page learns whether it reached the visitor and nothing more. */
export const widgetCallbackState = z.object({
  call_id: z.string().describe('Id of the call'),
  state: callState,
  result: z
    .enum(['reached', 'missed', 'canceled', 'failed'])
    .nullable()
    .describe(
      'Whether the visitor was reached; null until the call is completed. `missed`: nobody answered, the line was busy, or a machine answered. `failed`: the phone did not ring',
    ),
});
export type WidgetCallbackState = z.infer<typeof widgetCallbackState>;

/** Body of the errors of the widget's endpoints. Codes: see `WidgetErrorCode`. */
export const widgetErrorBody = z.object({
  error: z.string().describe('What is wrong and what to do about it, for people to read'),
  code: z.string().describe('Stable code of the error, for programs'),
  details: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Only when validation failed: messages by field'),
});
export type WidgetErrorBody = z.infer<typeof widgetErrorBody>;

/**
 * What the widget's endpoints refuse with. 400: `validation_failed`, `malformed_request`, `invalid_phone_number`,
 * `destination_not_allowed` (also: no call-backs in this country), `number_opted_out`. 401 `unauthenticated`: the key
 * or token is unknown or revoked. 403 `origin_not_allowed`; 403 `workflow_disabled`: not bound to the key, or gone; 403
 * `forbidden`: `user.hash` is wrong. 404 `not_found`. 429 `rate_limited`, with `Retry-After`: too often from this
 * address, with this key or to this number, or today's budget is spent. 429 `spending_limit`, with `Retry-After`: the
 * organization makes no more phone calls today. 503 `no_usable_number`, `carrier_unavailable`, `storage_unavailable`.
 * 500 `internal`.
 */
export type WidgetErrorCode =
  | 'validation_failed'
  | 'malformed_request'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'invalid_phone_number'
  | 'destination_not_allowed'
  | 'number_opted_out'
  | 'unauthenticated'
  | 'origin_not_allowed'
  | 'workflow_disabled'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'rate_limited'
  | 'spending_limit'
  | 'no_usable_number'
  | 'carrier_unavailable'
  | 'storage_unavailable'
  | 'internal';

const position = z.int().min(0).describe('Position in what the server sends');
const messageId = z.int().min(1).describe('Counts these messages of the client, from 1');

/** What a client sends, one JSON object per text frame, at most 16 KB. */
export const widgetClientEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('start'),
    resume: position
      .nullable()
      .describe('`null` begins the call; otherwise the last position that was received'),
    media: z
      .enum(['audio', 'text'])
      .describe('`text` also where the microphone was refused. Stays when resumed'),
    codecs: z.array(z.string().max(40)).max(10).default([]).describe('Codecs the client can play'),
    lang: z.string().max(35).nullish().describe("BCP-47 tag of the visitor's language"),
    tz: z.string().max(64).nullish().describe("The visitor's time zone, such as Europe/Berlin"),
  }),
  z.object({
    type: z.literal('text'),
    id: messageId,
    text: z.string().min(1).max(2000).describe('What the visitor typed'),
  }),
  z.object({
    type: z.literal('context'),
    id: messageId,
    text: z.string().min(1).max(2000).describe('For the agent to know; it does not reply'),
  }),
  z.object({
    type: z.literal('dtmf'),
    id: messageId,
    digit: z
      .string()
      .regex(/^[0-9*#]$/)
      .describe('The key that was pressed'),
  }),
  z.object({
    type: z.literal('mark'),
    id: messageId,
    name: z.string().max(64).describe('A mark of the server, once all sound before it was played'),
  }),
  z.object({
    type: z.literal('mute'),
    on: z
      .boolean()
      .describe(
        'A muted client sends no sound, and for five minutes the agent does not ask whether the visitor is still there. Sent again on every socket',
      ),
  }),
  z.object({
    type: z.literal('pause'),
    on: z
      .boolean()
      .describe(
        'On hold: sound is kept back, and for five minutes the agent does not ask whether the visitor is still there. Sent again on every socket',
      ),
  }),
  z.object({ type: z.literal('ack'), seq: position.describe('The last position that was received') }),
  z.object({
    type: z.literal('end'),
    id: messageId,
    reason: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe("The page's reason for the end; kept in the context of the call"),
  }),
]);
export type WidgetClientEvent = z.input<typeof widgetClientEvent>;

/** Why a call ended, as the visitor is told. */
export const widgetEndReason = z.enum([
  'agent',
  'visitor',
  'silence',
  'time_limit',
  'opted_out',
  'canceled',
  'unavailable',
]);
export type WidgetEndReason = z.infer<typeof widgetEndReason>;

const milliseconds = z.int().min(0).describe('Milliseconds since the call began');

/** What the server sends, one JSON object per text frame. All but `ready` and `error` count as positions. */
export const widgetServerEvent = z.discriminatedUnion('type', [
  /** First on every socket. What comes after it has the positions from `seq + 1` on. */
  z.object({
    type: z.literal('ready'),
    call_id: z.string().describe('Id of the call'),
    seq: position,
    received: z.int().min(0).describe("The last of the client's ids that arrived; 0 for none"),
    resumed: z.boolean().describe('Whether the call goes on from an earlier socket'),
    media: z.enum(['audio', 'text']).describe('Whether there is sound'),
    codec: audioCodec.nullable().describe('How sound is encoded; null without sound'),
  }),
  z.object({
    type: z.literal('status'),
    seq: position,
    status: z.enum(['listening', 'thinking', 'speaking', 'ending']).describe('What the agent is doing'),
  }),
  /** What was said; the newest event of an id counts. After an interruption the final text is what was heard. */
  z.object({
    type: z.literal('transcript'),
    seq: position,
    id: z.string().describe('Id of the line; lines are in the order in which their ids first appear'),
    role: z.enum(['assistant', 'user']).describe('Who said it'),
    text: z.string().describe('The whole line as far as it is known'),
    final: z.boolean().describe('Whether the line is complete'),
    start_ms: milliseconds,
    end_ms: milliseconds.nullable().describe('Milliseconds since the call began; null while it goes on'),
    message_id: messageId.nullable().describe('For a typed line the `id` of its `text`; otherwise null'),
  }),
  /** To be sent back once everything before it was played. */
  z.object({
    type: z.literal('mark'),
    seq: position,
    name: z.string().describe('What to send back in `mark`'),
  }),
  /** Barge-in: drop the sound that is not played yet, and its marks. */
  z.object({ type: z.literal('clear'), seq: position }),
  /** The agent uses a tool of the server, with the arguments the model gave. */
  z.object({
    type: z.literal('tool'),
    seq: position,
    name: z.string().describe('Name of the tool'),
    args: z.record(z.string(), z.unknown()).describe('Arguments by name'),
  }),
  /** The call is over; the socket closes with 1000. */
  z.object({
    type: z.literal('end'),
    seq: position,
    reason: widgetEndReason.describe('Why the call ended'),
    duration_ms: milliseconds.describe('How long the call lasted, in milliseconds'),
  }),
  /** A message was refused; the call goes on. `message_id` where it is known. */
  z.object({
    type: z.literal('error'),
    code: z.enum(['invalid_message', 'too_fast', 'call_ending']).describe('Why the message was refused'),
    message: z.string().describe('The same for people to read'),
    message_id: messageId.nullable().describe('The `id` of the message; null when it is not known'),
  }),
]);
export type WidgetServerEvent = z.infer<typeof widgetServerEvent>;

/**
 * Close codes of the socket. After 1000 and 4xxx a client does not try again; after any other it resumes, at once and
 * then with growing pauses, for 30 s.
 */
export const widgetCloseCodes = {
  /** The call is over. */
  ended: 1000,
  /** Too many malformed messages, or sound in a text call. */
  protocol: 4400,
  /** The token is unknown, expired or used. */
  unauthenticated: 4401,
  /** Another page than the one the session was made for. */
  origin: 4403,
  /** No `start` in time. */
  idle: 4408,
  /** Another socket of the same call took over. */
  replaced: 4409,
  /** There is nothing to resume: the call is over, or what was missed is not kept any more. */
  gone: 4410,
  /** The server is full, or today's budget is spent. */
  busy: 4429,
} as const;
