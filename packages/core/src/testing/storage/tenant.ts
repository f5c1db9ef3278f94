import assert from 'node:assert/strict';
import { type WorkflowDefinition, workflowDefinition } from '@callkite/contract';
import type { AcceptCall, CallRecord, DialClaim } from '../../calls/call-store.ts';
import type { NewTransfer } from '../../features/transfers/transfer-store.ts';
import { createId } from '../../kernel/ids.ts';
import type { Job, JobKind } from '../../kernel/jobs/job-store.ts';
import type { Mode, Scope } from '../../kernel/mode.ts';
import type { Storage } from '../../storage.ts';

/** Registers one test of the contract. */
export type StorageTest = (name: string, run: (storage: Storage) => Promise<void>) => void;

export const definition: WorkflowDefinition = workflowDefinition.parse({
  objective: 'Confirm the appointment.',
});

export const firstPage = { limit: 100, cursor: null } as const;

/** Stands for the keyed hash of a number. */
export const keyOf = (phoneNumber: string) => `key of ${phoneNumber}`;

/** A number as it is put on the do-not-call list. */
export const hashed = (phoneNumber: string) => ({ phoneNumber, numberKey: keyOf(phoneNumber) });

/** How a number came onto the list. */
export const byApi = { source: 'api', reason: null, callId: null, addedBy: 'key_1' } as const;
export const optedOutOn = (callId: string) =>
  ({ source: 'callee', reason: null, callId, addedBy: null }) as const;

/** A fictional number, for 0-99. */
export function fictional(index: number): string {
  return `+120255501${String(index).padStart(2, '0')}`;
}

export interface TenantOptions {
  /** @default 1000, so that nothing waits for the next start */
  callsPerSecond?: number;
  /** @default null, unlimited */
  maximumConcurrentCalls?: number | null;
  /** @default unlimited */
  dailyCallMinutes?: number | null;
}

/** An organization in live mode. */
export interface Tenant extends Scope {
  readonly connectionId: string;
  readonly numberId: string;
  readonly workflowId: string;
  /** The number calls go out from. */
  readonly from: string;
  input(changes?: Partial<AcceptCall>): AcceptCall;
  /** The input of a prompt call. */
  promptInput(changes?: Partial<AcceptCall>): AcceptCall;
  /** Takes a call in and returns its id. */
  accept(changes?: Partial<AcceptCall>): Promise<string>;
  /** Claims the next call of the line, which must have one. */
  claim(storage?: Storage): Promise<DialClaim>;
  /** Takes in a call, claims it and binds a carrier call to it. */
  placed(
    changes?: Partial<AcceptCall>,
  ): Promise<{ callId: string; attemptId: string; providerCallId: string }>;
  call(callId: string): Promise<CallRecord>;
  /** Leases the tenant's due jobs of a kind; other tenants' are left to whoever wants them later. */
  jobs(kind: JobKind, leaseMs?: number): Promise<readonly Job[]>;
}

/** An organization of its own, with everything a call needs, so that tests may share a store. */
export async function createTenant(storage: Storage, options: TenantOptions = {}): Promise<Tenant> {
  const organizationId = createId('org');
  const connectionId = createId('con');
  const numberId = createId('num');
  const workflowId = createId('wf');
  const from = fictional(0);
  await storage.organizations.create({
    id: organizationId,
    name: 'Acme',
    allowedCountries: ['US'],
    dailyCallMinutes: options.dailyCallMinutes ?? null,
  });
  await storage.organizations.saveConnection({
    id: connectionId,
    organizationId,
    mode: 'live',
    accountId: 'AC1',
    network: null,
    sealedSecret: 'sealed',
    accountName: 'Acme',
    accountType: 'full',
    businessProfile: 'Profile Approved',
    callsPerSecond: options.callsPerSecond ?? 1000,
    maximumConcurrentCalls: options.maximumConcurrentCalls ?? null,
  });
  await storage.organizations.connectNumber({
    id: numberId,
    organizationId,
    connectionId,
    mode: 'live',
    phoneNumber: from,
    providerNumberId: 'PN1',
  });
  const scope: Scope = { organizationId, mode: 'live' };
  await storage.workflows.create(scope, { id: workflowId, name: 'Reminder', definition });

  let callees = 0;
  const input = (changes: Partial<AcceptCall> = {}): AcceptCall => {
    callees += 1;
    const to = fictional((callees % 99) + 1);
    return {
      callId: createId('call'),
      organizationId,
      mode: 'live',
      to,
      toKey: keyOf(changes.to ?? to),
      recipientName: null,
      recipientEmail: null,
      recipientContext: null,
      callbackUrl: null,
      sealedCallbackSecret: null,
      dialInMs: 0,
      deadlineMs: 60_000,
      defaultDailyMinutes: null,
      idempotency: null,
      work: { origin: 'workflow', workflowId },
      ...changes,
    };
  };
  const accept = async (changes: Partial<AcceptCall> = {}) => {
    const accepted = input(changes);
    assert.deepEqual(await storage.calls.accept(accepted), { result: 'accepted', connectionId });
    await tick();
    return accepted.callId;
  };
  const claim = async (from: Storage = storage) => {
    for (;;) {
      const claimed = await from.calls.claimNext(connectionId, createId('att'), null);
      if (claimed.result === 'claimed') return claimed.claim;
      assert.equal(claimed.result, 'wait', 'there must be a due call');
      await sleep(claimed.waitMs);
    }
  };

  return {
    ...scope,
    connectionId,
    numberId,
    workflowId,
    from,
    input,
    promptInput: (changes) =>
      input({
        work: {
          origin: 'prompt',
          prompt: 'Ask whether they are open on Monday.',
          workflowId: createId('wf'),
          workflowName: 'Opening hours',
          fallbackDefinition: definition,
        },
        ...changes,
      }),
    accept,
    claim,
    async placed(changes) {
      const callId = await accept(changes);
      const { attempt } = await claim();
      assert.equal(attempt.callId, callId);
      const providerCallId = `CA-${attempt.id}`;
      assert.equal(await storage.calls.attemptPlaced(attempt.id, providerCallId), true);
      return { callId, attemptId: attempt.id, providerCallId };
    },
    async call(callId) {
      const call = await storage.calls.get(scope, callId);
      assert.ok(call !== null);
      return call;
    },
    async jobs(kind, leaseMs = 30_000) {
      const jobs = await storage.jobs.claim({ kind, limit: 10_000, leaseMs, perOrganization: 10_000 });
      return jobs.filter((job) => job.organizationId === organizationId);
    },
  };
}

/** A second line of the organization, which later calls of the mode go out on. */
export async function addLine(storage: Storage, tenant: Tenant, mode: Mode): Promise<string> {
  const { organizationId } = tenant;
  const connectionId = createId('con');
  await storage.organizations.saveConnection({
    id: connectionId,
    organizationId,
    mode,
    accountId: 'AC2',
    network: null,
    sealedSecret: 'sealed',
    accountName: 'Acme',
    accountType: 'full',
    businessProfile: 'Profile Approved',
    callsPerSecond: 1000,
    maximumConcurrentCalls: null,
  });
  await storage.organizations.connectNumber({
    id: createId('num'),
    organizationId,
    connectionId,
    mode,
    phoneNumber: fictional(99),
    providerNumberId: 'PN9',
  });
  if (mode === 'live') await storage.organizations.disconnectNumber(tenant, tenant.numberId);
  return connectionId;
}

/** An idempotency part whose stored answer is made of the key and `body`. */
export function idempotency(key: string, body: string, changes: { lifetimeMs?: number } = {}) {
  return {
    endpoint: 'POST /call',
    key,
    keyHash: `hash of ${key}`,
    fingerprint: `fingerprint of ${body}`,
    lifetimeMs: changes.lifetimeMs ?? 300_000,
    answer: { status: 200, body },
  };
}

/** So that what comes next is newer: times are compared by the millisecond. */
export function tick(): Promise<void> {
  return sleep(3);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A transfer to these numbers, one after the other. */
export function transferOf(
  callId: string,
  numbers: readonly string[] = [fictional(60), fictional(61)],
): NewTransfer {
  return {
    id: createId('trf'),
    callId,
    integrationId: createId('tri'),
    name: 'Billing',
    mode: 'warm',
    ringSeconds: 25,
    takeMessages: true,
    reason: 'Wants a person',
    summary: 'It is about invoice 7.',
    legs: numbers.map((to, index) => ({
      id: createId('leg'),
      to,
      source: index === 0 ? 'static' : 'fallback',
    })),
  };
}
