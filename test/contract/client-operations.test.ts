import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CallkiteClient, callkite } from '@callkite/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiRoutes } from '../../packages/core/src/http/api-routes.ts';
import { openApiDocument } from '../../packages/core/src/http/open-api/document.ts';

/** What a line of the table below calls the client with; ids and bodies are those of the document. */
interface Sample {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: the example of the document, whose type is that of each operation.
  readonly body: any;
  /** A value for each query parameter of the document but `cursor`. */
  readonly query: Readonly<Record<string, never>>;
  readonly page: { origin: string };
}

/**
 * How the client does each operation of the HTTP API, by operation id. An operation is new? Add a method to
 * `packages/client/src/operations.ts` and `client.ts`, and its line here.
 */
const operations: Record<
  string,
  (client: CallkiteClient, sample: Sample) => Promise<unknown> | AsyncIterable<unknown>
> = {
  triggerCall: ({ calls }, { body }) => calls.trigger(body),
  promptCall: ({ calls }, { body }) => calls.prompt(body),
  listCalls: ({ calls }, { query }) => calls.list(query),
  getCall: ({ calls }, { id }) => calls.get(id),
  cancelCall: ({ calls }, { id }) => calls.cancel(id),
  eraseCall: ({ calls }, { id }) => calls.erase(id),
  getRecording: ({ calls }, { id, query }) =>
    calls.recording(`https://elsewhere.example.com/voice/recordings/${id}?${new URLSearchParams(query)}`),

  listWorkflows: ({ workflows }, { query }) => workflows.list(query),
  createWorkflow: ({ workflows }, { body }) => workflows.create(body),
  getWorkflow: ({ workflows }, { id, query }) => workflows.get(id, query),
  updateWorkflow: ({ workflows }, { id, body }) => workflows.update(id, body),
  deleteWorkflow: ({ workflows }, { id }) => workflows.delete(id),

  listForms: ({ forms }, { query }) => forms.list(query),
  createForm: ({ forms }, { body }) => forms.create(body),
  getForm: ({ forms }, { id, query }) => forms.get(id, query),
  updateForm: ({ forms }, { id, body }) => forms.update(id, body),
  deleteForm: ({ forms }, { id }) => forms.delete(id),

  listTransferIntegrations: ({ transferIntegrations }, { query }) => transferIntegrations.list(query),
  createTransferIntegration: ({ transferIntegrations }, { body }) => transferIntegrations.create(body),
  getTransferIntegration: ({ transferIntegrations }, { id }) => transferIntegrations.get(id),
  updateTransferIntegration: ({ transferIntegrations }, { id, body }) =>
    transferIntegrations.update(id, body),
  deleteTransferIntegration: ({ transferIntegrations }, { id }) => transferIntegrations.delete(id),

  createWebhook: ({ webhooks }, { body }) => webhooks.create(body),
  listWebhooks: ({ webhooks }, { query }) => webhooks.list(query),
  updateWebhook: ({ webhooks }, { id, body }) => webhooks.update(id, body),
  deleteWebhook: ({ webhooks }, { id }) => webhooks.delete(id),
  rotateWebhookSecret: ({ webhooks }, { id }) => webhooks.rotateSecret(id),
  testWebhook: ({ webhooks }, { id }) => webhooks.test(id),
  listWebhookDeliveries: ({ webhooks }, { id, query }) => webhooks.deliveries(id, query),
  addDoNotCall: ({ doNotCall }, { body }) => doNotCall.add(body),
  importDoNotCall: ({ doNotCall }, { body }) => doNotCall.import(body),
  listDoNotCall: ({ doNotCall }, { query }) => doNotCall.list(query),
  liftDoNotCall: ({ doNotCall }, { id, query }) => doNotCall.lift(id, query),
  listDeliveries: ({ deliveries }, { query }) => deliveries.list(query),
  getDelivery: ({ deliveries }, { id }) => deliveries.get(id),
  resendDelivery: ({ deliveries }, { id }) => deliveries.resend(id),

  createConnection: ({ connections }, { body }) => connections.create(body),
  listConnections: ({ connections }) => connections.list(),
  getConnection: ({ connections }, { id }) => connections.get(id),
  refreshConnection: ({ connections }, { id }) => connections.refresh(id),
  deleteConnection: ({ connections }, { id }) => connections.delete(id),
  listCarrierNumbers: ({ connections }, { id }) => connections.numbers(id),
  connectNumber: ({ connections }, { id, body }) => connections.connectNumber(id, body),
  listNumbers: ({ numbers }) => numbers.list(),
  disconnectNumber: ({ numbers }, { id }) => numbers.disconnect(id),

  createOrganization: ({ organizations }, { body }) => organizations.create(body),
  listOrganizations: ({ organizations }, { query }) => organizations.list(query),
  getOrganization: ({ organizations }, { id }) => organizations.get(id),
  updateOrganization: ({ organizations }, { id, body }) => organizations.update(id, body),
  createOrganizationApiKey: ({ organizations }, { id, body }) => organizations.createApiKey(id, body),

  listOrganizationApiKeys: ({ organizations }, { id, query }) => organizations.apiKeys(id, query),
  revokeOrganizationApiKey: ({ organizations }, { id }) => organizations.revokeApiKey(id, id),

  createApiKey: ({ apiKeys }, { body }) => apiKeys.create(body),
  listApiKeys: ({ apiKeys }, { query }) => apiKeys.list(query),
  revokeApiKey: ({ apiKeys }, { id }) => apiKeys.revoke(id),

  createPublishableKey: ({ publishableKeys }, { body }) => publishableKeys.create(body),
  listPublishableKeys: ({ publishableKeys }, { query }) => publishableKeys.list(query),
  updatePublishableKey: ({ publishableKeys }, { id, body }) => publishableKeys.update(id, body),
  revokePublishableKey: ({ publishableKeys }, { id }) => publishableKeys.revoke(id),

  openWidgetSession: ({ widget }, { body, page }) => widget.openSession(body, page),
  requestWidgetCallback: ({ widget }, { body, page }) => widget.requestCallback(body, page),
  getWidgetCallback: ({ widget }, { id }) => widget.callbackState(id, 'token-of-the-call-back'),
  cancelWidgetCallback: ({ widget }, { id }) => widget.cancelCallback(id, 'token-of-the-call-back'),
  getWidgetSettings: ({ widget }, { page }) => widget.settings(page),

  health: ({ server }) => server.health(),
  readiness: ({ server }) => server.readiness(),
};

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example: unknown } } };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}
interface Content {
  readonly schema: { readonly $ref?: string; readonly properties?: Properties };
}
type Properties = Readonly<Record<string, { readonly type?: string }>>;

const document = openApiDocument(apiRoutes) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: Properties }>> };
};
const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

interface Received {
  readonly method: string | undefined;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

let received: Received[] = [];
let answer: { status: number; body: Record<string, unknown> | null };
const server = createServer(async (request, response) => {
  const body = await text(request);
  const url = new URL(request.url ?? '', 'http://callkite.example.com');
  received.push({
    method: request.method,
    url,
    headers: request.headers,
    body: body === '' ? undefined : JSON.parse(body),
  });
  const isFirst = !url.searchParams.has('cursor');
  const page = answer.body && 'next_cursor' in answer.body && { next_cursor: isFirst ? 'more' : null };
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(answer.body && JSON.stringify({ ...answer.body, ...page }));
});
let client: CallkiteClient;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  client = callkite({ apiKey: 'key-of-the-client', baseUrl: `http://127.0.0.1:${port}` });
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

/** A page without items, or an empty object. */
function answerOf({ responses }: Operation): typeof answer {
  const [status, { content }] = Object.entries(responses)[0] ?? ['200', {}];
  if (!content) return { status: Number(status), body: null };
  const schema = content['application/json']?.schema;
  const named = document.components.schemas[schema?.$ref?.split('/').at(-1) ?? ''] ?? schema;
  const properties = Object.entries(named?.properties ?? {});
  const body = Object.fromEntries(properties.map(([name, { type }]) => [name, type === 'array' ? [] : null]));
  return { status: Number(status), body };
}

describe('the client', () => {
  it.each(documented)('does $operation.operationId: $method $path', async ({ method, path, operation }) => {
    const { operationId, parameters, security, requestBody } = operation;
    const call = operations[operationId];
    if (!call) {
      throw new Error(
        `The client lacks ${method} ${path}: add a method to packages/client/src/operations.ts and client.ts, and the line "${operationId}" to the table of this test`,
      );
    }
    received = [];
    answer = answerOf(operation);
    const names = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
    const query = Object.fromEntries(
      names.filter((name) => name !== 'cursor').map((name) => [name, `a ${name}`]),
    );
    const body = requestBody?.content['application/json'].example;
    const origin = 'https://www.example.com';
    const result = call(client, { id: 'id_1', body, query: query as Sample['query'], page: { origin } });
    if (Symbol.asyncIterator in result) for await (const _ of result);
    else await result;

    const [request, next] = received;
    expect(request).toMatchObject({ method, body });
    expect(request?.url.pathname).toBe(path.replaceAll(/\{\w+\}/g, 'id_1'));
    expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual(query);
    const token = security.some((scheme) => 'visitToken' in scheme)
      ? 'token-of-the-call-back'
      : 'key-of-the-client';
    expect(request?.headers.authorization).toBe(`Bearer ${token}`);
    if (security.some((scheme) => 'publishableKey' in scheme)) expect(request?.headers.origin).toBe(origin);
    // Whatever has pages is read to the last one.
    expect(next?.url.searchParams.get('cursor')).toBe(names.includes('cursor') ? 'more' : undefined);
  });

  it('has no operation that is gone', () => {
    const ids = documented.map(({ operation }) => operation.operationId);
    expect(Object.keys(operations).filter((id) => !ids.includes(id))).toEqual([]);
  });
});
