import type { Route } from '../../kernel/route.ts';
import { requestExamples } from './examples.ts';
import type { Json } from './schemas.ts';

const callId = "'call_01kag0p2h4zs6w8y1a3c5e7g9j'";
const workflowId = "'wf_01kag0n5v8qx3t7m2d9e4b6c8f'";
const formId = "'form_01kag0n2t4v6x8z0b2d4f6h8k0'";
const transferId = "'tri_01kag0n7c9e1g3i5k7m9o1q3s5'";
const webhookId = "'whk_01kag0n9b1d3f5h7j9m1p3r5t7'";
const deliveryId = "'dlv_01kag0q3k5m7n9p1r3t5v7x9z1'";
const connectionId = "'con_01kag0r4m6n8p0q2s4t6v8x0z2'";
const organizationId = "'org_01kag0s5n7p9q1r3t5v7x9z1b3'";
const page = "{ origin: 'https://www.example.com' }";

const listing = (list: string, fields: string) =>
  `for await (const { ${fields} } of client.${list}) {\n  console.log(${fields});\n}`;

/** How `@callkite/client` does what an operation is for. `BODY` stands for the example of the request. */
const statements: Readonly<Record<string, string>> = {
  triggerCall: 'const { call_id } = await client.calls.trigger(BODY);',
  promptCall: `const { call_id } = await client.calls.prompt(BODY);
const { call_status, call_summary } = await client.calls.waitFor(call_id);`,
  listCalls: listing("calls.list({ call_status: 'success' })", 'call_id, call_summary'),
  getCall: `const { state, call_status, messages } = await client.calls.get(${callId});`,
  cancelCall: `const { state } = await client.calls.cancel(${callId});`,
  eraseCall: `const { erased_at } = await client.calls.erase(${callId});`,
  getRecording: `const { recording_url } = await client.calls.get(${callId});
if (recording_url !== null) console.log((await client.calls.recording(recording_url)).size);`,
  listWorkflows: listing("workflows.list({ source: 'api' })", 'id, name'),
  createWorkflow: 'const { id } = await client.workflows.create(BODY);',
  getWorkflow: `const { definition } = await client.workflows.get(${workflowId});`,
  updateWorkflow: `const { version } = await client.workflows.update(${workflowId}, BODY);`,
  deleteWorkflow: `await client.workflows.delete(${workflowId});`,
  listForms: listing('forms.list()', 'id, title'),
  createForm: 'const { id } = await client.forms.create(BODY);',
  getForm: `const { fields } = await client.forms.get(${formId});`,
  updateForm: `const { version } = await client.forms.update(${formId}, BODY);`,
  deleteForm: `await client.forms.delete(${formId});`,
  listTransferIntegrations: listing('transferIntegrations.list()', 'id, name'),
  createTransferIntegration: 'const { id } = await client.transferIntegrations.create(BODY);',
  getTransferIntegration: `const { available } = await client.transferIntegrations.get(${transferId});`,
  updateTransferIntegration: `await client.transferIntegrations.update(${transferId}, BODY);`,
  deleteTransferIntegration: `await client.transferIntegrations.delete(${transferId});`,
  createWebhook: 'const { id, secret } = await client.webhooks.create(BODY);',
  listWebhooks: listing('webhooks.list()', 'id, url'),
  updateWebhook: `const { url } = await client.webhooks.update(${webhookId}, BODY);`,
  deleteWebhook: `await client.webhooks.delete(${webhookId});`,
  rotateWebhookSecret: `const { secret } = await client.webhooks.rotateSecret(${webhookId});`,
  testWebhook: `const { status } = await client.webhooks.test(${webhookId});`,
  listWebhookDeliveries: listing(`webhooks.deliveries(${webhookId})`, 'id, status'),
  listDeliveries: listing(`deliveries.list({ call_id: ${callId} })`, 'id, status'),
  getDelivery: `const { attempts } = await client.deliveries.get(${deliveryId});`,
  resendDelivery: `const { status } = await client.deliveries.resend(${deliveryId});`,
  createConnection: 'const { id } = await client.connections.create(BODY);',
  listConnections: listing('connections.list()', 'id, status'),
  getConnection: `const { status } = await client.connections.get(${connectionId});`,
  refreshConnection: `const { status } = await client.connections.refresh(${connectionId});`,
  deleteConnection: `await client.connections.delete(${connectionId});`,
  listCarrierNumbers: listing(`connections.numbers(${connectionId})`, 'phone_number, connected'),
  connectNumber: `const { id } = await client.connections.connectNumber(${connectionId}, BODY);`,
  addDoNotCall: 'const { id } = await client.doNotCall.add(BODY);',
  importDoNotCall: 'const { added, refused } = await client.doNotCall.import(BODY);',
  listDoNotCall: listing('doNotCall.list()', 'phone_number, source'),
  liftDoNotCall: "await client.doNotCall.lift('+12025550171', { reason: 'They wrote to us' });",
  listNumbers: listing('numbers.list()', 'id, phone_number'),
  disconnectNumber: "await client.numbers.disconnect('num_01kag0t6p8q0r2s4t6v8x0z2b4');",
  createApiKey: 'const { key } = await client.apiKeys.create(BODY);',
  listApiKeys: listing('apiKeys.list()', 'id, name'),
  revokeApiKey: "await client.apiKeys.revoke('key_01kag0v7q9r1s3t5v7x9z1b3d5');",
  createPublishableKey: 'const { key, identity_secret } = await client.publishableKeys.create(BODY);',
  listPublishableKeys: listing('publishableKeys.list()', 'id, name'),
  updatePublishableKey: "await client.publishableKeys.update('pub_01kag0w8r0s2t4v6x8z0b2d4f6', BODY);",
  revokePublishableKey: "await client.publishableKeys.revoke('pub_01kag0w8r0s2t4v6x8z0b2d4f6');",
  createOrganization: 'const { id } = await client.organizations.create(BODY);',
  listOrganizations: listing('organizations.list()', 'id, name'),
  getOrganization: `const { call_minutes_today } = await client.organizations.get(${organizationId});`,
  updateOrganization: `await client.organizations.update(${organizationId}, BODY);`,
  createOrganizationApiKey: `const { key } = await client.organizations.createApiKey(${organizationId}, BODY);`,
  listOrganizationApiKeys: listing(`organizations.apiKeys(${organizationId})`, 'id, prefix'),
  revokeOrganizationApiKey: `await client.organizations.revokeApiKey(${organizationId}, 'key_01kag0v7q9r1s3t5v7x9z1b3d5');`,
  openWidgetSession: `const { url, token } = await client.widget.openSession(BODY, ${page});`,
  requestWidgetCallback: `const { call_id, token } = await client.widget.requestCallback(BODY, ${page});
const { state } = await client.widget.callbackState(call_id, token);`,
  getWidgetCallback: `const { state } = await client.widget.callbackState(${callId}, 'token-of-the-call-back');`,
  cancelWidgetCallback: `const { result } = await client.widget.cancelCallback(${callId}, 'token-of-the-call-back');`,
  getWidgetSettings: `const { callback_countries } = await client.widget.settings(${page});`,
  health: 'const { ok } = await client.server.health();',
  readiness: 'const { ok, checks } = await client.server.readiness();',
};

/** What the client's `apiKey` is, by who may use an operation. */
const keys: Readonly<Record<Route['auth'], string>> = {
  key: 'ck_test_…',
  none: 'ck_test_…',
  operator: 'the-token-of-the-operator',
  publishable: 'ck_pub_…',
  visit: 'ck_pub_…',
};

/** A program that uses our own client, as `x-codeSamples` has it; `null` for what the client does not offer. */
export function clientSample({ operationId, auth }: Pick<Route, 'operationId' | 'auth'>): Json | null {
  const statement = statements[operationId];
  if (statement === undefined) return null;
  const source = `import { callkite } from '@callkite/client';

const client = callkite({ apiKey: '${keys[auth]}', baseUrl: 'https://callkite.example.com' });

${statement.replace('BODY', () => literal(requestExamples[operationId]))}`;
  return { lang: 'typescript', label: '@callkite/client', source };
}

/** A JSON value as people write it in TypeScript. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const entries = Array.isArray(value)
    ? value.map((each) => literal(each, inner))
    : Object.entries(value).map(([name, each]) => `${name}: ${literal(each, inner)}`);
  const onOneLine = `${open} ${entries.join(', ')} ${close}`.replace(/^\[ (.*) \]$/, '[$1]');
  if (onOneLine.length + indent.length <= 90 && !onOneLine.includes('\n')) return onOneLine;
  return `${open}\n${entries.map((each) => `${inner}${each},\n`).join('')}${indent}${close}`;
}
