import { publishableKeyRoutes } from '../channels/web/publishable-key-routes.ts';
import { widgetRoutes } from '../channels/web/routes.ts';
import { callRoutes } from '../features/calls/routes.ts';
import { doNotCallRoutes } from '../features/do-not-call/routes.ts';
import { formRoutes } from '../features/forms/routes.ts';
import { webhookRoutes } from '../features/notifications/routes.ts';
import { connectionRoutes } from '../features/organizations/connection-routes.ts';
import { organizationRoutes } from '../features/organizations/routes.ts';
import { recordingRoutes } from '../features/recordings/routes.ts';
import { transferIntegrationRoutes } from '../features/transfers/routes.ts';
import { workflowRoutes } from '../features/workflows/routes.ts';
import type { Route } from '../kernel/route.ts';
import { healthRoutes } from './health-routes.ts';
import type { HttpServices } from './services.ts';

/** Every operation of the API: requests are routed by this table, and the OpenAPI document is made from it. */
export const apiRoutes: readonly Route<HttpServices>[] = [
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
