import type {
  CallDetail,
  CallList,
  CallListQuery,
  CallResource,
  CreatedWebhook,
  CreateFormRequest,
  CreateTransferIntegrationRequest,
  CreateWebhookRequest,
  CreateWorkflowRequest,
  DeliveryDetail,
  DeliveryList,
  DeliveryResource,
  FormList,
  FormResource,
  PromptCallRequest,
  PromptCallResponse,
  TransferIntegrationList,
  TransferIntegrationResource,
  TriggerCallRequest,
  TriggerCallResponse,
  UpdateFormRequest,
  UpdateTransferIntegrationRequest,
  UpdateWorkflowRequest,
  WebhookList,
  WebhookResource,
  WorkflowResource,
  WorkflowSummaries,
} from '@callkite/contract';
import { CallkiteTimeoutError } from './api-error.ts';
import { type ApiRequest, type CallkiteClientOptions, createTransport } from './transport.ts';

/** What `trigger` resolves to: the answer's body, and the id from its header. */
export interface TriggeredCall extends TriggerCallResponse {
  /** `null` when the server does not tell it. */
  call_id: string | null;
}

export interface CallkiteClient {
  readonly calls: {
    /**
     * Places a call that runs a workflow. Without an `idempotency_key` one is made up, so that retries of this one
     * invocation never ring twice.
     */
    trigger(request: TriggerCallRequest): Promise<TriggeredCall>;
    /** Places a call from a description of its task; as safe to retry as `trigger`. */
    prompt(request: PromptCallRequest): Promise<PromptCallResponse>;
    get(callId: string): Promise<CallDetail>;
    /**
     * Asks until the call is over and its summary is written.
     * Rejects with `CallkiteTimeoutError` when it is not over in time.
     */
    waitFor(
      callId: string,
      options?: {
        /** @default 900 000 */
        timeoutMs?: number;
        /** Time between questions; each counts against the rate limit. @default 2 000 */
        pollMs?: number;
      },
    ): Promise<CallDetail>;
    /** Newest first; pages are fetched as they are needed. */
    list(query?: Omit<CallListQuery, 'cursor'>): AsyncIterable<CallResource>;
    cancel(callId: string): Promise<CallResource>;
    /** Erases what was said on a call that is over, and who it was with, for good. */
    erase(callId: string): Promise<CallResource>;
  };
  readonly workflows: {
    list(): Promise<WorkflowSummaries['workflows']>;
    create(request: CreateWorkflowRequest): Promise<WorkflowResource>;
    /** @param options.version an earlier version; the current one when absent */
    get(id: string, options?: { version?: number }): Promise<WorkflowResource>;
    update(id: string, request: UpdateWorkflowRequest): Promise<WorkflowResource>;
    delete(id: string): Promise<void>;
  };
  readonly forms: {
    create(request: CreateFormRequest): Promise<FormResource>;
    list(): AsyncIterable<FormResource>;
    /** @param options.version an earlier version; the current one when absent */
    get(id: string, options?: { version?: number }): Promise<FormResource>;
    update(id: string, request: UpdateFormRequest): Promise<FormResource>;
    delete(id: string): Promise<void>;
  };
  readonly transferIntegrations: {
    /** Needs an approved business profile. */
    create(request: CreateTransferIntegrationRequest): Promise<TransferIntegrationResource>;
    list(): AsyncIterable<TransferIntegrationResource>;
    get(id: string): Promise<TransferIntegrationResource>;
    update(id: string, request: UpdateTransferIntegrationRequest): Promise<TransferIntegrationResource>;
    delete(id: string): Promise<void>;
  };
  readonly webhooks: {
    /** The answer holds the signing secret; it is not shown again. */
    create(request: CreateWebhookRequest): Promise<CreatedWebhook>;
    list(): AsyncIterable<WebhookResource>;
    /**
     * The answer holds the new signing secret; it is not shown again. The present one stays good for 24 hours, unless
     * you rotate again meanwhile.
     */
    rotateSecret(id: string): Promise<CreatedWebhook>;
    delete(id: string): Promise<void>;
    /** Sends a sample. */
    test(id: string): Promise<DeliveryResource>;
    deliveries(id: string): AsyncIterable<DeliveryResource>;
  };
  readonly deliveries: {
    get(id: string): Promise<DeliveryDetail>;
    /** Sends a webhook again, with the same id and bytes. */
    resend(id: string): Promise<DeliveryResource>;
  };
}

/**
 * A client of the Callkite HTTP API.
 *
 * ```ts
 * const client = callkite({ apiKey, baseUrl: 'https://callkite.example.com' });
 * const { call_id } = await client.calls.prompt({ recipient_phone: '+12025550142', prompt: 'Ask when they open.' });
 * const { call_status, call_summary } = await client.calls.waitFor(call_id);
 * ```
 *
 * Methods reject with `CallkiteApiError` when the API refuses.
 */
export function callkite(options: CallkiteClientOptions): CallkiteClient {
  const exchange = createTransport(options);
  const send = async <Answer>(request: ApiRequest) => (await exchange<Answer>(request)).body;
  const get = <Answer>(path: string[], query?: Readonly<Record<string, string | number | undefined>>) =>
    send<Answer>({ method: 'GET', path, query, repeatable: true });
  const write = <Answer>(method: 'POST' | 'PATCH' | 'DELETE', path: string[], body?: unknown) =>
    send<Answer>({ method, path, body, repeatable: false });
  const place = <Answer>(path: string, request: { idempotency_key?: string | undefined }) =>
    exchange<Answer>({
      method: 'POST',
      path: [path],
      body: { ...request, idempotency_key: request.idempotency_key ?? crypto.randomUUID() },
      repeatable: true,
    });

  async function* pages<Page extends { next_cursor: string | null }, Item>(
    path: string[],
    itemsOf: (page: Page) => readonly Item[],
    query: Readonly<Record<string, string | number | undefined>> = {},
  ): AsyncGenerator<Item> {
    let cursor: string | undefined;
    do {
      const page: Page = await get<Page>(path, { ...query, cursor });
      yield* itemsOf(page);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  const getCall = (callId: string) => get<CallDetail>(['calls', callId]);

  return {
    calls: {
      async trigger(request) {
        const { body, headers } = await place<TriggerCallResponse>('call', request);
        return { ...body, call_id: headers.get('callkite-call-id') };
      },
      prompt: async (request) => (await place<PromptCallResponse>('call-prompt', request)).body,
      get: getCall,
      async waitFor(callId, { timeoutMs = 900_000, pollMs = 2_000 } = {}) {
        const deadline = performance.now() + timeoutMs;
        for (;;) {
          const call = await getCall(callId);
          const over = call.state === 'completed';
          if (over && call.call_summary !== null) return call;
          if (performance.now() + pollMs > deadline) {
            if (over) return call;
            throw new CallkiteTimeoutError(`call ${callId} was not over within ${timeoutMs} ms`);
          }
          await new Promise((resolve) => setTimeout(resolve, pollMs));
        }
      },
      list: (query) =>
        pages<CallList, CallResource>(['calls'], ({ calls }) => calls, { limit: 100, ...query }),
      cancel: (callId) => send({ method: 'POST', path: ['calls', callId, 'cancel'], repeatable: true }),
      erase: (callId) => send({ method: 'DELETE', path: ['calls', callId], repeatable: true }),
    },
    workflows: {
      list: async () => (await get<WorkflowSummaries>(['workflows'])).workflows,
      create: (request) => write('POST', ['workflows'], request),
      get: (id, { version } = {}) => get(['workflows', id], { version }),
      update: (id, request) => write('PATCH', ['workflows', id], request),
      delete: (id) => write('DELETE', ['workflows', id]),
    },
    forms: {
      create: (request) => write('POST', ['forms'], request),
      list: () => pages<FormList, FormResource>(['forms'], ({ forms }) => forms),
      get: (id, { version } = {}) => get(['forms', id], { version }),
      update: (id, request) => write('PATCH', ['forms', id], request),
      delete: (id) => write('DELETE', ['forms', id]),
    },
    transferIntegrations: {
      create: (request) => write('POST', ['transfer-integrations'], request),
      list: () =>
        pages<TransferIntegrationList, TransferIntegrationResource>(
          ['transfer-integrations'],
          ({ transfer_integrations }) => transfer_integrations,
        ),
      get: (id) => get(['transfer-integrations', id]),
      update: (id, request) => write('PATCH', ['transfer-integrations', id], request),
      delete: (id) => write('DELETE', ['transfer-integrations', id]),
    },
    webhooks: {
      create: (request) => write('POST', ['webhooks'], request),
      list: () => pages<WebhookList, WebhookResource>(['webhooks'], ({ webhooks }) => webhooks),
      rotateSecret: (id) => write('POST', ['webhooks', id, 'rotate-secret']),
      delete: (id) => write('DELETE', ['webhooks', id]),
      test: (id) => write('POST', ['webhooks', id, 'test']),
      deliveries: (id) =>
        pages<DeliveryList, DeliveryResource>(['webhooks', id, 'deliveries'], ({ deliveries }) => deliveries),
    },
    deliveries: {
      get: (id) => get(['deliveries', id]),
      resend: (id) => write('POST', ['deliveries', id, 'resend']),
    },
  };
}
