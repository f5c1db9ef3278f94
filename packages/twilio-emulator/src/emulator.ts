import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Account, accountSchema, builtInAccounts } from './accounts.ts';
import { builtInCallees } from './callees/built-in-callees.ts';
import { answersNumber } from './callees/callee.ts';
import { CallRecordings } from './calls/call-recordings.ts';
import { Exchange } from './calls/exchange.ts';
import { handleControl } from './control-api.ts';
import type { Emulation } from './emulation.ts';
import { FaultInjector, type Faults } from './faults.ts';
import { type CallRecord, Ledger } from './ledger.ts';
import { pace } from './line/pace.ts';
import { Recordings } from './media/recordings.ts';
import type { EmulatorOptions } from './options.ts';
import { AccountApi } from './rest/account-api.ts';
import { CallsApi } from './rest/calls.ts';
import { RecordingsApi } from './rest/recordings.ts';
import { RestRouter, sendJson } from './rest/router.ts';
import { Webhooks } from './webhooks.ts';

const DEFAULT_RECORD_LIMIT = 100_000;
const KEEP_ALIVE_MS = 65_000;

/** A running emulator. */
export interface TwilioEmulator {
  /** `http://host:port` without a slash at the end: the base URL of every product. */
  readonly url: string;
  readonly accounts: readonly Account[];
  /** The truth about every create request and every leg, the oldest first. Live objects: read, don't write. */
  calls(): CallRecord[];
  /** The truth about one call. */
  call(sid: string): CallRecord | undefined;
  /**
   * The sound of a media stream so far as a WAV file, the callee on the left and the agent on the right. Undefined without
   * the option `recordAudio`, or when newer streams needed the room.
   */
  recording(streamSid: string): Uint8Array | undefined;
  /** Forgets all calls, and ends those that live without telling anybody. */
  reset(): void;
  /** Changes faults while it runs; faults that are not named stay as they are. */
  configure(change: { faults: Partial<Faults> }): void;
  /** Ends all calls without telling anybody, closes all connections, and stops listening. */
  close(): Promise<void>;
}

/**
 * Starts an emulated Twilio.
 *
 * @example
 * const emulator = await startTwilioEmulator({ speed: 20, allowInsecureLoopback: true });
 * const { sid, authToken } = builtInAccounts.approved;
 * const client = twilio(sid, authToken);
 * client.api.baseUrl = emulator.url;
 */
export async function startTwilioEmulator(options: EmulatorOptions = {}): Promise<TwilioEmulator> {
  const accountList = (options.accounts ?? Object.values(builtInAccounts)).map((each) =>
    accountSchema.parse(each),
  );
  const accounts = new Map(accountList.map((account) => [account.sid, account]));
  const callees = [...(options.callees ?? []), ...builtInCallees];
  const speed = options.speed ?? 1;
  if (!(speed > 0)) throw new Error(`speed must be greater than 0, not ${speed}`);

  const emulation: Emulation = {
    pace: pace(speed),
    faults: new FaultInjector(options.faults ?? {}, options.seed ?? 1),
    webhooks: new Webhooks(),
    ledger: new Ledger({
      limit: options.recordLimit ?? DEFAULT_RECORD_LIMIT,
      onForgotten: (sid) => exchange.forget(sid),
    }),
    allowInsecureLoopback: options.allowInsecureLoopback ?? false,
    keepTranscripts: options.transcripts ?? true,
    recordings: options.recordAudio ? new Recordings() : undefined,
    get callRecordings() {
      return callRecordings;
    },
    calleeAt: (number) => callees.find((callee) => answersNumber(callee, number)),
    placeChild: (parent, request) => exchange.placeChild(parent, request),
    onEvent: options.onEvent ?? (() => {}),
  };
  const callRecordings = new CallRecordings(emulation);
  const exchange = new Exchange(emulation);
  const router = new RestRouter({
    emulation,
    accounts,
    calls: new CallsApi(emulation, exchange),
    recordings: new RecordingsApi(emulation, exchange),
    account: new AccountApi({
      accounts: accountList,
      allowInsecureLoopback: emulation.allowInsecureLoopback,
    }),
  });

  const server = createServer((request, response) => {
    const handled = request.url?.startsWith('/_emulator')
      ? handleControl(emulation, accountList, request, response)
      : router.handle(request, response, url);
    handled.catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { code: 20500, message: String(error), more_info: '', status: 500 });
    });
  });
  // Longer than clients keep idle connections, so that no request meets a connection that is just being closed.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

  return {
    url,
    accounts: accountList,
    calls: () => emulation.ledger.all(),
    call: (sid) => emulation.ledger.find(sid),
    recording: (streamSid) => emulation.recordings?.wav(streamSid),
    reset: () => {
      emulation.ledger.clear();
      emulation.recordings?.clear();
      callRecordings.clear();
    },
    configure: ({ faults }) => void emulation.faults.configure(faults),
    async close() {
      emulation.webhooks.close();
      exchange.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
