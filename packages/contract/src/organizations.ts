import * as z from 'zod';
import { displayName, mode, nextCursor, phoneNumberText, timestamp } from './fields.ts';

const fields = {
  name: displayName.describe('Name of the organization. Agents say that they call on its behalf'),
  allowed_countries: z
    .array(z.string().regex(/^[A-Z]{2}$/, 'an ISO 3166-1 alpha-2 code such as US'))
    .min(1)
    .max(250)
    .describe('Countries that may be called, as ISO 3166-1 alpha-2 codes. Replaces the list as a whole')
    .meta({ examples: [['US', 'CA']] }),
  daily_call_minutes: z
    .int()
    .min(1)
    .max(10_000_000)
    .nullable()
    .describe(
      'How many minutes live phone calls and transfers may take in a UTC day, rounded up per call. null: no limit. Calls beyond it are not dialed; calls under way go on',
    ),
};

/** What is absent is up to the server. */
export const createOrganizationRequest = z.strictObject(fields).partial().required({ name: true });
export type CreateOrganizationRequest = z.input<typeof createOrganizationRequest>;

export const updateOrganizationRequest = z
  .strictObject(fields)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'give at least one field to change');
export type UpdateOrganizationRequest = z.input<typeof updateOrganizationRequest>;

export const organizationResource = z.object({
  id: z.string().describe('Id of the organization'),
  name: z.string().describe('Name of the organization'),
  allowed_countries: z
    .array(z.string())
    .describe('Countries that may be called, as ISO 3166-1 alpha-2 codes'),
  daily_call_minutes: z
    .int()
    .nullable()
    .describe("Minutes a UTC day: the organization's own limit, otherwise the server's; null: no limit"),
  created_at: timestamp.describe('When the organization was created'),
});
export type OrganizationResource = z.infer<typeof organizationResource>;

/** An organization with what its phone calls have cost today. */
export const organizationDetail = organizationResource.extend({
  call_minutes_today: z
    .int()
    .describe('Minutes of the live phone calls and transfers that began on this UTC day'),
});
export type OrganizationDetail = z.infer<typeof organizationDetail>;

export const organizationList = z.object({
  organizations: z.array(organizationResource).describe('The organizations of this page, newest first'),
  next_cursor: nextCursor,
});
export type OrganizationList = z.infer<typeof organizationList>;

export const createApiKeyRequest = z.strictObject({
  name: displayName.describe('What the key is for, to tell it from others'),
  mode,
});
export type CreateApiKeyRequest = z.input<typeof createApiKeyRequest>;

export const apiKeyResource = z.object({
  id: z.string().describe('Id of the key, for `DELETE /api-keys/{id}`'),
  name: z.string().describe('What the key is for'),
  mode,
  prefix: z.string().describe('How the key begins; not secret'),
  created_at: timestamp.describe('When the key was created'),
  revoked_at: timestamp.nullable().describe('When the key was revoked; null while it is good'),
});
export type ApiKeyResource = z.infer<typeof apiKeyResource>;

export const createdApiKey = apiKeyResource.extend({
  key: z.string().describe('The key itself. It is shown here and never again: store it now'),
});
export type CreatedApiKey = z.infer<typeof createdApiKey>;

export const apiKeyList = z.object({
  api_keys: z.array(apiKeyResource).describe('The keys of this page, newest first, revoked ones included'),
  next_cursor: nextCursor,
});
export type ApiKeyList = z.infer<typeof apiKeyList>;

export const createConnectionRequest = z.strictObject({
  account_id: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .describe('Id of your account at the carrier; at Twilio the Account SID')
    .meta({ examples: ['AC00000000000000000000000000000000'] }),
  secret: z
    .string()
    .min(1)
    .max(500)
    .describe('Secret of that account; at Twilio the Auth Token. Stored encrypted, and never returned'),
  calls_per_second: z
    .number()
    .positive()
    .max(100)
    .optional()
    .describe(
      'How many calls may start per second: a whole number. Accounts without an approved business profile allow 1. Unchanged when absent; 1 for a new connection',
    ),
  maximum_concurrent_calls: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .optional()
    .describe(
      'How many calls may be under way together; null: no limit. Trial accounts allow 4, accounts without an approved business profile 20, others any number. Unchanged when absent; for a new connection 4, or no limit with an approved profile',
    ),
});
export type CreateConnectionRequest = z.input<typeof createConnectionRequest>;

/** An organization's account at a carrier, with the limits its calls keep to. */
export const connectionResource = z.object({
  id: z.string().describe('Id of the connection'),
  mode,
  account_id: z.string().describe('Id of the account at the carrier'),
  account_name: z.string().describe('Name of the account, as the carrier gives it'),
  account_type: z
    .enum(['trial', 'full'])
    .describe('Trial accounts may start 1 call a second and hold 4 together'),
  business_profile: z
    .enum([
      'Profile Approved',
      'Profile In Review',
      'Profile Pending',
      'Profile Draft',
      'Profile Rejected',
      'Profile Error',
      'No Profile',
    ])
    .describe(
      'The business profile at the carrier. Transfers, and more than a call a second, need an approved one',
    ),
  calls_per_second: z.number().describe('How many calls may start per second'),
  maximum_concurrent_calls: z
    .int()
    .nullable()
    .describe('How many calls may be under way together; null: no limit'),
  status: z
    .enum(['active', 'paused', 'out_of_use'])
    .describe(
      '`paused`: the carrier refused the credentials or the account, and nothing is dialed until `POST /connections/{id}/refresh` succeeds. `out_of_use`: it belongs to another phone network than the one this server uses, such as the emulated one after going live',
    ),
  down_until: timestamp
    .nullable()
    .describe('The carrier is known to be down, and nothing is dialed before this time; otherwise null'),
  created_at: timestamp.describe('When the account was connected'),
});
export type ConnectionResource = z.infer<typeof connectionResource>;

export const connectionList = z.object({
  connections: z.array(connectionResource).describe("Every connection of the key's mode"),
});
export type ConnectionList = z.infer<typeof connectionList>;

export const carrierNumberList = z.object({
  numbers: z
    .array(
      z.object({
        provider_number_id: z.string().describe("The carrier's id of the number"),
        phone_number: z.string().describe('The number, in E.164 form'),
        can_call: z.boolean().describe('Whether calls can go out from it'),
        can_text: z.boolean().describe('Whether it can send text messages'),
        connected: z.boolean().describe('Whether it is connected here already'),
      }),
    )
    .describe('Every number the account owns at the carrier'),
});
export type CarrierNumberList = z.infer<typeof carrierNumberList>;

export const connectNumberRequest = z.strictObject({
  phone_number: phoneNumberText.describe('A number that the carrier account owns, in E.164 form'),
});
export type ConnectNumberRequest = z.input<typeof connectNumberRequest>;

export const numberResource = z.object({
  id: z.string().describe('Id of the number, for `DELETE /numbers/{id}`'),
  connection_id: z.string().describe('Id of the connection it belongs to'),
  mode,
  phone_number: z.string().describe('The number, in E.164 form'),
  is_default: z
    .boolean()
    .describe('Calls go out from the default number: the first one connected, until it is disconnected'),
  created_at: timestamp.describe('When the number was connected'),
});
export type NumberResource = z.infer<typeof numberResource>;

export const numberList = z.object({
  numbers: z.array(numberResource).describe("Every connected number of the key's mode"),
});
export type NumberList = z.infer<typeof numberList>;
