import type {
  AddDoNotCallRequest,
  ApiKeyResource,
  CallDetail,
  CallListQuery,
  CallResource,
  CarrierNumberList,
  ConnectionResource,
  ConnectNumberRequest,
  CreateApiKeyRequest,
  CreateConnectionRequest,
  CreatedApiKey,
  CreatedPublishableKey,
  CreatedWebhook,
  CreateFormRequest,
  CreateOrganizationRequest,
  CreatePublishableKeyRequest,
  CreateTransferIntegrationRequest,
  CreateWebhookRequest,
  CreateWorkflowRequest,
  DeliveryDetail,
  DeliveryResource,
  DoNotCallEntryResource,
  FormResource,
  ImportDoNotCallRequest,
  ImportedDoNotCall,
  NumberResource,
  OrganizationDetail,
  OrganizationResource,
  PromptCallRequest,
  PromptCallResponse,
  PublishableKeyResource,
  TransferIntegrationResource,
  TriggerCallRequest,
  TriggerCallResponse,
  UpdateFormRequest,
  UpdateOrganizationRequest,
  UpdatePublishableKeyRequest,
  UpdateTransferIntegrationRequest,
  UpdateWebhookRequest,
  UpdateWorkflowRequest,
  WebhookResource,
  WidgetCallback,
  WidgetCallbackRequest,
  WidgetCallbackState,
  WidgetSession,
  WidgetSessionRequest,
  WidgetSettings,
  WorkflowListQuery,
  WorkflowResource,
  WorkflowSummaries,
} from '@callkite/contract';

/** What `trigger` resolves to: the answer's body, and the id from its header. */
export interface TriggeredCall extends TriggerCallResponse {
  /** `null` for the answer to a repeated request that the server no longer knows the call of. */
  call_id: string | null;
}

/** Whether a server takes requests, and what it found when it looked. */
export interface Readiness {
  ok: boolean;
  checks: Record<string, string>;
}

/** Which entries of the do-not-call list to fetch. */
export type DoNotCallQuery = {
  /** E.164 */
  phone_number?: string;
  /** `true`: those that were lifted. @default 'false' */
  lifted?: 'true' | 'false';
};

export type PageOptions = {
  /** Items to fetch at a time, 1 to 100. @default 100 */
  limit?: number;
};

/** Every operation of the HTTP API. Lists are `AsyncIterable`s that fetch their pages as they are needed. */
export interface CallkiteClient {
  readonly calls: {
    /**
     * Places a call that runs a workflow. Without an `idempotency_key` one is made up, so that retries of this one
     * invocation never ring twice; every error it rejects with has the key as `idempotencyKey`.
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
    /** Newest first. */
    list(query?: Omit<CallListQuery, 'cursor'>): AsyncIterable<CallResource>;
    cancel(callId: string): Promise<CallResource>;
    /** Erases what was said on a call that is over, and who it was with, for good. */
    erase(callId: string): Promise<CallResource>;
    /** @param recordingUrl `recording_url` of a call; good for 15 minutes */
    recording(recordingUrl: string): Promise<Blob>;
  };
  readonly workflows: {
    /** @param query.source `api` leaves out those that were generated for prompt calls */
    list(query?: WorkflowListQuery): AsyncIterable<WorkflowSummaries['workflows'][number]>;
    create(request: CreateWorkflowRequest): Promise<WorkflowResource>;
    /** @param options.version an earlier version; the current one when absent */
    get(id: string, options?: { version?: number }): Promise<WorkflowResource>;
    update(id: string, request: UpdateWorkflowRequest): Promise<WorkflowResource>;
    delete(id: string): Promise<void>;
  };
  readonly forms: {
    create(request: CreateFormRequest): Promise<FormResource>;
    list(options?: PageOptions): AsyncIterable<FormResource>;
    /** @param options.version an earlier version; the current one when absent */
    get(id: string, options?: { version?: number }): Promise<FormResource>;
    update(id: string, request: UpdateFormRequest): Promise<FormResource>;
    delete(id: string): Promise<void>;
  };
  readonly transferIntegrations: {
    /** Needs an approved business profile. */
    create(request: CreateTransferIntegrationRequest): Promise<TransferIntegrationResource>;
    list(options?: PageOptions): AsyncIterable<TransferIntegrationResource>;
    get(id: string): Promise<TransferIntegrationResource>;
    update(id: string, request: UpdateTransferIntegrationRequest): Promise<TransferIntegrationResource>;
    delete(id: string): Promise<void>;
  };
  readonly webhooks: {
    /** The answer holds the signing secret; it is not shown again. */
    create(request: CreateWebhookRequest): Promise<CreatedWebhook>;
    list(options?: PageOptions): AsyncIterable<WebhookResource>;
    /** What is on its way goes to a new address too. */
    update(id: string, request: UpdateWebhookRequest): Promise<WebhookResource>;
    /**
     * The answer holds the new signing secret; it is not shown again. The present one stays good for 24 hours, unless
     * you rotate again meanwhile.
     */
    rotateSecret(id: string): Promise<CreatedWebhook>;
    delete(id: string): Promise<void>;
    /** Sends a sample. */
    test(id: string): Promise<DeliveryResource>;
    deliveries(id: string, query?: PageOptions & { call_id?: string }): AsyncIterable<DeliveryResource>;
  };
  /** Numbers that are not called. */
  readonly doNotCall: {
    add(request: AddDoNotCallRequest): Promise<DoNotCallEntryResource>;
    /** Adds many; rows that are no phone numbers are reported. */
    import(request: ImportDoNotCallRequest): Promise<ImportedDoNotCall>;
    list(query?: DoNotCallQuery & PageOptions): AsyncIterable<DoNotCallEntryResource>;
    /** Lets a number be called again. A reason is required where the callee asked for no more calls. */
    lift(phoneNumber: string, query?: { reason?: string }): Promise<DoNotCallEntryResource>;
  };
  /** Callbacks and webhooks that were sent or are to be sent. */
  readonly deliveries: {
    /** Newest first. */
    list(query?: PageOptions & { call_id?: string }): AsyncIterable<DeliveryResource>;
    get(id: string): Promise<DeliveryDetail>;
    /** Sends a webhook again, with the same id and bytes. */
    resend(id: string): Promise<DeliveryResource>;
  };
  /** Accounts at a carrier. */
  readonly connections: {
    create(request: CreateConnectionRequest): Promise<ConnectionResource>;
    list(): AsyncIterable<ConnectionResource>;
    get(id: string): Promise<ConnectionResource>;
    /** Asks the carrier again for the type of the account and its business profile. */
    refresh(id: string): Promise<ConnectionResource>;
    delete(id: string): Promise<void>;
    /** The numbers of the account, whether connected or not. */
    numbers(id: string): AsyncIterable<CarrierNumberList['numbers'][number]>;
    /** Lets calls go out from a number of the account. */
    connectNumber(id: string, request: ConnectNumberRequest): Promise<NumberResource>;
  };
  /** Numbers that calls go out from. */
  readonly numbers: {
    list(): AsyncIterable<NumberResource>;
    disconnect(id: string): Promise<void>;
  };
  /** Managed with live keys only. */
  readonly apiKeys: {
    /** The answer holds the key; it is not shown again. */
    create(request: CreateApiKeyRequest): Promise<CreatedApiKey>;
    /** Newest first. */
    list(options?: PageOptions): AsyncIterable<ApiKeyResource>;
    revoke(id: string): Promise<ApiKeyResource>;
  };
  /** Keys of web pages, for the widget. Managed with live keys only. */
  readonly publishableKeys: {
    /** The answer holds the identity secret; it is not shown again. */
    create(request: CreatePublishableKeyRequest): Promise<CreatedPublishableKey>;
    /** Newest first. */
    list(options?: PageOptions): AsyncIterable<PublishableKeyResource>;
    update(id: string, request: UpdatePublishableKeyRequest): Promise<PublishableKeyResource>;
    revoke(id: string): Promise<PublishableKeyResource>;
  };
  /** What the operator of a server does. The client's `apiKey` must be the operator's token. */
  readonly organizations: {
    create(request: CreateOrganizationRequest): Promise<OrganizationResource>;
    list(options?: PageOptions): AsyncIterable<OrganizationResource>;
    get(id: string): Promise<OrganizationDetail>;
    update(id: string, request: UpdateOrganizationRequest): Promise<OrganizationResource>;
    /** The answer holds the key; it is not shown again. */
    createApiKey(id: string, request: CreateApiKeyRequest): Promise<CreatedApiKey>;
    /** Newest first, revoked ones included. */
    apiKeys(id: string, options?: PageOptions): AsyncIterable<ApiKeyResource>;
    revokeApiKey(id: string, keyId: string): Promise<ApiKeyResource>;
  };
  /**
   * What pages do for their visitors, for a widget of your own. The client's `apiKey` must be a publishable key, and
   * `origin` one of the origins it is for.
   */
  readonly widget: {
    /** Admits a visitor to a web call, which begins with the WebSocket that the token opens. */
    openSession(request: WidgetSessionRequest, page: { origin: string }): Promise<WidgetSession>;
    /** Calls a visitor back. It has no idempotency key and is never sent twice. */
    requestCallback(request: WidgetCallbackRequest, page: { origin: string }): Promise<WidgetCallback>;
    /** @param token the call-back's own */
    callbackState(callId: string, token: string): Promise<WidgetCallbackState>;
    /** @param token the call-back's own */
    cancelCallback(callId: string, token: string): Promise<WidgetCallbackState>;
    /** What the key offers. */
    settings(page: { origin: string }): Promise<WidgetSettings>;
  };
  readonly server: {
    /** Resolves when the process runs. */
    health(): Promise<{ ok: true }>;
    /** Whether it should get requests. Resolves also when not. */
    readiness(): Promise<Readiness>;
  };
}
