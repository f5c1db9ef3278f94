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
    .describe('Whom the agent transfers to, as it calls them: "Billing", "a colleague"'),
  mode: transferMode.describe('`warm` whispers a summary to whoever answers and lets them accept or refuse'),
  phone_number: phoneNumberText,
  // Which addresses are acceptable is decided by the guard on outbound addresses, in one place.
  transfer_url: z.string().min(1).max(2048).nullable().meta({
    format: 'uri',
    description:
      'HTTPS address that is asked for the number at the moment of transfer: it gets `{number}`, the number of the person on the phone, and answers `{transferNumber}`. Anything else, or no answer within 5 s, and `phone_number` is rung',
  }),
  fallback_numbers: z
    .array(phoneNumberText)
    .max(5)
    .describe('Rung in this order when the first number does not take the call'),
  ring_seconds: z.int().min(5).max(120).describe('How long each number may ring'),
  take_messages: z
    .boolean()
    .describe('Whether the agent offers to take a message when nobody takes the call'),
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
  id: z.string(),
  name: z.string(),
  mode: transferMode,
  phone_number: z.string(),
  transfer_url: z.string().nullable(),
  fallback_numbers: z.array(z.string()),
  ring_seconds: z.int(),
  take_messages: z.boolean(),
  available: z
    .boolean()
    .describe(
      '`false` while the carrier account has no approved business profile: agents do not offer it then',
    ),
  created_at: timestamp,
});
export type TransferIntegrationResource = z.infer<typeof transferIntegrationResource>;

export const transferIntegrationList = z.object({
  transfer_integrations: z.array(transferIntegrationResource),
  next_cursor: nextCursor,
});
export type TransferIntegrationList = z.infer<typeof transferIntegrationList>;

/** A transfer of a call, as told by the call. */
export const callTransfer = z.object({
  integration_id: z.string(),
  integration: z.string().describe('Its name'),
  mode: transferMode,
  reason: z.string().describe("The agent's words"),
  requested_at: timestamp,
  outcome: transferOutcome.nullable().describe('`null` while it is under way'),
  to: z
    .string()
    .nullable()
    .describe('The number that took the call, else the one rung last; `erased` once the call is'),
  answered_seconds: z.number().nullable().describe('How long that number was on the line'),
  ended_at: timestamp.nullable(),
  message: z.string().nullable().describe('Left by the callee for those who were not reached'),
  legs: z
    .array(
      z.object({
        to: z.string(),
        source: transferLegSource,
        outcome: transferOutcome.nullable(),
        dialed_at: timestamp.nullable(),
        answered_at: timestamp.nullable(),
        ended_at: timestamp.nullable(),
        seconds: z.number().nullable(),
      }),
    )
    .describe('Every number that was tried, in order; `erased` once the call is'),
});
export type CallTransfer = z.infer<typeof callTransfer>;
