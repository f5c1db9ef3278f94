import type { ToolCallStore } from './agent/tools/tool-call-store.ts';
import type { CallStore } from './calls/call-store.ts';
import type { WebCallStore } from './channels/web/web-call-store.ts';
import type { DoNotCallStore } from './features/do-not-call/do-not-call-store.ts';
import type { FormStore } from './features/forms/form-store.ts';
import type { DeliveryStore } from './features/notifications/delivery-store.ts';
import type { OrganizationStore } from './features/organizations/organization-store.ts';
import type { RecordingStore } from './features/recordings/recording-store.ts';
import type { TransferStore } from './features/transfers/transfer-store.ts';
import type { UsageStore } from './features/usage/usage-store.ts';
import type { WorkflowStore } from './features/workflows/workflow-store.ts';
import type { JobStore } from './kernel/jobs/job-store.ts';
import type { RateLimiterSource } from './kernel/rate-limit.ts';
import type { SecretStore } from './kernel/secret-store.ts';

/**
 * Everything Callkite keeps. What must hold for every implementation, under any number of processes:
 * - Each method is one atomic step, unless its comment says otherwise: all of its effects or none.
 * - All points in time come from the store's clock, not from the caller's; callers pass durations.
 * - A method that takes a `Scope` neither reads nor changes rows of another organization or of the other mode (workflows
 *   and forms say what test mode may read of live mode). One that takes an `organizationId` keeps to its organization.
 * - Failure to reach the store is a retryable `storage_unavailable` within 5 s; nothing has happened then,
 *   except where a commit's outcome is unknowable.
 * - Strings hold no U+0000 and no lone surrogates: the HTTP edge refuses them.
 */
export interface Storage extends RateLimiterSource {
  readonly organizations: OrganizationStore;
  readonly doNotCall: DoNotCallStore;
  readonly workflows: WorkflowStore;
  readonly forms: FormStore;
  readonly calls: CallStore;
  readonly toolCalls: ToolCallStore;
  readonly recordings: RecordingStore;
  readonly transfers: TransferStore;
  readonly usage: UsageStore;
  readonly webCalls: WebCallStore;
  readonly deliveries: DeliveryStore;
  readonly jobs: JobStore;
  readonly secrets: SecretStore;
  /** Brings the schema up to date; safe to call from many processes at once. Idempotent. */
  start(): Promise<void>;
  /** Waits for running statements and closes connections. Idempotent. */
  stop(): Promise<void>;
  /** Cheap round trip; rejects when the store cannot be reached. Also tells the store's clock for the skew check. */
  ping(): Promise<{ readonly nowMs: number }>;
  /**
   * Whether something could be stored now: not when the disk of the store has no room (`full`), nor when it answers and
   * takes no writes (`read-only`). Changes nothing, and takes some milliseconds of the store's time; rejects when it cannot
   * be reached.
   */
  checkWritable(): Promise<'ok' | 'full' | 'read-only'>;
  /**
   * Runs `work` while nobody else on this store, in any process, runs work of the same name, waiting its turn as long as
   * it takes. A process that dies gives up its turn. `work` may take seconds and uses the store as usual.
   */
  exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}
