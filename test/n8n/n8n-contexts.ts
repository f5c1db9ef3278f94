import { Callkite, CallkiteTrigger } from './built-nodes.ts';

type ExecuteContext = ThisParameterType<Callkite['execute']>;
type LifecycleContext = ThisParameterType<CallkiteTrigger['webhookMethods']['default']['create']>;
type WebhookContext = ThisParameterType<CallkiteTrigger['webhook']>;
type SearchContext = ThisParameterType<Callkite['methods']['listSearch']['searchWorkflows']>;
type Parameters = Readonly<Record<string, unknown>>;

export interface Credential {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** How a webhook ended: n8n's own answer to what the node returned, or the node's own. */
export interface WebhookOutcome {
  readonly status: number;
  readonly body: unknown;
  /** What the workflow was started or resumed with. */
  readonly items: readonly Record<string, unknown>[];
}

interface HttpRequestOptions {
  readonly method: string;
  readonly url: string;
  readonly qs?: Record<string, unknown>;
  readonly body?: unknown;
}

/** A context of n8n with these members; a node that reaches for others is told so. */
function contextOf<Context>(members: Record<string, unknown>): Context {
  return new Proxy(members, {
    get(target, name) {
      if (name in target || typeof name === 'symbol') return target[String(name)];
      throw new Error(`the stand-in of n8n has no ${name}`);
    },
  }) as Context;
}

function parameterReader(parametersOf: (itemIndex: number) => Parameters) {
  return (name: string, itemIndex = 0, fallback?: unknown, options?: { extractValue?: boolean }) => {
    const value = parametersOf(itemIndex)[name] ?? fallback;
    const isLocator = typeof value === 'object' && value !== null && '__rl' in value;
    return isLocator && options?.extractValue ? (value as unknown as { value: unknown }).value : value;
  };
}

/** As n8n's helper answers with `returnFullResponse` and `ignoreHttpStatusErrors`: undefined fields are left out. */
async function httpRequest({ apiKey }: Credential, { method, url, qs = {}, body }: HttpRequestOptions) {
  const address = new URL(url);
  for (const [name, value] of Object.entries(qs)) address.searchParams.set(name, String(value));
  const response = await fetch(address, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body ? JSON.stringify(body) : null,
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: isJson ? JSON.parse(text) : text,
  };
}

function sharedMembers(credential: Credential, type: string) {
  const node = { id: 'node-1', name: 'Callkite', type, typeVersion: 1, position: [0, 0], parameters: {} };
  return {
    getNode: () => node,
    getCredentials: async () => credential,
    helpers: {
      async httpRequestWithAuthentication(_name: string, options: HttpRequestOptions) {
        return await httpRequest(credential, options);
      },
      returnJsonArray: (items: object[]) => items.map((json) => ({ json })),
    },
  };
}

export interface RunOptions {
  readonly credential: Credential;
  readonly parameters: Parameters | ((itemIndex: number) => Parameters);
  readonly items?: readonly Record<string, unknown>[];
  readonly executionId?: string;
  readonly continueOnFail?: boolean;
  readonly asTool?: boolean;
  readonly resumeUrl?: string;
}

/** One execution that reaches the action node. `try()` is what Retry On Fail repeats. */
export function callkiteRun(options: RunOptions) {
  const { credential, parameters, executionId = '1', continueOnFail = false, asTool = false } = options;
  const parametersOf = typeof parameters === 'function' ? parameters : () => parameters;
  const items = (options.items ?? [{}]).map((json) => ({ json }));
  const nodeContext: Record<string, unknown> = {};
  let waitTill: Date | undefined;
  const shared = {
    ...sharedMembers(credential, asTool ? 'n8n-nodes-callkite.callkiteTool' : 'n8n-nodes-callkite.callkite'),
    getExecutionId: () => executionId,
    evaluateExpression(expression: string) {
      if (expression === '{{ $runIndex }}') return 0;
      if (expression === '{{ $execution.resumeUrl }}') return options.resumeUrl;
      if (expression === '{{ $node["Callkite"].context.callId }}') return nodeContext.callId;
      throw new Error(`the stand-in of n8n does not know ${expression}`);
    },
  };
  const context = contextOf<ExecuteContext>({
    ...shared,
    getInputData: () => items,
    getNodeParameter: parameterReader(parametersOf),
    getInstanceId: () => 'the-n8n-of-the-tests',
    getTimezone: () => 'America/New_York',
    getContext: () => nodeContext,
    continueOnFail: () => continueOnFail,
    isToolExecution: () => false,
    async putExecutionToWait(date: Date) {
      waitTill = date;
    },
  });
  const node = new Callkite();
  return {
    items,
    waitTill: () => waitTill,
    try: async () => (await node.execute.call(context))[0] ?? [],
    resume: (headers: Record<string, unknown>, body: unknown) =>
      webhookOutcome((members) => node.webhook.call(contextOf<WebhookContext>({ ...shared, ...members })), {
        headers,
        body,
      }),
  };
}

export const searchWorkflows = (credential: Credential, filter?: string) =>
  new Callkite().methods.listSearch.searchWorkflows.call(
    contextOf<SearchContext>(sharedMembers(credential, 'n8n-nodes-callkite.callkite')),
    filter,
  );

/** A workflow that begins with the trigger: its static data outlives activations, as in n8n. */
export function triggerWorkflow(options: { credential: Credential; parameters: Parameters; url: string }) {
  const staticData: Record<string, unknown> = {};
  const workflowId = crypto.randomUUID();
  const shared = {
    ...sharedMembers(options.credential, 'n8n-nodes-callkite.callkiteTrigger'),
    getMode: () => 'webhook',
    getWorkflow: () => ({ id: workflowId, name: 'Calls to the CRM', active: true }),
    getWorkflowStaticData: () => staticData,
    getNodeWebhookUrl: () => options.url,
    getNodeParameter: (name: string, fallback?: unknown) => options.parameters[name] ?? fallback,
  };
  const trigger = new CallkiteTrigger();
  const { checkExists, create, delete: remove } = trigger.webhookMethods.default;
  const lifecycle = contextOf<LifecycleContext>(shared);
  return {
    staticData,
    checkExists: () => checkExists.call(lifecycle),
    create: () => create.call(lifecycle),
    remove: () => remove.call(lifecycle),
    receive: (headers: Record<string, unknown>, rawBody: Buffer) =>
      webhookOutcome(
        (members) =>
          trigger.webhook.call(
            contextOf<WebhookContext>({ ...shared, ...members, getRequestObject: () => ({ rawBody }) }),
          ),
        { headers, body: JSON.parse(String(rawBody)) },
      ),
  };
}

async function webhookOutcome(
  handle: (members: Record<string, unknown>) => ReturnType<CallkiteTrigger['webhook']>,
  request: { headers: Record<string, unknown>; body: unknown },
): Promise<WebhookOutcome> {
  let own = { status: 0, body: null as unknown };
  const response = {
    status(status: number) {
      own = { ...own, status };
      return response;
    },
    json(body: unknown) {
      own = { ...own, body };
    },
  };
  const result = await handle({
    getHeaderData: () => request.headers,
    getBodyData: () => request.body,
    getResponseObject: () => response,
  });
  const items = (result.workflowData?.[0] ?? []).map(({ json }) => json);
  if (result.noWebhookResponse) return { ...own, items };
  return { status: 200, body: result.webhookResponse, items };
}
