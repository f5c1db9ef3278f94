import type { Route } from '../../kernel/route.ts';
import { clientSample } from './client-samples.ts';
import { requestExamples } from './examples.ts';
import { received, responsesOf } from './responses.ts';
import { type Json, jsonContent, reference, schemaOf, toJsonSchema } from './schemas.ts';

/** One operation as the document describes it. */
export function operationOf(route: Route): Json {
  const { operationId, auth, body, idempotent = false } = route;
  const security = {
    key: [{ apiKey: [] }],
    operator: [{ operatorToken: [] }],
    publishable: [{ publishableKey: [] }],
    visit: [{ visitToken: [] }],
    none: [],
  }[auth];
  const sample = clientSample(route);
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
    responses: responsesOf(route),
    ...(operationId === 'promptCall' && { callbacks: { result: resultCallback } }),
    ...(sample && { 'x-codeSamples': [sample] }),
  };
}

/** What the service posts to the `callback_url` of a prompt call. */
const resultCallback: Json = {
  '{$request.body#/callback_url}': {
    post: {
      operationId: 'resultCallback',
      summary: 'The call is over',
      description:
        'Sent once, with a time limit of 30 seconds, whatever the outcome. It carries `Authorization: Bearer <callback_secret>` where the request gave a secret.',
      security: [],
      requestBody: jsonContent(reference('CallbackPayload')),
      responses: {
        '2XX': received,
        '4XX': { description: 'Noted as failed. It is not sent again' },
        '5XX': { description: 'Noted as failed. It is not sent again' },
      },
    },
  },
};

/** What the service posts to the webhook integrations of a workflow. */
export const callCompletedWebhook: Json = {
  post: {
    operationId: 'callCompleted',
    tags: ['Webhooks'],
    summary: 'A call of a workflow is over',
    description:
      'Sent to every integration in `definition.metadata.webhooks` of the workflow, and repeated until it is answered with 2xx. Signed as [Standard Webhooks](https://www.standardwebhooks.com): verify the raw body with the secret of the integration, and deduplicate by `call_id`.',
    security: [],
    parameters: [
      webhookHeader('webhook-id', 'Id of the delivery, the same in every attempt'),
      webhookHeader('webhook-timestamp', 'When the attempt was made, in seconds since 1970'),
      webhookHeader('webhook-signature', 'One signature, or two while a secret is being changed'),
    ],
    requestBody: jsonContent(reference('WebhookPayload')),
    responses: {
      '2XX': received,
      '4XX': { description: 'Sent again later' },
      '5XX': { description: 'Sent again later' },
    },
  },
};

function webhookHeader(name: string, description: string): Json {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } };
}

const idempotencyHeader: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Stands for `idempotency_key` in the body; where both are given they must be the same',
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
    ...(name === 'phone_number'
      ? { description: 'The number in E.164 form, with its `+` or `%2B`' }
      : thingIn[collection] && { description: `Id of the ${thingIn[collection]}` }),
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: Route): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toJsonSchema(query, 'input');
  return Object.entries(properties as Record<string, Json>).map(
    ([name, { description, examples, ...schema }]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      description,
      ...(Array.isArray(examples) && { example: examples[0] }),
      schema,
    }),
  );
}
