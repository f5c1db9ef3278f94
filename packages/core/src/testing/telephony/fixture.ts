import assert from 'node:assert/strict';
import type {
  CarrierAccount,
  CarrierAdapter,
  CarrierCallStatus,
  PlaceCallRequest,
} from '../../calls/carrier-adapter.ts';
import type { HttpRequest } from '../../kernel/http.ts';

/** What a carrier sends to us, as it leaves the carrier: signed, and ready to be tampered with. */
export interface CarrierRequest {
  /** Path below `/carriers/{name}/`. */
  readonly path: string;
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The call a request of the carrier is about, and the secret that signs it. */
export interface SignedCall {
  readonly attemptToken: string;
  readonly providerCallId: string;
  readonly secret: string;
}

/** What a carrier does wrong from now on. `none` ends whatever it was. */
export type CarrierFault =
  | 'none'
  /** Creates the call, and answers 5xx. */
  | 'fails-after-create'
  /** Answers 5xx and creates nothing. */
  | 'fails-before-create'
  /** Creates the call, and resets the connection. */
  | 'resets-after-create'
  /** Reads the request, creates nothing, and resets the connection. */
  | 'resets-before-create'
  /** Creates the call, and never answers. */
  | 'hangs-after-create'
  /** Reads the request, creates nothing, and never answers. */
  | 'hangs-before-create'
  /** Creates the call, and sends its answer so slowly that it takes minutes. */
  | 'trickles-after-create'
  /** Creates the call, and answers success in a way that nobody can read. */
  | 'garbles-after-create'
  /** Creates nothing, because too much is asked of it. */
  | 'limits-rate'
  /** Answers 5xx to whoever reads or lists calls. */
  | 'fails-reads'
  /** Leaves all calls out of listings. */
  | 'lists-late';

/** One command of the adapter on an audio channel, as its carrier understands it. */
export type AudioCommand =
  | { readonly type: 'play'; readonly audio: string }
  /** `played`: the frames the carrier sends when it gets here. */
  | { readonly type: 'mark'; readonly played: readonly string[] }
  | { readonly type: 'clear' };

/** A carrier to test an adapter against: an emulator, or a server of the test's own. */
export interface TelephonyFixture {
  /** The adapter, speaking to the carrier. */
  readonly telephony: CarrierAdapter;
  /** The adapter, speaking to an address where nobody listens. */
  readonly unreachable: CarrierAdapter;
  /** An account that exists and may call as often as it likes. */
  readonly account: CarrierAccount;
  /** A number of the account, E.164. */
  readonly from: string;
  /** Another account, with a number, whose second call within a minute waits in the carrier's own queue. */
  readonly slowLine: { readonly account: CarrierAccount; readonly from: string };
  /** A number that rings for at least ten seconds, E.164. */
  readonly to: string;
  /** A number that answers within ten seconds, and stays on the line for some, E.164. */
  readonly answering: string;
  /** A number the carrier refuses as invalid, E.164. */
  readonly invalidNumber: string;
  /** An id as the carrier makes them, of no call. */
  readonly unknownCallId: string;
  /** How exactly the carrier dates its calls, in milliseconds. */
  readonly datesToMs: number;
  misbehave(fault: CarrierFault): void;
  /** How many create requests with good credentials have reached the carrier, whatever became of them. */
  creates(): number;
  /** A webhook about the status of the call; 12 s long where it is over. */
  statusWebhook(call: SignedCall, status: CarrierCallStatus): CarrierRequest;
  /** A webhook that says a recording of the call, `RE1`, is complete after 12 s. */
  recordingWebhook(call: SignedCall): CarrierRequest;
  /** The request for a socket that carries words, or sound. */
  upgrade(kind: 'words' | 'audio', call: { attemptToken: string; secret: string }): CarrierRequest;
  /** What the carrier sends over a channel of words, one list of frames for each event. */
  readonly frames: {
    ready(providerCallId: string): readonly string[];
    said(text: string): readonly string[];
    interrupted(heardText: string): readonly string[];
    pressed(digit: string): readonly string[];
    /** The text was played to its end. */
    played(text: string): readonly string[];
    failed(description: string): readonly string[];
  };
  /** The same for a channel of sound, and how its carrier reads what the adapter sends. */
  readonly audioFrames: {
    ready(providerCallId: string): readonly string[];
    /** Sound of the callee that begins at this point of the stream. */
    heard(audio: string, atMs: number): readonly string[];
    pressed(digit: string): readonly string[];
    read(sent: string): AudioCommand;
  };
  stop(): Promise<void>;
}

/** Registers one test of the contract. */
export type FixtureTest = (name: string, run: (fixture: TelephonyFixture) => Promise<void>) => void;

export const attemptToken = 'att_0123456789abcdef.QUFB-_c2ln';

export function placement(fixture: TelephonyFixture): PlaceCallRequest {
  return {
    to: fixture.to,
    from: fixture.from,
    attemptToken,
    ringSeconds: 30,
    maximumDurationSeconds: 600,
    detectMachine: true,
  };
}

/** Places a call, and returns the carrier's id. */
export async function place(
  fixture: TelephonyFixture,
  over: Partial<PlaceCallRequest> = {},
  account: CarrierAccount = fixture.account,
): Promise<string> {
  const placed = await fixture.telephony.placeCall(account, { ...placement(fixture), ...over });
  assert.ok(placed.outcome === 'placed', `the call is ${placed.outcome}`);
  return placed.providerCallId;
}

/** Asks until there is an answer, for ten seconds. */
export async function eventually<T>(what: string, ask: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await ask();
    if (answer !== null) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`${what} did not happen`);
}

/** Whether `actual` has the expected values; it may have others as well. */
export function assertHolds(
  actual: object | null | undefined,
  expected: Readonly<Record<string, unknown>>,
): void {
  const shown = Object.entries(actual ?? {}).filter(([name]) => name in expected);
  assert.deepEqual(Object.fromEntries(shown), expected);
}

export function httpRequest(request: CarrierRequest): HttpRequest {
  return {
    method: request.method,
    target: request.target,
    headers: request.headers,
    remoteAddress: '127.0.0.1',
    readBody: async () => new TextEncoder().encode(request.body),
  };
}
