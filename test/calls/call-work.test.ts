import { CallkiteError, createId, type LanguageModel, type Storage } from '@callkite/core';
import { createTenant } from '@callkite/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createVoicemailWork,
  createWorkflowGenerationWork,
} from '../../packages/core/src/features/calls/call-work.ts';
import { testStorage } from '../test-storage.ts';

let storage: Storage;
beforeAll(async () => {
  storage = testStorage();
  await storage.start();
});
afterAll(() => storage.stop());

const away: LanguageModel = {
  async *streamTurn() {},
  generateObject: async () => {
    throw new CallkiteError('provider_unavailable', 'the model is away', { retryable: true });
  },
};

it('a call whose message for mailboxes cannot be written is dialed without it at the second try', async () => {
  const tenant = await createTenant(storage);
  const workflowId = createId('wf');
  const definition = (await storage.workflows.get(tenant, tenant.workflowId))?.definition;
  if (!definition) throw new Error('the tenant has no workflow');
  await storage.workflows.create(tenant, {
    id: workflowId,
    name: 'Call back',
    definition: { ...definition, voicemail: { message: 'Please call back.', generate: true } },
  });
  const callId = await tenant.accept({ work: { origin: 'workflow', workflowId } });
  const due: string[] = [];
  const { run } = createVoicemailWork({
    storage,
    languageModelFor: () => away,
    organizationName: async () => 'Acme',
    buildDeliveries: async () => [],
    onDue: (connectionId) => due.push(connectionId),
    onDeliveries: () => undefined,
    emit: () => undefined,
  });
  const { organizationId } = tenant;
  const job = {
    id: 'job_1',
    kind: 'write_voicemail',
    organizationId,
    subjectId: callId,
    leaseToken: 'none',
  } as const;
  const { signal } = new AbortController();
  await expect(run({ ...job, tries: 1 }, signal)).rejects.toMatchObject({ code: 'provider_unavailable' });
  expect(await storage.calls.claimNext(tenant.connectionId, createId('att'), null)).toEqual({
    result: 'idle',
  });
  expect(await run({ ...job, tries: 2 }, signal)).toEqual({ done: true });
  expect(due).toEqual([tenant.connectionId]);
  const { call } = await tenant.claim();
  expect([call.id, call.voicemailMessage]).toEqual([callId, null]);
});

it('“tomorrow” in a prompt counts from the day on which it was asked for', async () => {
  const tenant = await createTenant(storage);
  const callId = await tenant.accept(tenant.promptInput());
  const told: string[] = [];
  const { run } = createWorkflowGenerationWork({
    storage: {
      ...storage,
      calls: {
        ...storage.calls,
        async load(id) {
          const loaded = await storage.calls.load(id);
          return (
            loaded && { ...loaded, call: { ...loaded.call, createdAt: new Date('2026-03-02T17:00:00Z') } }
          );
        },
      },
    },
    languageModelFor: () => ({
      ...away,
      generateObject(request) {
        told.push(JSON.stringify(request));
        return away.generateObject(request);
      },
    }),
    organizationName: async () => 'Acme',
    buildDeliveries: async () => [],
    onDue: () => undefined,
    onDeliveries: () => undefined,
    emit: () => undefined,
  });
  const { organizationId } = tenant;
  const job = {
    id: 'job_2',
    kind: 'generate_workflow',
    organizationId,
    subjectId: callId,
    leaseToken: 'none',
  } as const;
  await run({ ...job, tries: 1 }, new AbortController().signal).catch(() => undefined);
  expect(told.join()).toContain('Monday, March 2, 2026');
});
