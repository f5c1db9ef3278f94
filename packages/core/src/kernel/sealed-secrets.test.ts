import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { silentLogger } from './logger.ts';
import { checkSecrets } from './sealed-secrets.ts';
import { connectionSecretContext, createSecretBox, webhookSecretContext } from './secret-box.ts';
import type { SealedSecret } from './secret-store.ts';

const newKey = () => randomBytes(32).toString('base64');
const formerKey = newKey();
const former = createSecretBox(formerKey);
const account = { organizationId: 'org_1', mode: 'live', accountId: 'AC1' } as const;

function storeOf(isInUse: boolean) {
  const secrets: SealedSecret[] = [
    {
      place: 'connection',
      id: 'con_1',
      ...account,
      isInUse,
      sealed: former.seal('token', connectionSecretContext(account)),
    },
    { place: 'webhook', id: 'int_1', sealed: former.seal('signing', webhookSecretContext('int_1')) },
  ];
  return {
    secrets,
    list: async () => secrets,
    async replace(secret: SealedSecret, sealed: string) {
      const at = secrets.findIndex(({ id }) => id === secret.id);
      secrets[at] = { ...secret, sealed };
    },
  };
}

it('refuses to go on with a key that opens nothing', async () => {
  const secretBox = createSecretBox(newKey());
  await expect(
    checkSecrets({ store: storeOf(true), secretBox, reseal: true, logger: silentLogger }),
  ).rejects.toMatchObject({ code: 'validation_failed', details: { secretKey: expect.anything() } });
});

it('needs no secret of a connection that is out of use', async () => {
  const store = storeOf(false);
  store.secrets.pop();
  await checkSecrets({ store, secretBox: createSecretBox(newKey()), reseal: true, logger: silentLogger });
});

it('seals again what a former key sealed, so that the former key can go', async () => {
  const store = storeOf(true);
  const key = newKey();
  const options = { store, reseal: true, logger: silentLogger };
  await checkSecrets({ ...options, secretBox: createSecretBox(key, [formerKey]) });
  const alone = createSecretBox(key);
  await checkSecrets({ ...options, secretBox: alone });
  expect(store.secrets.map(({ sealed }) => sealed)).toHaveLength(2);
  expect(alone.open(store.secrets[1]?.sealed ?? '', webhookSecretContext('int_1'))).toBe('signing');
});

it('leaves everything as it is unless asked to seal it again', async () => {
  const store = storeOf(true);
  const before = store.secrets.map(({ sealed }) => sealed);
  const secretBox = createSecretBox(newKey(), [formerKey]);
  await checkSecrets({ store, secretBox, reseal: false, logger: silentLogger });
  expect(store.secrets.map(({ sealed }) => sealed)).toEqual(before);
});
