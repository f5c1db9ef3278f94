import type { PublishableKeys } from '../channels/web/publishable-keys.ts';
import type { WebCalls } from '../channels/web/web-calls.ts';
import type { Calls } from '../features/calls/calls.ts';
import type { DoNotCall } from '../features/do-not-call/do-not-call.ts';
import type { Forms } from '../features/forms/forms.ts';
import type { Webhooks } from '../features/notifications/webhooks.ts';
import type { Organizations } from '../features/organizations/organizations.ts';
import type { Recordings } from '../features/recordings/recordings.ts';
import type { TransferIntegrations } from '../features/transfers/transfer-integrations.ts';
import type { Workflows } from '../features/workflows/workflows.ts';
import type { Readiness } from '../kernel/route.ts';
import type { ApiReference } from './api-reference.ts';

/** What routes work with. */
export interface HttpServices {
  organizations: Organizations;
  workflows: Workflows;
  forms: Forms;
  doNotCall: DoNotCall;
  calls: Calls;
  recordings: Recordings;
  webhooks: Webhooks;
  transferIntegrations: TransferIntegrations;
  publishableKeys: PublishableKeys;
  webCalls: WebCalls;
  /** As in `CallkiteOptions`. */
  apiReference?: ApiReference | undefined;
  readiness(): Promise<Readiness>;
}
