import * as z from 'zod';
import { displayName, nextCursor, phoneNumberText, timestamp } from './fields.ts';

/** `cold`: whoever answers has the callee on the line. `warm`: they hear what it is about first, and may refuse. */
export const transferMode = z.enum(['cold', 'warm']);
export type TransferMode = z.infer<typeof transferMode>;

/** What came of ringing somebody. `call_ended`: the call was over before anybody took it. */
export const transferOutcome = z.enum([
  'connected',
  'refused',
  'no_answer',
  'busy',
  'failed',
  'not_allowed',
  'call_ended',
]);
export type TransferOutcome = z.infer<typeof transferOutcome>;

/** Where a number comes from: the integration, its dynamic address, or its list of fallbacks. */
export const transferLegSource = z.enum(['static', 'dynamic', 'fallback']);
export type TransferLegSource = z.infer<typeof transferLegSource>;

const fields = {
  name: displayName
    .max(80)
    .regex(/^\P{Cc}*$/u, 'must be one line')
    .describe('Whom the agent transfers to, as it speaks of them: "Billing", "a colleague"'),
  mode: transferMode.describe(
    '`warm`: whoever answers first hears what the call is about, and accepts with the key 1 or a spoken yes. `cold`: whoever answers is connected immediately',
  ),
  phone_number: phoneNumberText.describe(
    'The number to ring, in E.164 form, where `transfer_url` gives no other. In a country the organization may call',
  ),
  // Which addresses are acceptable is decided by the guard on outbound addresses, in one place.
  transfer_url: z
    .string()
    .min(1)
    .max(2048)
    .nullable()
    .meta({
      format: 'uri',
      description:
        'HTTPS address that is asked for the number at the moment of transfer. It gets `{"number": "…"}` in a POST, the number of the person on the phone, and answers `{"transferNumber": "…"}`. With any other answer, or none within 5 seconds, `phone_number` is rung. null: always ring `phone_number`',
      examples: ['https://example.com/who-is-on-duty'],
    }),
  fallback_numbers: z
    .array(phoneNumberText)
    .max(5)
    .describe('Numbers to ring, in this order, when the first one does not take the call')
    .meta({ examples: [['+12025550161']] }),
  ring_seconds: z.int().min(5).max(120).describe('How long each number may ring, in seconds'),
  take_messages: z
    .boolean()
    .describe('Whether the agent offers to take a message when no one takes the call'),
};

export const createTransferIntegrationRequest = z.strictObject({
  ...fields,
  mode: fields.mode.default('warm'),
  transfer_url: fields.transfer_url.default(null),
  fallback_numbers: fields.fallback_numbers.default([]),
  ring_seconds: fields.ring_seconds.default(25),
  take_messages: fields.take_messages.default(true),
});
export type CreateTransferIntegrationRequest = z.input<typeof createTransferIntegrationRequest>;

export const updateTransferIntegrationRequest = z
  .strictObject(fields)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'give at least one field to change');
export type UpdateTransferIntegrationRequest = z.input<typeof updateTransferIntegrationRequest>;

/** People that agents may transfer calls to. Attach it to a workflow by its id in `definition.abilities.transfer`. */
export const transferIntegrationResource = z.object({
  id: z.string().describe('Id of the integration, for `definition.abilities.transfer` of a workflow'),
  name: z.string().describe('Whom the agent transfers to, as it speaks of them'),
  mode: transferMode.describe(
    '`warm`: whoever answers first hears what the call is about, and may refuse. `cold`: they are connected immediately',
  ),
  phone_number: z.string().describe('The number to ring, in E.164 form, where `transfer_url` gives no other'),
  transfer_url: z
    .string()
    .nullable()
    .describe('Address that is asked for the number at the moment of transfer; null: none'),
  fallback_numbers: z
    .array(z.string())
    .describe('Numbers to ring, in this order, when the first one does not take the call'),
  ring_seconds: z.int().describe('How long each number may ring, in seconds'),
  take_messages: z
    .boolean()
    .describe('Whether the agent offers to take a message when no one takes the call'),
  available: z
    .boolean()
    .describe(
      '`false` while the carrier account has no approved business profile: agents do not offer it then',
    ),
  created_at: timestamp.describe('When the integration was created'),
});
export type TransferIntegrationResource = z.infer<typeof transferIntegrationResource>;

export const transferIntegrationList = z.object({
  transfer_integrations: z
    .array(transferIntegrationResource)
    .describe('The integrations of this page, newest first'),
  next_cursor: nextCursor,
});
export type TransferIntegrationList = z.infer<typeof transferIntegrationList>;

/** A transfer of a call, as told by the call. */
export const callTransfer = z.object({
  integration_id: z.string().describe('Id of the transfer integration'),
  integration: z.string().describe('Name of the transfer integration'),
  mode: transferMode.describe(
    '`warm`: whoever answered could refuse. `cold`: they were connected immediately',
  ),
  reason: z.string().describe("Why the person is transferred, in the agent's words"),
  requested_at: timestamp.describe('When the agent asked for the transfer'),
  outcome: transferOutcome
    .nullable()
    .describe(
      'What came of it. `call_ended`: the call was over before anyone took it. null while it is under way',
    ),
  to: z
    .string()
    .nullable()
    .describe(
      'The number that took the call, otherwise the one rung last; null when none was rung, `erased` once the call is erased',
    ),
  answered_seconds: z
    .number()
    .nullable()
    .describe('How long that number was on the line, in seconds; null when nobody answered there'),
  ended_at: timestamp.nullable().describe('When the transfer was over; null while it is under way'),
  message: z
    .string()
    .nullable()
    .describe('The message the person left for those who were not reached; null when there is none'),
  legs: z
    .array(
      z.object({
        to: z.string().describe('The number, in E.164 form; `erased` once the call is erased'),
        source: transferLegSource.describe(
          'Where the number comes from. `static`: `phone_number`. `dynamic`: `transfer_url`. `fallback`: `fallback_numbers`',
        ),
        outcome: transferOutcome.nullable().describe('What came of ringing it; null while it is under way'),
        dialed_at: timestamp.nullable().describe('When it was dialed; null when it was not'),
        answered_at: timestamp.nullable().describe('When it was answered; null when it was not'),
        ended_at: timestamp.nullable().describe('When it was over; null while it is under way'),
        seconds: z
          .number()
          .nullable()
          .describe('How long it was on the line, in seconds; null when it was not answered'),
      }),
    )
    .describe('Every number that was tried, in order'),
});
export type CallTransfer = z.infer<typeof callTransfer>;
