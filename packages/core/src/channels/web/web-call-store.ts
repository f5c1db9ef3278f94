import type { CallRecord } from '../../calls/call-store.ts';
import type { Mode } from '../../kernel/mode.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';

/** A key that stands in web pages, for everybody to read: it opens the widget's endpoints and nothing else. */
export interface PublishableKey {
  readonly id: string;
  readonly organizationId: string;
  readonly mode: Mode;
  readonly name: string;
  /** The key itself; unique. */
  readonly key: string;
  /** Exact, or with `*.` for all names below a host. */
  readonly allowedOrigins: readonly string[];
  readonly workflowIds: readonly string[];
  /** Web calls and call-backs that may begin in one day (UTC). */
  readonly dailyCalls: number;
  /** ISO 3166-1 alpha-2 codes; empty: no call-backs. */
  readonly callbackCountries: readonly string[];
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

export type PublishableKeySettings = Pick<
  PublishableKey,
  'name' | 'allowedOrigins' | 'workflowIds' | 'dailyCalls' | 'callbackCountries'
>;

/** What somebody agreed to, word for word. */
export interface ConsentRecord {
  readonly text: string;
  readonly version: string;
  /** ISO 8601, by the visitor's clock. */
  readonly time: string;
}

/** What a visitor of a page asked for, and what there is to prove it. */
export interface VisitRecord {
  /** Of the web call, which exists once it began, or of the call-back. */
  readonly callId: string;
  readonly organizationId: string;
  readonly keyId: string;
  readonly kind: 'call' | 'callback';
  readonly workflowId: string;
  /** Of the page, as the browser vouches for it. */
  readonly origin: string;
  readonly remoteAddress: string | null;
  /** URL of the page, as the page says. */
  readonly page: string | null;
  readonly name: string | null;
  readonly email: string | null;
  /** What the agent is told about the visitor. */
  readonly context: string | null;
  /** `verified`: the organization's server vouched for the id. */
  readonly user: { readonly id: string; readonly verified: boolean } | null;
  readonly consent: ConsentRecord | null;
  readonly createdAt: Date;
}

/** A visit with what decides about its socket. */
export interface Admission {
  readonly visit: VisitRecord;
  readonly mode: Mode;
  /** `new`: the token was not used yet. `stale`: it no longer can be. */
  readonly state: 'new' | 'stale' | 'live' | 'over';
  /** `null` before the call began. */
  readonly media: 'audio' | 'text' | null;
}

/** Checked in this order; only `begun` changes anything. */
export type BeginWebCall =
  | { readonly result: 'stale' }
  | { readonly result: 'workflow-not-found' }
  | { readonly result: 'budget-spent' }
  | { readonly result: 'begun'; readonly call: CallRecord; readonly epoch: number };

/**
 * Web calls: what visitors start from pages. Such a call has no carrier and no attempts; the process that holds its
 * socket owns it under an epoch and says again and again that it is alive. When that stops, another process may take it
 * over for the visitor who comes back, and after all a `watch_web_call` job ends it.
 */
export interface WebCallStore {
  createKey(key: Omit<PublishableKey, 'createdAt' | 'revokedAt'>): Promise<PublishableKey>;
  /** Looks across organizations: the key is what tells the organization. Revoked keys are returned too. */
  findKey(key: string): Promise<PublishableKey | null>;
  /** `null` when the organization has no such key. */
  getKey(organizationId: string, id: string): Promise<PublishableKey | null>;
  listKeys(organizationId: string, page: PageRequest): Promise<Page<PublishableKey>>;
  /** @returns `null` when the organization has no such key */
  updateKey(
    organizationId: string,
    id: string,
    change: Partial<PublishableKeySettings>,
  ): Promise<PublishableKey | null>;
  /** Revoking again changes nothing. @returns `null` when the organization has no such key */
  revokeKey(organizationId: string, id: string): Promise<PublishableKey | null>;

  /**
   * Stores a visit; a call-back counts towards the key's day at once, a web call when it begins. `admitted` is false,
   * and nothing stored, when the day is spent.
   * @param token for web calls: SHA-256 of the token, hex, and how long it is good for
   */
  addVisit(
    visit: Omit<VisitRecord, 'createdAt'>,
    token: { readonly hash: string; readonly lifetimeMs: number } | null,
  ): Promise<{ readonly admitted: boolean; readonly nextDayInSeconds: number }>;
  /** Takes back a call-back that was refused afterwards. */
  removeVisit(callId: string): Promise<void>;
  visitOf(callId: string): Promise<VisitRecord | null>;
  admissionOf(tokenHash: string): Promise<Admission | null>;

  /**
   * Uses the token: stores the call as `in_progress` and answered, from and to `browser`, with the workflow's current
   * version and forms, and its `watch_web_call` job. Once per token, before its end, with a key that is not revoked.
   */
  begin(
    callId: string,
    options: { readonly media: 'audio' | 'text'; readonly aliveMs: number },
  ): Promise<BeginWebCall>;
  /** Makes the caller the owner, whoever was it. @returns the epoch; `null` when the call is over */
  takeOver(callId: string, aliveMs: number): Promise<number | null>;
  /** Says that the owner is alive. `lost`: it is the owner no more, or the call is over. */
  keepAlive(callId: string, epoch: number, aliveMs: number): Promise<'held' | 'canceled' | 'lost'>;
  /** Adds to what the agent is told about the visitor. What exceeds 10 000 characters in all is left out. */
  addContext(callId: string, text: string): Promise<void>;
  /**
   * Completes the call and enqueues `finish_call`: as `success`/`completed` when the agent was heard, otherwise as
   * `not_picked_up`, `canceled` on request and else `failed`. A noted reason wins over the one given.
   * @param epoch `null` ends it whoever owns it, if nobody has said for its time that it is alive
   * @returns `null` when it is over, somebody else's, or alive
   */
  end(callId: string, epoch: number | null, reason: 'connection_lost' | null): Promise<CallRecord | null>;
  /** Milliseconds after which a call may be given up, should nobody say that it is alive; `null` when it is over. */
  aliveForMs(callId: string): Promise<number | null>;
}
