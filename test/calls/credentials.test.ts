import { randomBytes } from 'node:crypto';
import { builtInAccounts } from '@callkite/twilio-emulator';
import { afterEach, expect, it } from 'vitest';
import { connectionSecretContext, createSecretBox } from '../../packages/core/src/kernel/secret-box.ts';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';
import { fictionalNumber } from '../faults/fictional-number.ts';
import { testStorage } from '../test-storage.ts';

let embedded: Embedded;
afterEach(() => embedded.stop());

const trigger = (to: string) =>
  embedded.request('POST', '/call', { workflow_id: embedded.workflowId, recipient_phone: to });
const refresh = () => embedded.request('POST', `/connections/${embedded.connectionId}/refresh`);

async function connectionStatus(): Promise<string> {
  const answer = await embedded.request('GET', `/connections/${embedded.connectionId}`);
  return ((await answer.json()) as { status: string }).status;
}

async function callTo(to: string): Promise<{ state: string; call_status: string | null } | undefined> {
  const listed = await embedded.request('GET', `/calls?to=${encodeURIComponent(to)}`);
  return ((await listed.json()) as { calls: { state: string; call_status: string | null }[] }).calls[0];
}

async function isOnHold(to: string): Promise<void> {
  await eventually('the pause', async () => (await connectionStatus()) === 'paused');
  const refused = await trigger(fictionalNumber(391));
  expect(refused.status).toBe(503);
  expect(refused.headers.get('callkite-error-code')).toBe('no_usable_number');
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect((await callTo(to))?.state).toBe('queued');
  // Each refusal was one request; on hold, none is made.
  expect(embedded.twilioEmulator.calls().filter((record) => record.to === to).length).toBeLessThanOrEqual(1);
}

async function isResumed(to: string): Promise<void> {
  await eventually('the end of the call', async () => (await callTo(to))?.call_status === 'success');
  const rang = embedded.twilioEmulator
    .calls()
    .filter((record) => record.to === to && record.timeline.ringingAt);
  expect(rang).toHaveLength(1);
}

it('calls of a suspended account wait for it, and go out when it is verified again', async () => {
  embedded = await startEmbedded({ emulator: { accounts: [builtInAccounts.approved] } });
  const [account] = embedded.twilioEmulator.accounts;
  if (!account) throw new Error('there is no account');
  account.status = 'suspended';
  const to = fictionalNumber(390);
  expect((await trigger(to)).status).toBe(200);
  await isOnHold(to);
  expect((await refresh()).ok).toBe(false);
  expect(await connectionStatus()).toBe('paused');
  account.status = 'active';
  expect((await refresh()).status).toBe(200);
  await isResumed(to);
});

it('calls made with a secret the carrier refuses wait for the right one', async () => {
  const storage = testStorage();
  const secretKey = randomBytes(32).toString('base64');
  embedded = await startEmbedded({ storage, callkite: { secretKey } });
  const connection = await storage.organizations.getConnection(
    { organizationId: embedded.organizationId, mode: 'live' },
    embedded.connectionId,
  );
  if (!connection) throw new Error('there is no connection');
  await storage.organizations.saveConnection({
    ...connection,
    sealedSecret: createSecretBox(secretKey).seal('not the token', connectionSecretContext(connection)),
  });
  const to = fictionalNumber(392);
  expect((await trigger(to)).status).toBe(200);
  await isOnHold(to);
  expect((await refresh()).ok).toBe(false);
  await embedded.callkite.organizations.connectCarrier(
    { organizationId: embedded.organizationId, mode: 'live' },
    {
      accountId: connection.accountId,
      secret: builtInAccounts.approved.authToken,
    },
  );
  await isResumed(to);
});
