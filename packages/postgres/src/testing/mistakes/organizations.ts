import { type Mistake, part } from './mistake.ts';

export const organizationMistakes: readonly Mistake[] = [
  [
    'shows workflows to other organizations',
    'workflows are listed newest first, to their organization only',
    part('workflows', ({ get, ownerOf }) => ({
      async get(scope, id) {
        const owner = await ownerOf(id);
        return owner && get({ ...scope, organizationId: owner.organizationId }, id);
      },
    })),
  ],
  [
    'changes a workflow whatever its version',
    'of several changes to one version one succeeds',
    part('workflows', ({ update }) => ({
      update: (scope, id, { expectedVersion: _, ...change }) => update(scope, id, change),
    })),
  ],
  [
    'does not revoke keys',
    'API keys are found by their lookup id, and revoked once',
    part('organizations', ({ listApiKeys }) => ({
      async revokeApiKey(organizationId, id) {
        const { items } = await listApiKeys(organizationId, { limit: 100, cursor: null });
        return items.find((key) => key.id === id) ?? null;
      },
    })),
  ],
  [
    'makes every key a live one',
    'API keys are found by their lookup id, and revoked once',
    part('organizations', ({ createApiKey }) => ({
      createApiKey: (key) => createApiKey({ ...key, mode: 'live' }),
    })),
  ],
  [
    'goes on with a connection that has open attempts as if it were gone',
    'a connection with open attempts is not deleted',
    part('organizations', ({ deleteConnection }) => ({
      deleteConnection: (scope, id) => deleteConnection(scope, id).catch(() => true),
    })),
  ],
];
