import {
  addDoNotCallRequest,
  callListQuery,
  connectNumberRequest,
  createApiKeyRequest,
  createConnectionRequest,
  createFormRequest,
  createOrganizationRequest,
  createPublishableKeyRequest,
  createTransferIntegrationRequest,
  createWebhookRequest,
  createWorkflowRequest,
  liftDoNotCallQuery,
  type PromptCallResponse,
  pageQuery,
  promptCallRequest,
  triggerCallRequest,
  updateFormRequest,
  updateOrganizationRequest,
  updatePublishableKeyRequest,
  updateTransferIntegrationRequest,
  updateWebhookRequest,
  updateWorkflowRequest,
  widgetCallbackRequest,
  widgetSessionRequest,
  workflowListQuery,
} from '@callkite/contract';
import * as z from 'zod';
import type { Callkite } from './callkite.ts';
import type { Calls } from './features/calls/calls.ts';
import type { AcceptedCall } from './features/calls/idempotency.ts';
import { CallkiteError } from './kernel/errors.ts';
import type { PageRequest } from './kernel/page.ts';
import { checkValue, validate } from './kernel/validation.ts';

type Services = Omit<Callkite, 'calls' | 'carriers' | 'handle' | 'fetch' | 'start' | 'stop'> & {
  readonly calls: Calls;
};

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const renamed = (value: object, rename: (name: string) => string) =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [rename(name), field]),
  );
const textOf = (value: unknown) =>
  value instanceof Date ? (Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()) : value;

/** The input as a request over HTTP would have left it. Throws what that would be refused with. */
function checked<Input extends object>(schema: z.ZodType, input: Input): Input {
  checkValue(input);
  if (typeof input !== 'object' || input === null) return validate(schema, input) as Input;
  const fields = Object.entries(renamed(input, snakeCase)).map(([name, value]) => [name, textOf(value)]);
  return renamed(validate(schema, Object.fromEntries(fields)) as object, camelCase) as Input;
}

function checkedPage(page: PageRequest): PageRequest {
  const { limit, cursor } = checked(pageQuery, { limit: page.limit, cursor: page.cursor ?? undefined });
  return { limit, cursor: cursor ?? null };
}

const dialTime = z.object({ dial_in_ms: z.int().min(0).optional() });

/** The services as code gets them: their input is checked, as that of requests over HTTP is before it comes to them. */
export function createFacade(services: Services): Pick<Callkite, keyof Services> {
  const { organizations, workflows, forms, doNotCall, calls, webhooks } = services;
  const { transferIntegrations, publishableKeys, webCalls } = services;

  return {
    organizations: {
      ...organizations,
      create: async (input) => organizations.create(checked(createOrganizationRequest, input)),
      list: async (page) => organizations.list(checkedPage(page)),
      update: async (id, change) => organizations.update(id, checked(updateOrganizationRequest, change)),
      createApiKey: async (id, input) => organizations.createApiKey(id, checked(createApiKeyRequest, input)),
      listApiKeys: async (id, page) => organizations.listApiKeys(id, checkedPage(page)),
      connectCarrier: async (scope, input) =>
        organizations.connectCarrier(scope, checked(createConnectionRequest, input)),
      async connectNumber(scope, connectionId, phoneNumber) {
        const number = checked(connectNumberRequest, { phoneNumber });
        return organizations.connectNumber(scope, connectionId, number.phoneNumber);
      },
    },
    workflows: {
      ...workflows,
      create: async (scope, input) => workflows.create(scope, checked(createWorkflowRequest, input)),
      list: async (scope, page) => workflows.list(scope, checkedPage(page)),
      summaries: async (scope, filter = {}) => workflows.summaries(scope, checked(workflowListQuery, filter)),
      update: async (scope, id, change) =>
        workflows.update(scope, id, checked(updateWorkflowRequest, change)),
    },
    forms: {
      ...forms,
      create: async (scope, input) => forms.create(scope, checked(createFormRequest, input)),
      list: async (scope, page) => forms.list(scope, checkedPage(page)),
      update: async (scope, id, change) => forms.update(scope, id, checked(updateFormRequest, change)),
    },
    doNotCall: {
      ...doNotCall,
      add: async (caller, input) => doNotCall.add(caller, checked(addDoNotCallRequest, input)),
      list: async (scope, filter, page) => doNotCall.list(scope, filter, checkedPage(page)),
      lift: async (caller, phoneNumber, input) =>
        doNotCall.lift(caller, phoneNumber, checked(liftDoNotCallQuery, input)),
    },
    calls: {
      ...calls,
      async trigger(caller, { dialInMs, ...input }) {
        const request = checked(triggerCallRequest, input);
        const accepted = await calls.trigger(caller, { ...request, ...checked(dialTime, { dialInMs }) });
        const callId = idOf(accepted);
        const { replayed } = accepted;
        if (!replayed) return { callId, workflowId: request.workflowId, replayed };
        const { call } = await calls.get(caller, callId);
        return { callId, workflowId: call.workflowId, replayed };
      },
      async prompt(caller, input) {
        const accepted = await calls.prompt(caller, checked(promptCallRequest, input));
        const { workflow_id: workflowId } = JSON.parse(accepted.body) as PromptCallResponse;
        return { callId: idOf(accepted), workflowId, replayed: accepted.replayed };
      },
      async list(caller, filter, page) {
        const { limit: _, ...checkedFilter } = checked(callListQuery, { ...filter, limit: undefined });
        return calls.list(caller, checkedFilter, checkedPage(page));
      },
    },
    webhooks: {
      ...webhooks,
      createIntegration: async (scope, input) =>
        webhooks.createIntegration(scope, checked(createWebhookRequest, input)),
      updateIntegration: async (scope, id, change) =>
        webhooks.updateIntegration(scope, id, checked(updateWebhookRequest, change)),
      listIntegrations: async (scope, page) => webhooks.listIntegrations(scope, checkedPage(page)),
      listDeliveries: async (scope, filter, page) =>
        webhooks.listDeliveries(scope, filter, checkedPage(page)),
    },
    transferIntegrations: {
      ...transferIntegrations,
      create: async (scope, settings) =>
        transferIntegrations.create(scope, checked(createTransferIntegrationRequest, settings)),
      list: async (scope, page) => transferIntegrations.list(scope, checkedPage(page)),
      update: async (scope, id, change) =>
        transferIntegrations.update(scope, id, checked(updateTransferIntegrationRequest, change)),
    },
    publishableKeys: {
      ...publishableKeys,
      create: async (id, input) => publishableKeys.create(id, checked(createPublishableKeyRequest, input)),
      list: async (id, page) => publishableKeys.list(id, checkedPage(page)),
      update: async (organizationId, id, change) =>
        publishableKeys.update(organizationId, id, checked(updatePublishableKeyRequest, change)),
    },
    webCalls: {
      ...webCalls,
      openSession: async (visitor, input) =>
        webCalls.openSession(visitor, checked(widgetSessionRequest, input)),
      async requestCallback(visitor, input) {
        const { when, ...request } = checked(widgetCallbackRequest, input);
        return webCalls.requestCallback(visitor, { ...request, ...(when && { when: new Date(when) }) });
      },
    },
  };
}

function idOf({ callId }: AcceptedCall): string {
  if (callId !== null) return callId;
  throw new CallkiteError(
    'conflict',
    'An older version of this server placed a call with this idempotency key: find it with calls.list',
  );
}
