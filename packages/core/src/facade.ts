import {
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
  type PromptCallResponse,
  pageQuery,
  promptCallRequest,
  triggerCallRequest,
  updateFormRequest,
  updateOrganizationRequest,
  updatePublishableKeyRequest,
  updateTransferIntegrationRequest,
  updateWorkflowRequest,
  widgetCallbackRequest,
  widgetSessionRequest,
} from '@callkite/contract';
import * as z from 'zod';
import type { Callkite } from './callkite.ts';
import type { AcceptedCall, Calls } from './calls/calls.ts';
import { CallkiteError } from './errors.ts';
import type { PageRequest } from './ports/page.ts';
import { checkValue, validate } from './validation.ts';

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
  const { organizations, workflows, forms, calls, webhooks } = services;
  const { transferIntegrations, publishableKeys, webCalls } = services;

  return {
    organizations: {
      ...organizations,
      create: async (input) => organizations.create(checked(createOrganizationRequest, input)),
      list: async (page) => organizations.list(checkedPage(page)),
      update: async (id, change) => organizations.update(id, checked(updateOrganizationRequest, change)),
      createApiKey: async (id, input) => organizations.createApiKey(id, checked(createApiKeyRequest, input)),
      listApiKeys: async (id, page) => organizations.listApiKeys(id, checkedPage(page)),
      async connectCarrier(id, { mode, ...input }) {
        return organizations.connectCarrier(id, { mode, ...checked(createConnectionRequest, input) });
      },
      async connectNumber(id, connectionId, phoneNumber) {
        const number = checked(connectNumberRequest, { phoneNumber });
        return organizations.connectNumber(id, connectionId, number.phoneNumber);
      },
    },
    workflows: {
      ...workflows,
      create: async (id, input) => workflows.create(id, checked(createWorkflowRequest, input)),
      list: async (id, page) => workflows.list(id, checkedPage(page)),
      update: async (organizationId, id, change) =>
        workflows.update(organizationId, id, checked(updateWorkflowRequest, change)),
    },
    forms: {
      ...forms,
      create: async (id, input) => forms.create(id, checked(createFormRequest, input)),
      list: async (id, page) => forms.list(id, checkedPage(page)),
      update: async (organizationId, id, change) =>
        forms.update(organizationId, id, checked(updateFormRequest, change)),
    },
    calls: {
      ...calls,
      async trigger(caller, { dialInMs, ...input }) {
        const request = checked(triggerCallRequest, input);
        const accepted = await calls.trigger(caller, { ...request, ...checked(dialTime, { dialInMs }) });
        const callId = idOf(accepted);
        const { replayed } = accepted;
        if (!replayed) return { callId, workflowId: request.workflowId, replayed };
        const { call } = await calls.get(caller.organizationId, callId);
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
      createIntegration: async (id, input) =>
        webhooks.createIntegration(id, checked(createWebhookRequest, input)),
      listIntegrations: async (id, page) => webhooks.listIntegrations(id, checkedPage(page)),
      listDeliveries: async (id, filter, page) => webhooks.listDeliveries(id, filter, checkedPage(page)),
    },
    transferIntegrations: {
      ...transferIntegrations,
      create: async (caller, settings) =>
        transferIntegrations.create(caller, checked(createTransferIntegrationRequest, settings)),
      list: async (id, page) => transferIntegrations.list(id, checkedPage(page)),
      update: async (organizationId, id, change) =>
        transferIntegrations.update(organizationId, id, checked(updateTransferIntegrationRequest, change)),
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
