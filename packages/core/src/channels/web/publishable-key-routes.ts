import {
  createdPublishableKey,
  createPublishableKeyRequest,
  type PublishableKeyResource,
  pageQuery,
  publishableKeyList,
  publishableKeyResource,
  updatePublishableKeyRequest,
} from '@callkite/contract';
import { requireLiveKey } from '../../features/organizations/require-live-key.ts';
import { pageOf } from '../../kernel/page-query.ts';
import { routesOf } from '../../kernel/route.ts';
import type { PublishableKeys } from './publishable-keys.ts';
import type { PublishableKey } from './web-call-store.ts';

const { route } = routesOf<{ publishableKeys: PublishableKeys }>();

const tag = 'Web calls';

export const publishableKeyRoutes = [
  route(
    {
      method: 'POST',
      path: '/publishable-keys',
      auth: 'key',
      tag,
      operationId: 'createPublishableKey',
      summary: 'Create a key for web pages',
      description: 'Publishable keys are managed with live keys only.',
      body: createPublishableKeyRequest,
      status: 201,
      answer: createdPublishableKey,
      refusals: ['forbidden'],
    },
    async ({ publishableKeys }, { caller, body }) => {
      requireLiveKey(caller);
      const { key, identitySecret } = await publishableKeys.create(caller.organizationId, {
        mode: body.mode,
        name: body.name,
        allowedOrigins: body.allowed_origins,
        workflowIds: body.workflow_ids,
        dailyCalls: body.daily_calls,
        callbackCountries: body.callback_countries,
      });
      return { ...toKey(key), identity_secret: identitySecret };
    },
  ),
  route(
    {
      method: 'GET',
      path: '/publishable-keys',
      auth: 'key',
      tag,
      operationId: 'listPublishableKeys',
      summary: 'List keys for web pages, newest first',
      query: pageQuery,
      status: 200,
      answer: publishableKeyList,
      refusals: ['forbidden'],
    },
    async ({ publishableKeys }, { caller, query }) => {
      requireLiveKey(caller);
      const { items, nextCursor } = await publishableKeys.list(caller.organizationId, pageOf(query));
      return { publishable_keys: items.map(toKey), next_cursor: nextCursor };
    },
  ),
  route(
    {
      method: 'PATCH',
      path: '/publishable-keys/{id}',
      auth: 'key',
      tag,
      operationId: 'updatePublishableKey',
      summary: 'Change what a key for web pages is good for',
      description: 'Counts from the next request of a page on.',
      body: updatePublishableKeyRequest,
      status: 200,
      answer: publishableKeyResource,
      refusals: ['forbidden', 'not_found'],
    },
    async ({ publishableKeys }, { caller, parameters, body }) => {
      requireLiveKey(caller);
      return toKey(
        await publishableKeys.update(caller.organizationId, parameters.id, {
          ...(body.name !== undefined && { name: body.name }),
          ...(body.allowed_origins && { allowedOrigins: body.allowed_origins }),
          ...(body.workflow_ids && { workflowIds: body.workflow_ids }),
          ...(body.daily_calls !== undefined && { dailyCalls: body.daily_calls }),
          ...(body.callback_countries && { callbackCountries: body.callback_countries }),
        }),
      );
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/publishable-keys/{id}',
      auth: 'key',
      tag,
      operationId: 'revokePublishableKey',
      summary: 'Revoke a key for web pages',
      description:
        'Nothing begins with it from then on, not even by tokens it was given; calls that began go on.',
      status: 200,
      answer: publishableKeyResource,
      refusals: ['forbidden', 'not_found'],
    },
    async ({ publishableKeys }, { caller, parameters }) => {
      requireLiveKey(caller);
      return toKey(await publishableKeys.revoke(caller.organizationId, parameters.id));
    },
  ),
];

function toKey(key: PublishableKey): PublishableKeyResource {
  return {
    id: key.id,
    mode: key.mode,
    key: key.key,
    name: key.name,
    allowed_origins: [...key.allowedOrigins],
    workflow_ids: [...key.workflowIds],
    daily_calls: key.dailyCalls,
    callback_countries: [...key.callbackCountries],
    created_at: key.createdAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}
