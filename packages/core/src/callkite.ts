import type { Keyv } from 'keyv';
import type { LanguageModel } from './agent/ports/language-model.ts';
import type { SpeechModel } from './agent/ports/speech-model.ts';
import type { AgentTool } from './agent/tools/agent-tool.ts';
import type { CarrierAdapter, VoiceMode } from './calls/carrier-adapter.ts';
import type { CarrierWebhooks } from './channels/phone/carrier-webhooks.ts';
import type { PublishableKeys } from './channels/web/publishable-keys.ts';
import type { VisitRates } from './channels/web/visit-limits.ts';
import type { WebCalls } from './channels/web/web-calls.ts';
import type { Calls as CallService, PromptCallInput, TriggerCallInput } from './features/calls/calls.ts';
import type { DoNotCall } from './features/do-not-call/do-not-call.ts';
import type { Forms } from './features/forms/forms.ts';
import type { Webhooks } from './features/notifications/webhooks.ts';
import type { Organizations } from './features/organizations/organizations.ts';
import type { EmulatedAccount } from './features/organizations/test-lines.ts';
import type { TransferIntegrations } from './features/transfers/transfer-integrations.ts';
import type { Workflows } from './features/workflows/workflows.ts';
import type { ApiReference } from './http/api-reference.ts';
import type { CallkiteEvent } from './kernel/events.ts';
import type { HttpRequest, HttpResponse } from './kernel/http.ts';
import type { Logger } from './kernel/logger.ts';
import type { Principal } from './kernel/mode.ts';
import type { Storage } from './storage.ts';

export interface CallkiteOptions {
  storage: Storage;
  /** The carrier of calls made with `ck_live_` keys. */
  telephony: CarrierAdapter;
  /** The model that talks on these calls. */
  languageModel: LanguageModel;
  /** The model that hears and speaks on calls in `realtime` mode; without it every call is in `relay` mode. */
  speechModel?: SpeechModel;
  /** How words travel on calls whose workflow does not say. @default 'relay' */
  voiceMode?: VoiceMode;
  /** Carrier and models of `ck_test_` keys; without them such keys cannot be created. */
  test?: {
    telephony: CarrierAdapter;
    languageModel: LanguageModel;
    speechModel?: SpeechModel;
    /**
     * The account on which test calls of every organization go out that connected no other. Its carrier must be an
     * emulated one. @default none: each connects its own
     */
    account?: EmulatedAccount;
  };
  /** What agents may do besides talking, on calls whose workflow names it. @default none */
  tools?: readonly AgentTool[];
  /** Base URL under which carriers reach this server, without a trailing slash. */
  publicUrl: string;
  /** 32 bytes, base64. Seals credentials at rest and signs the tokens in carrier URLs. Keep it: without it they are lost. */
  secretKey: string;
  /** Earlier values of `secretKey`: they still open what they sealed, and their tokens still count. @default none */
  formerSecretKeys?: readonly string[];
  /** Whether what former keys sealed is sealed with `secretKey` at the start, so that they can go. @default true */
  resealSecrets?: boolean;
  /** Bearer token of the operator's endpoints; they are off without it. */
  operatorToken?: string;
  /** Allows callbacks and webhooks to private and loopback addresses, over plain HTTP too. Only for development. @default false */
  allowPrivateCallbacks?: boolean;
  /**
   * Networks that callbacks, webhooks and transfer look-ups may reach although they are not public, in CIDR notation, such
   * as `10.20.0.0/16`. Names that only mean something inside a network may be used then. @default none
   */
  allowNetworks?: readonly string[];
  /** Networks they may not reach although they look public, such as a NAT64 prefix, in CIDR notation. @default none */
  refuseNetworks?: readonly string[];
  /** Cache of API keys and finished idempotent answers. Never relied on. @default in memory */
  cache?: Keyv;
  /** @default 60 */
  requestsPerMinute?: number;
  /**
   * Minutes that the live phone calls of an organization may take in a UTC day, transfers included, where it has no limit
   * of its own. `null`: unlimited. What would begin beyond it is not dialed. @default 3000: fifty hours of talking are
   * more than a small installation needs, and a loop that runs wild costs a bill that can be paid
   */
  dailyCallMinutes?: number | null;
  /**
   * How long a placement may stay unconfirmed before the carrier's empty listing counts as proof that no call
   * exists. Shorter than the carrier's worst delays, it rings people twice. @default 120 000
   */
  confirmationWindowMs?: number;
  /** Calls that visitors of web pages start. */
  webCalls?: WebCallOptions;
  /** What `/docs` shows, such as `apiReference()` of `@callkite/api-reference`. @default a plain list of the operations */
  apiReference?: ApiReference;
  /**
   * Proxies in front of this server, each of which adds to `X-Forwarded-For`: whoever that many entries from its end
   * stands for is the client. Any other number lets clients lie about their address. @default 0
   */
  trustedProxies?: number;
  /** Whether this process dials and delivers, or only answers requests. @default true */
  runWorkers?: boolean;
  logger?: Logger;
  /** Receives what happens in this process; what it throws is logged. */
  onEvent?: (event: CallkiteEvent) => void;
}

export interface WebCallOptions extends VisitRates {
  /** How long a visitor whose connection was lost is waited for. @default 30 000 */
  resumeWindowMs?: number;
  /** Web calls at once in this process. @default 1000 */
  maximumLive?: number;
}

/** A call that was accepted, now or by an earlier request with the same idempotency key. */
export interface PlacedCall {
  readonly callId: string;
  readonly workflowId: string;
  /** Whether an earlier request placed it. */
  readonly replayed: boolean;
}

export interface Calls extends Omit<CallService, 'trigger' | 'prompt'> {
  /**
   * Does what `POST /call` does. Throws `validation_failed`, `invalid_phone_number`, `destination_not_allowed`,
   * `not_found`, `forbidden`, `number_opted_out`, `spending_limit`, `no_usable_number`, `carrier_unavailable`,
   * `request_in_progress`.
   */
  trigger(caller: Principal, input: Omit<TriggerCallInput, 'callId'>): Promise<PlacedCall>;
  /** Does what `POST /call-prompt` does. Throws as `trigger`. */
  prompt(caller: Principal, input: PromptCallInput): Promise<PlacedCall>;
}

/**
 * What code does with a Callkite. Input is checked by the schemas of the HTTP API and refused with the same errors:
 * `details` names fields as the API does.
 */
export interface Callkite {
  readonly organizations: Organizations;
  readonly workflows: Workflows;
  readonly forms: Forms;
  readonly doNotCall: DoNotCall;
  readonly calls: Calls;
  readonly webhooks: Webhooks;
  readonly transferIntegrations: TransferIntegrations;
  readonly publishableKeys: PublishableKeys;
  readonly webCalls: WebCalls;
  readonly carriers: CarrierWebhooks;
  /** Answers any request of the HTTP API and of carriers. Never rejects. */
  handle(request: HttpRequest): Promise<HttpResponse>;
  /** The same for hosts that speak Fetch. */
  fetch(request: Request): Promise<Response>;
  /** Migrates the store and starts dialing. Idempotent. */
  start(): Promise<void>;
  /** Stops claiming work, waits for live conversations (at most `drainMs`, default 10 minutes), closes the store. Idempotent. */
  stop(options?: { drainMs?: number }): Promise<void>;
}
