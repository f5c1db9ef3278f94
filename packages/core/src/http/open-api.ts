import * as contract from '@callkite/contract';
import * as z from 'zod';
import type { ErrorCode } from '../errors.ts';
import { isForPages } from './cors.ts';
import { answerExamples, requestExamples } from './open-api-examples.ts';
import { statusOf } from './problem.ts';
import type { Route } from './route.ts';

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
  WidgetError: contract.widgetErrorBody,
  Error: contract.errorBody,
};

const meaningOf: Readonly<Record<ErrorCode, string>> = {
  validation_failed: 'A field is missing or wrong; `details` holds messages by field',
  malformed_request: 'The body or the query cannot be read',
  invalid_phone_number: 'The phone number is not a valid E.164 number',
  destination_not_allowed: 'Numbers of this kind or country may not be called',
  number_opted_out: 'The person at this number asked not to be called again',
  unauthenticated: 'The key is missing or invalid',
  origin_not_allowed: 'The key is not for pages of this origin',
  workflow_disabled: 'The key is not for this workflow, or the workflow was deleted',
  forbidden: 'It belongs to another organization, or the key may not do this',
  business_profile_required: 'The carrier account has no approved business profile',
  not_found: 'It does not exist, or was deleted',
  method_not_allowed: 'The path does not know this method',
  conflict: 'It is not in a state that allows this',
  payload_too_large: 'The body is larger than 1 MiB',
  unsupported_media_type: 'The body is not plain `application/json`',
  rate_limited: 'Too many requests; try again after `Retry-After` seconds',
  spending_limit:
    'The call minutes of the UTC day are used up; `Retry-After` tells the seconds until the next one',
  request_in_progress: 'A request with this idempotency key is still being answered',
  no_usable_number: 'No phone number to call from is connected',
  carrier_unavailable: 'The phone carrier is down',
  storage_unavailable: 'The database is down; nothing was changed',
  provider_rejected: 'The carrier refused the credentials or the request',
  provider_unavailable: 'The carrier does not answer',
  internal: 'A defect of the service; quote the `Request-Id`',
};

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the routes. */
export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    paths[route.path] = path;
    path[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Callkite',
      version: '1.0.0',
      description: 'Places phone calls, and holds web calls, in which an AI voice agent talks to a person.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '.' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks: {
      callCompleted: {
        post: {
          summary: 'A call of a workflow with webhook integrations is over',
          description: 'Signed as Standard Webhooks; repeated until it is answered with 2xx.',
          requestBody: jsonContent(reference('WebhookPayload')),
          responses: { '2XX': { description: 'Received' } },
        },
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'API key (`ck_live_…` or `ck_test_…`)' },
        publishableKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Publishable key (`ck_pub_…`), from pages of its origins only',
        },
        visitToken: { type: 'http', scheme: 'bearer', description: 'Token of a call-back' },
        operatorToken: { type: 'http', scheme: 'bearer', description: "The operator's token" },
      },
      headers: {
        'Request-Id': header('Id of the request, to quote in reports', 'string'),
        'Callkite-Error-Code': header('Stable code of the error', 'string'),
        'Retry-After': header('Seconds after which to try again', 'integer'),
        'Callkite-Call-Id': header('Id of the call, as `GET /calls/{call_id}` takes it', 'string'),
        'Idempotent-Replayed': header('`true`: the stored answer of an earlier request', 'string'),
        'Idempotent-Body-Mismatch': header('`true`: that request had another body', 'string'),
        RateLimit: header('Requests left in this minute', 'string'),
      },
      schemas: { ...components(requestSchemas, 'input'), ...components(answerSchemas, 'output') },
    },
  };
}

function operation(route: Route): Json {
  const { operationId, auth, body, idempotent = false } = route;
  const security = {
    key: [{ apiKey: [] }],
    operator: [{ operatorToken: [] }],
    publishable: [{ publishableKey: [] }],
    visit: [{ visitToken: [] }],
    none: [],
  }[auth];
  return {
    operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    security,
    parameters: [
      ...pathParameters(route.path),
      ...queryParameters(route),
      ...(idempotent ? [idempotencyHeader] : []),
    ],
    ...(body && {
      requestBody: {
        required: true,
        ...jsonContent(schemaOf(body, 'input'), requestExamples[operationId]),
      },
    }),
    responses: { [route.status]: success(route), ...problems(route) },
    ...(operationId === 'promptCall' && {
      callbacks: {
        result: {
          '{$request.body#/callback_url}': {
            post: {
              summary:
                'The call is over: one attempt, with `Authorization: Bearer <callback_secret>` if one was given',
              requestBody: jsonContent(reference('CallbackPayload')),
              responses: { '2XX': { description: 'Received' } },
            },
          },
        },
      },
    }),
  };
}

function success(route: Route): Json {
  return {
    description: 'Success',
    headers: headerReferences([
      'Request-Id',
      ...(route.auth === 'key' ? ['RateLimit'] : []),
      ...(route.idempotent ? ['Callkite-Call-Id', 'Idempotent-Replayed', 'Idempotent-Body-Mismatch'] : []),
    ]),
    ...(route.mediaType && {
      content: { [route.mediaType]: { schema: { type: 'string', format: 'binary' } } },
    }),
    ...(route.answer && jsonContent(schemaOf(route.answer, 'output'), answerExamples[route.operationId])),
  };
}

function problems(route: Route): Json {
  const codes = new Set<ErrorCode>(route.refusals);
  if (route.auth !== 'none')
    for (const code of ['unauthenticated', 'rate_limited', 'storage_unavailable'] as const) codes.add(code);
  if (route.query || route.body) codes.add('validation_failed').add('malformed_request');
  if (route.body) codes.add('payload_too_large').add('unsupported_media_type');
  if (route.auth === 'publishable') codes.add('origin_not_allowed');
  codes.add('internal');
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(statusOf[code], [...(byStatus.get(statusOf[code]) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, all]) => [
      status,
      {
        description: all.map((code) => `\`${code}\`: ${meaningOf[code]}`).join('. '),
        headers: headerReferences([
          'Request-Id',
          'Callkite-Error-Code',
          ...(status === 429 || status === 503 ? ['Retry-After'] : []),
        ]),
        ...jsonContent(reference(isForPages(route.path) ? 'WidgetError' : 'Error')),
      },
    ]),
  );
}

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same as `idempotency_key` in the body',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

/** What the ids in paths are of, by the collection before them. */
const thingIn: Readonly<Record<string, string>> = {
  calls: 'call',
  recordings: 'recording',
  workflows: 'workflow',
  forms: 'form',
  'transfer-integrations': 'transfer integration',
  webhooks: 'webhook integration',
  deliveries: 'delivery',
  connections: 'carrier connection',
  numbers: 'phone number, from `GET /numbers`',
  organizations: 'organization',
  'api-keys': 'API key',
  'publishable-keys': 'publishable key',
  callbacks: 'call',
};

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/([\w-]+)\/\{(\w+)\}/g)].map(([, collection = '', name]) => ({
    name,
    in: 'path',
    required: true,
    ...(thingIn[collection] && { description: `Id of the ${thingIn[collection]}` }),
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: Route): Json[] {
  if (!query) return [];
  const { properties = {} } = toJsonSchema(query, 'input');
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
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

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  return z.toJSONSchema(schema, { io, override: simplify(io) });
}

/** Leaves out the long patterns behind `format`s, and in answers the promise that no field will ever be added. */
function simplify(io: 'input' | 'output') {
  return ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    if (jsonSchema.format) delete jsonSchema.pattern;
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  };
}

function jsonContent(schema: Json, example?: unknown): Json {
  return { content: { 'application/json': example === undefined ? { schema } : { schema, example } } };
}

function headerReferences(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const header = (description: string, type: string): Json => ({ description, schema: { type } });
