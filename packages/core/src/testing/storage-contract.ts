import type { Storage } from '../storage.ts';
import { acceptingContract } from './storage/accepting.ts';
import { attemptsContract } from './storage/attempts.ts';
import { conversationsContract } from './storage/conversations.ts';
import { deliveriesContract } from './storage/deliveries.ts';
import { dialingContract } from './storage/dialing.ts';
import { doNotCallContract } from './storage/do-not-call.ts';
import { erasingContract } from './storage/erasing.ts';
import { formsContract } from './storage/forms.ts';
import { jobsContract } from './storage/jobs.ts';
import { limitingContract } from './storage/limiting.ts';
import { modesContract } from './storage/modes.ts';
import { networksContract } from './storage/networks.ts';
import { organizationsContract } from './storage/organizations.ts';
import { recordingsContract } from './storage/recordings.ts';
import { reportsContract } from './storage/reports.ts';
import { secretsContract } from './storage/secrets.ts';
import { spendingContract } from './storage/spending.ts';
import type { StorageTest } from './storage/tenant.ts';
import { toolCallsContract } from './storage/tool-calls.ts';
import { transfersContract } from './storage/transfers.ts';
import { webCallsContract } from './storage/web-calls.ts';
import { workflowsContract } from './storage/workflows.ts';
import type { TestFunction } from './telephony-contract.ts';

export interface StorageContractOptions {
  /** Registers a test. The tests of one store run one after the other. */
  it: TestFunction;
  /**
   * A started store, asked for by each test. It may be the same one every time: each test makes its own
   * organizations. The suite does not stop it.
   */
  createStorage(): Promise<Storage>;
  /**
   * A further started store on the same data, as another process would have it; the suite stops it.
   * Left out where data belongs to one process.
   */
  openAnother?(): Promise<Storage>;
}

/** What every store must do, as tests: atomic steps, isolation of organizations, limits and leases under concurrency. */
export function storageContract(options: StorageContractOptions): void {
  const { it, createStorage, openAnother } = options;
  const test: StorageTest = (name, run) => {
    it(name, async () => run(await createStorage()));
  };
  organizationsContract(test);
  workflowsContract(test);
  formsContract(test);
  acceptingContract(test);
  dialingContract(test, openAnother);
  attemptsContract(test);
  reportsContract(test);
  conversationsContract(test);
  toolCallsContract(test);
  recordingsContract(test);
  transfersContract(test);
  spendingContract(test, openAnother);
  webCallsContract(test);
  jobsContract(test, openAnother);
  deliveriesContract(test);
  doNotCallContract(test);
  erasingContract(test);
  limitingContract(test, openAnother);
  networksContract(test);
  modesContract(test);
  secretsContract(test);
}
