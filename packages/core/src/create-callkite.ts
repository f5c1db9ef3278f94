import type { Keyv } from 'keyv';
import type { Calls } from './calls/calls.ts';
import type { CarrierIngress } from './calls/carrier-ingress.ts';
import type { CallkiteEvent } from './events.ts';
import type { Webhooks } from './notifications/webhooks.ts';
import type { Organizations } from './organizations/organizations.ts';
import type { HttpRequest, HttpResponse } from './ports/http.ts';
import type { LanguageModel } from './ports/language-model.ts';
import type { Logger } from './ports/logger.ts';
import type { Storage } from './ports/storage.ts';
import type { Telephony } from './ports/telephony.ts';
import type { Workflows } from './workflows/workflows.ts';

export interface CallkiteOptions {
  storage: Storage;
  /** The carrier of calls made with `ck_live_` keys. */
  telephony: Telephony;
  /** The model that talks on these calls. */
  languageModel: LanguageModel;
  /** Carrier and model of `ck_test_` keys; without them such keys cannot be created. */
  test?: { telephony: Telephony; languageModel: LanguageModel };
  /** Base URL under which carriers reach this server, without a trailing slash. */
  publicUrl: string;
  /** 32 bytes, base64. Seals credentials at rest and signs the tokens in carrier URLs. Keep it: without it they are lost. */
  secretKey: string;
  /** Bearer token of the operator's endpoints; they are off without it. */
  operatorToken?: string;
  /** Allows callbacks and webhooks to private and loopback addresses, over plain HTTP too. Only for development. @default false */
  allowPrivateCallbacks?: boolean;
  /** Cache of API keys and finished idempotent answers. Never relied on. @default in memory */
  cache?: Keyv;
  /** @default 60 */
  requestsPerMinute?: number;
  /** Whether this process dials and delivers, or only answers requests. @default true */
  runWorkers?: boolean;
  logger?: Logger;
  /** Receives what happens in this process. Must not throw. */
  onEvent?: (event: CallkiteEvent) => void;
}

export interface Callkite {
  readonly organizations: Organizations;
  readonly workflows: Workflows;
  readonly calls: Calls;
  readonly webhooks: Webhooks;
  readonly carriers: CarrierIngress;
  /** Answers any request of the HTTP API and of carriers. Never rejects. */
  handle(request: HttpRequest): Promise<HttpResponse>;
  /** The same for hosts that speak Fetch. */
  fetch(request: Request): Promise<Response>;
  /** Migrates the store and starts dialling. Idempotent. */
  start(): Promise<void>;
  /** Stops claiming work, waits for live conversations (at most `drainMs`, default 10 minutes), closes the store. Idempotent. */
  stop(options?: { drainMs?: number }): Promise<void>;
}
