import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { CallStore } from './call-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { DoNotCallStore } from './do-not-call-store.ts';
import type { FormStore } from './form-store.ts';
import type { JobStore } from './job-store.ts';
import type { OrganizationStore } from './organization-store.ts';
import type { RecordingStore } from './recording-store.ts';
import type { SecretStore } from './secret-store.ts';
import type { SpendingStore } from './spending-store.ts';
import type { ToolCallStore } from './tool-call-store.ts';
import type { TransferStore } from './transfer-store.ts';
import type { WebCallStore } from './web-call-store.ts';
import type { WorkflowStore } from './workflow-store.ts';

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
export interface Storage {
  readonly organizations: OrganizationStore;
  readonly doNotCall: DoNotCallStore;
  readonly workflows: WorkflowStore;
  readonly forms: FormStore;
  readonly calls: CallStore;
  readonly toolCalls: ToolCallStore;
  readonly recordings: RecordingStore;
  readonly transfers: TransferStore;
  readonly spending: SpendingStore;
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
  /**
   * A limiter that is exact across all processes on this store. Fixed window from a key's first hit, by the store's clock.
   * Its `consume` rejects with a `RateLimiterRes` when the points are used up, and with an `Error` when the store fails.
   */
  createRateLimiter(options: {
    readonly keyPrefix: string;
    readonly points: number;
    readonly durationSeconds: number;
  }): RateLimiterAbstract;
}
