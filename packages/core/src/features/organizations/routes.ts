import {
  type ApiKeyList,
  type ApiKeyResource,
  apiKeyList,
  apiKeyResource,
  createApiKeyRequest,
  createdApiKey,
  createOrganizationRequest,
  type OrganizationResource,
  organizationDetail,
  organizationList,
  organizationResource,
  pageQuery,
  updateOrganizationRequest,
} from '@callkite/contract';
import type * as z from 'zod';
import { pageOf } from '../../kernel/page-query.ts';
import { routesOf } from '../../kernel/route.ts';
import type { ApiKeyRecord, Organization } from './organization-store.ts';
import type { OrganizationSettings, Organizations } from './organizations.ts';
import { requireLiveKey } from './require-live-key.ts';

const { route } = routesOf<{ organizations: Organizations }>();

const revoking =
  'From now on the process that answers refuses it; other processes on the same database do so within five seconds, or at once where they share a cache. Calls that are under way go on. Repeating it changes nothing.';

export const organizationRoutes = [
  route(
    {
      method: 'POST',
      path: '/organizations',
      auth: 'operator',
      tag: 'Operator',
      operationId: 'createOrganization',
      summary: 'Create an organization',
      body: createOrganizationRequest,
      status: 201,
      answer: organizationResource,
    },
    async ({ organizations }, { body }) =>
      toOrganization(organizations, await organizations.create({ name: body.name, ...settingsOf(body) })),
  ),
  route(
    {
      method: 'GET',
      path: '/organizations',
      auth: 'operator',
      tag: 'Operator',
      operationId: 'listOrganizations',
      summary: 'List organizations, newest first',
      query: pageQuery,
      status: 200,
      answer: organizationList,
    },
    async ({ organizations }, { query }) => {
      const page = await organizations.list(pageOf(query));
      return {
        organizations: page.items.map((each) => toOrganization(organizations, each)),
        next_cursor: page.nextCursor,
      };
    },
  ),
  route(
    {
      method: 'GET',
      path: '/organizations/{id}',
      auth: 'operator',
      tag: 'Operator',
      operationId: 'getOrganization',
      summary: 'Get an organization, with the call minutes of today',
      status: 200,
      answer: organizationDetail,
      refusals: ['not_found'],
    },
    async ({ organizations }, { parameters }) => {
      const organization = await organizations.get(parameters.id);
      const { usedMinutes } = await organizations.spendingToday(organization.id);
      return { ...toOrganization(organizations, organization), call_minutes_today: usedMinutes };
    },
  ),
  route(
    {
      method: 'PATCH',
      path: '/organizations/{id}',
      auth: 'operator',
      tag: 'Operator',
      operationId: 'updateOrganization',
      summary: 'Change an organization',
      description:
        'The limit holds from the next call that is dialed on, name and countries within five seconds. Calls that are under way go on.',
      body: updateOrganizationRequest,
      status: 200,
      answer: organizationResource,
      refusals: ['not_found'],
    },
    async ({ organizations }, { parameters, body }) =>
      toOrganization(
        organizations,
        await organizations.update(parameters.id, {
          ...(body.name !== undefined && { name: body.name }),
          ...settingsOf(body),
        }),
      ),
  ),
  route(
    {
      method: 'POST',
      path: '/organizations/{id}/api-keys',
      auth: 'operator',
      tag: 'Operator',
      operationId: 'createOrganizationApiKey',
      summary: 'Create an API key for an organization',
      body: createApiKeyRequest,
      status: 201,
      answer: createdApiKey,
      refusals: ['not_found'],
    },
    async ({ organizations }, { parameters, body }) => {
      const { record, key } = await organizations.createApiKey(parameters.id, body);
      return { ...toApiKey(record), key };
    },
  ),
  route(
    {
      method: 'GET',
      path: '/organizations/{id}/api-keys',
      auth: 'operator',
      tag: 'Operator',
      operationId: 'listOrganizationApiKeys',
      summary: 'List the API keys of an organization, newest first',
      query: pageQuery,
      status: 200,
      answer: apiKeyList,
      refusals: ['not_found'],
    },
    ({ organizations }, { parameters, query }) => listKeys(organizations, parameters.id, query),
  ),
  route(
    {
      method: 'DELETE',
      path: '/organizations/{id}/api-keys/{key_id}',
      auth: 'operator',
      tag: 'Operator',
      operationId: 'revokeOrganizationApiKey',
      summary: 'Revoke an API key of an organization',
      description: revoking,
      status: 200,
      answer: apiKeyResource,
      refusals: ['not_found'],
    },
    async ({ organizations }, { parameters }) =>
      toApiKey(await organizations.revokeApiKey(parameters.id, parameters.key_id)),
  ),
  route(
    {
      method: 'POST',
      path: '/api-keys',
      auth: 'key',
      tag: 'API keys',
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description: 'API keys are managed with live keys only.',
      body: createApiKeyRequest,
      status: 201,
      answer: createdApiKey,
      refusals: ['forbidden'],
    },
    async ({ organizations }, { caller, body }) => {
      requireLiveKey(caller);
      const { record, key } = await organizations.createApiKey(caller.organizationId, body);
      return { ...toApiKey(record), key };
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api-keys',
      auth: 'key',
      tag: 'API keys',
      operationId: 'listApiKeys',
      summary: 'List API keys, newest first',
      query: pageQuery,
      status: 200,
      answer: apiKeyList,
      refusals: ['forbidden'],
    },
    async ({ organizations }, { caller, query }) => {
      requireLiveKey(caller);
      return listKeys(organizations, caller.organizationId, query);
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/api-keys/{id}',
      auth: 'key',
      tag: 'API keys',
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key',
      description: revoking,
      status: 200,
      answer: apiKeyResource,
      refusals: ['forbidden', 'not_found'],
    },
    async ({ organizations }, { caller, parameters }) => {
      requireLiveKey(caller);
      return toApiKey(await organizations.revokeApiKey(caller.organizationId, parameters.id));
    },
  ),
];

function settingsOf({
  allowed_countries: allowedCountries,
  daily_call_minutes: dailyCallMinutes,
}: z.output<typeof updateOrganizationRequest>): OrganizationSettings {
  return {
    ...(allowedCountries && { allowedCountries }),
    ...(dailyCallMinutes !== undefined && { dailyCallMinutes }),
  };
}

function toOrganization(
  { dailyCallMinutesOf }: Pick<Organizations, 'dailyCallMinutesOf'>,
  organization: Organization,
): OrganizationResource {
  return {
    id: organization.id,
    name: organization.name,
    allowed_countries: [...organization.allowedCountries],
    daily_call_minutes: dailyCallMinutesOf(organization),
    created_at: organization.createdAt.toISOString(),
  };
}

async function listKeys(
  organizations: Pick<Organizations, 'listApiKeys'>,
  organizationId: string,
  query: z.output<typeof pageQuery>,
): Promise<ApiKeyList> {
  const page = await organizations.listApiKeys(organizationId, pageOf(query));
  return { api_keys: page.items.map(toApiKey), next_cursor: page.nextCursor };
}

function toApiKey(record: ApiKeyRecord): ApiKeyResource {
  return {
    id: record.id,
    name: record.name,
    mode: record.mode,
    prefix: `ck_${record.mode}_${record.lookupId}`,
    created_at: record.createdAt.toISOString(),
    revoked_at: record.revokedAt?.toISOString() ?? null,
  };
}
