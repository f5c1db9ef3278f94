import type { Route } from './route.ts';
import { callRoutes } from './routes/calls.ts';
import { connectionRoutes } from './routes/connections.ts';
import { doNotCallRoutes } from './routes/do-not-call.ts';
import { formRoutes } from './routes/forms.ts';
import { healthRoutes } from './routes/health.ts';
import { organizationRoutes } from './routes/organizations.ts';
import { publishableKeyRoutes } from './routes/publishable-keys.ts';
import { recordingRoutes } from './routes/recordings.ts';
import { transferIntegrationRoutes } from './routes/transfer-integrations.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { widgetRoutes } from './routes/widget.ts';
import { workflowRoutes } from './routes/workflows.ts';

/** Every operation of the API: requests are routed by this table, and the OpenAPI document is made from it. */
export const apiRoutes: readonly Route[] = [
  ...callRoutes,
  ...recordingRoutes,
  ...workflowRoutes,
  ...formRoutes,
  ...transferIntegrationRoutes,
  ...webhookRoutes,
  ...doNotCallRoutes,
  ...connectionRoutes,
  ...organizationRoutes,
  ...publishableKeyRoutes,
  ...widgetRoutes,
  ...healthRoutes,
];
