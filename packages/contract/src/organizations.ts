import * as z from 'zod';
import { displayName, mode, nextCursor, phoneNumberText, timestamp } from './fields.ts';

const fields = {
  name: displayName,
  allowed_countries: z
    .array(z.string().regex(/^[A-Z]{2}$/, 'an ISO 3166-1 alpha-2 code such as US'))
    .min(1)
    .max(250)
    .describe('Countries that may be called'),
  daily_call_minutes: z
    .int()
    .min(1)
    .max(10_000_000)
    .nullable()
    .describe('Minutes that live phone calls and transfers may take in a UTC day; null: unlimited'),
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
  id: z.string(),
  name: z.string(),
  allowed_countries: z.array(z.string()),
  daily_call_minutes: z
    .int()
    .nullable()
    .describe("The limit that holds: its own, else the server's; null: unlimited"),
  created_at: timestamp,
});
export type OrganizationResource = z.infer<typeof organizationResource>;

/** An organization with what its phone calls have cost today. */
export const organizationDetail = organizationResource.extend({
  call_minutes_today: z
    .int()
    .describe('Minutes of live phone calls and transfers that began in this UTC day'),
});
export type OrganizationDetail = z.infer<typeof organizationDetail>;

export const organizationList = z.object({
  organizations: z.array(organizationResource),
  next_cursor: nextCursor,
});
export type OrganizationList = z.infer<typeof organizationList>;

export const createApiKeyRequest = z.strictObject({ name: displayName, mode });
export type CreateApiKeyRequest = z.input<typeof createApiKeyRequest>;

export const apiKeyResource = z.object({
  id: z.string(),
  name: z.string(),
  mode,
  prefix: z.string().describe('How the key begins; not secret'),
  created_at: timestamp,
  revoked_at: timestamp.nullable(),
});
export type ApiKeyResource = z.infer<typeof apiKeyResource>;

export const createdApiKey = apiKeyResource.extend({
  key: z.string().describe('The key itself. Shown here and never again'),
});
export type CreatedApiKey = z.infer<typeof createdApiKey>;

export const apiKeyList = z.object({ api_keys: z.array(apiKeyResource), next_cursor: nextCursor });
export type ApiKeyList = z.infer<typeof apiKeyList>;

export const createConnectionRequest = z.strictObject({
  account_id: z.string().trim().min(1).max(100).describe('Account id at the carrier'),
  secret: z.string().min(1).max(500).describe('Secret of that account; stored encrypted'),
  calls_per_second: z.number().positive().max(100).optional(),
  maximum_concurrent_calls: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .optional()
    .describe('null: unlimited, for accounts with an approved business profile'),
});
export type CreateConnectionRequest = z.input<typeof createConnectionRequest>;

/** An organization's account at a carrier, with the limits its calls keep to. */
export const connectionResource = z.object({
  id: z.string(),
  mode,
  account_id: z.string(),
  account_name: z.string(),
  account_type: z.enum(['trial', 'full']),
  business_profile: z.enum([
    'Profile Approved',
    'Profile In Review',
    'Profile Pending',
    'Profile Draft',
    'Profile Rejected',
    'Profile Error',
    'No Profile',
  ]),
  calls_per_second: z.number(),
  maximum_concurrent_calls: z.int().nullable(),
  status: z.enum(['active', 'paused']),
  down_until: timestamp.nullable(),
  created_at: timestamp,
});
export type ConnectionResource = z.infer<typeof connectionResource>;

export const connectionList = z.object({ connections: z.array(connectionResource) });
export type ConnectionList = z.infer<typeof connectionList>;

export const carrierNumberList = z.object({
  numbers: z.array(
    z.object({
      provider_number_id: z.string(),
      phone_number: z.string(),
      can_call: z.boolean(),
      can_text: z.boolean(),
      connected: z.boolean(),
    }),
  ),
});
export type CarrierNumberList = z.infer<typeof carrierNumberList>;

export const connectNumberRequest = z.strictObject({ phone_number: phoneNumberText });
export type ConnectNumberRequest = z.input<typeof connectNumberRequest>;

export const numberResource = z.object({
  id: z.string(),
  connection_id: z.string(),
  mode,
  phone_number: z.string(),
  is_default: z.boolean().describe('Calls go out from the default number'),
  created_at: timestamp,
});
export type NumberResource = z.infer<typeof numberResource>;

export const numberList = z.object({ numbers: z.array(numberResource) });
export type NumberList = z.infer<typeof numberList>;
