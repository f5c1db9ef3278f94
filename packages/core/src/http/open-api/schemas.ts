import * as contract from '@callkite/contract';
import * as z from 'zod';

export type Json = Record<string, unknown>;

/** Bodies of requests that have a name in the document, and the parts of them that do. */
const requestSchemas: Record<string, z.ZodType> = {
  TriggerCallRequest: contract.triggerCallRequest,
  PromptCallRequest: contract.promptCallRequest,
  WorkflowDefinitionInput: contract.workflowDefinition,
  CreateWorkflowRequest: contract.createWorkflowRequest,
  UpdateWorkflowRequest: contract.updateWorkflowRequest,
  CreateFormRequest: contract.createFormRequest,
  UpdateFormRequest: contract.updateFormRequest,
  FormFieldInput: contract.formField,
  CreateTransferIntegrationRequest: contract.createTransferIntegrationRequest,
  UpdateTransferIntegrationRequest: contract.updateTransferIntegrationRequest,
  CreateWebhookRequest: contract.createWebhookRequest,
  AddDoNotCallRequest: contract.addDoNotCallRequest,
  ImportDoNotCallRequest: contract.importDoNotCallRequest,
  CreateConnectionRequest: contract.createConnectionRequest,
  ConnectNumberRequest: contract.connectNumberRequest,
  CreateOrganizationRequest: contract.createOrganizationRequest,
  UpdateOrganizationRequest: contract.updateOrganizationRequest,
  CreateApiKeyRequest: contract.createApiKeyRequest,
  CreatePublishableKeyRequest: contract.createPublishableKeyRequest,
  UpdatePublishableKeyRequest: contract.updatePublishableKeyRequest,
  WidgetSessionRequest: contract.widgetSessionRequest,
  WidgetCallbackRequest: contract.widgetCallbackRequest,
};

/** The same for bodies of answers, callbacks and webhooks. */
const answerSchemas: Record<string, z.ZodType> = {
  TriggerCallResponse: contract.triggerCallResponse,
  PromptCallResponse: contract.promptCallResponse,
  Call: contract.callResource,
  CallDetail: contract.callDetail,
  CallList: contract.callList,
  Message: contract.message,
  FormFill: contract.formFill,
  CallbackPayload: contract.callbackPayload,
  WebhookPayload: contract.webhookPayload,
  WorkflowDefinition: contract.workflowDefinition,
  WorkflowSummaries: contract.workflowSummaries,
  Workflow: contract.workflowResource,
  Form: contract.formResource,
  FormList: contract.formList,
  FormField: contract.formField,
  TransferIntegration: contract.transferIntegrationResource,
  TransferIntegrationList: contract.transferIntegrationList,
  CallTransfer: contract.callTransfer,
  Webhook: contract.webhookResource,
  CreatedWebhook: contract.createdWebhook,
  WebhookList: contract.webhookList,
  DoNotCallEntry: contract.doNotCallEntry,
  DoNotCallList: contract.doNotCallList,
  ImportedDoNotCall: contract.importedDoNotCall,
  Delivery: contract.deliveryResource,
  DeliveryDetail: contract.deliveryDetail,
  DeliveryList: contract.deliveryList,
  Connection: contract.connectionResource,
  ConnectionList: contract.connectionList,
  CarrierNumberList: contract.carrierNumberList,
  Number: contract.numberResource,
  NumberList: contract.numberList,
  Organization: contract.organizationResource,
  OrganizationDetail: contract.organizationDetail,
  OrganizationList: contract.organizationList,
  ApiKey: contract.apiKeyResource,
  CreatedApiKey: contract.createdApiKey,
  ApiKeyList: contract.apiKeyList,
  PublishableKey: contract.publishableKeyResource,
  CreatedPublishableKey: contract.createdPublishableKey,
  PublishableKeyList: contract.publishableKeyList,
  WidgetSession: contract.widgetSession,
  WidgetCallback: contract.widgetCallback,
  WidgetCallbackState: contract.widgetCallbackState,
  WidgetSettings: contract.widgetSettings,
  WidgetError: contract.widgetErrorBody,
  Error: contract.errorBody,
};

export const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The schemas that have a name in the document, by that name. */
export function namedSchemas(): Json {
  return { ...components(requestSchemas, 'input'), ...components(answerSchemas, 'output') };
}

/** A schema of the contract as it stands in the document: by its name, where it has one. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const named = Object.entries(io === 'input' ? requestSchemas : answerSchemas);
  const name = named.find(([, each]) => each === schema)?.[0];
  if (name !== undefined) return reference(name);
  const { $schema: _, ...inline } = toJsonSchema(schema, io);
  return inline;
}

function components(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const described = z.toJSONSchema(registry, { io, uri: (id) => reference(id).$ref, override: simplify(io) });
  return Object.fromEntries(
    Object.entries(described.schemas).map(([id, { $schema: _schema, $id: _id, ...schema }]) => [id, schema]),
  );
}

export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  return z.toJSONSchema(schema, { io, override: simplify(io) });
}

/** Leaves out the long patterns behind `format`s, and in answers the promise that no field will ever be added. */
function simplify(io: 'input' | 'output') {
  return ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    if (jsonSchema.format) delete jsonSchema.pattern;
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  };
}

export function jsonContent(schema: Json, example?: unknown): Json {
  return { content: { 'application/json': example === undefined ? { schema } : { schema, example } } };
}
