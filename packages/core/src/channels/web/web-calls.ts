import { randomBytes } from 'node:crypto';
import type { CallState, WidgetCallbackState } from '@callkite/contract';
import type { CallRecord, CallStore } from '../../calls/call-store.ts';
import { checkDestination } from '../../calls/destinations.ts';
import type { Calls } from '../../features/calls/calls.ts';
import type { WorkflowStore } from '../../features/workflows/workflow-store.ts';
import { isOneOf } from '../../kernel/digests.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { createId } from '../../kernel/ids.ts';
import type { Mode } from '../../kernel/mode.ts';
import type { SecretBox } from '../../kernel/secret-box.ts';
import type { PublishableKeys } from './publishable-keys.ts';
import type { VisitLimits } from './visit-limits.ts';
import { contextOf, userOf, type VisitorInput } from './visitor-facts.ts';
import { sessionTokenHash, type WebCallSockets } from './web-call-sockets.ts';
import type { ConsentRecord, PublishableKey, WebCallStore } from './web-call-store.ts';

/** Who asks, from which page. */
export interface Visitor {
  readonly key: PublishableKey;
  readonly origin: string;
  readonly remoteAddress: string | null;
}

export interface VisitInput extends VisitorInput {
  readonly workflowId: string;
  readonly page?: string | undefined;
}

export interface WebCallSession {
  readonly callId: string;
  readonly token: string;
  readonly expiresInSeconds: number;
  readonly transport: 'audio' | 'text';
  /** Where the socket is. */
  readonly url: string;
  readonly language: string;
  readonly agentName: string | null;
}

export interface RequestedCallback {
  readonly callId: string;
  /** Reads the state of this call-back and cancels it, and nothing else. */
  readonly token: string;
}

/** Where a call-back stands, as far as its visitor may know. */
export interface CallbackProgress {
  readonly state: CallState;
  /** `null` until the call is completed. */
  readonly result: WidgetCallbackState['result'];
}

/** Calls that visitors of web pages start: in the page, or to their phones. */
export interface WebCalls {
  /**
   * Admits a visitor: the call begins with the socket that uses the token. Throws `rate_limited`, `workflow_disabled`
   * and `forbidden`.
   */
  openSession(
    visitor: Visitor,
    input: VisitInput & { readonly media: 'audio' | 'text'; readonly consent?: ConsentRecord | undefined },
  ): Promise<WebCallSession>;
  /**
   * Calls a visitor back, after the same checks as for any call and those of the key. Throws as `openSession` and as
   * `Calls.trigger`, and `validation_failed` for a time that cannot be kept.
   */
  requestCallback(
    visitor: Visitor,
    input: VisitInput & {
      readonly phone: string;
      /** At most seven days ahead. @default now */
      readonly when?: Date | undefined;
      readonly consent: ConsentRecord;
    },
  ): Promise<RequestedCallback>;
  /** Countries to which visitors may be called back with this key, ISO codes. */
  callbackCountries(visitor: Visitor): Promise<string[]>;
  /** Throws `unauthenticated`. */
  callbackState(callId: string, token: string): Promise<CallbackProgress>;
  /** Throws `unauthenticated`, and `conflict` when the call is over. */
  cancelCallback(callId: string, token: string): Promise<CallbackProgress>;
  /** Decides about a socket. Most refusals are told by a close code: browsers hide the others from pages. */
  upgrade: WebCallSockets['upgrade'];
}

export interface WebCallsDeps {
  storage: {
    readonly webCalls: WebCallStore;
    readonly workflows: WorkflowStore;
    readonly calls: CallStore;
  };
  keys: Pick<PublishableKeys, 'identitySecretsOf'>;
  calls: Pick<Calls, 'trigger' | 'cancel'>;
  limits: VisitLimits;
  secretBox: Pick<SecretBox, 'hmac' | 'hmacs'>;
  allowedCountries(organizationId: string): Promise<readonly string[]>;
  /** Whether calls of this mode can be talked on; otherwise they are in writing. */
  hasSound(mode: Mode): boolean;
  sockets: Pick<WebCallSockets, 'upgrade'>;
  /** Where browsers reach this server. */
  publicUrl: string;
}

const tokenLifetimeMs = 60_000;
const latestCallbackMs = 7 * 24 * 3_600_000;

export function createWebCalls(deps: WebCallsDeps): WebCalls {
  const { storage, limits } = deps;
  const store = storage.webCalls;

  /** Checks what both kinds of visit share. */
  async function visitOf(visitor: Visitor, input: VisitInput) {
    const { key } = visitor;
    await limits.countVisit({ remoteAddress: visitor.remoteAddress, keyId: key.id });
    const workflow = key.workflowIds.includes(input.workflowId)
      ? await storage.workflows.get(key, input.workflowId)
      : null;
    if (!workflow) throw workflowDisabled();
    const user = userOf(input.user, deps.keys.identitySecretsOf(key.id));
    const visit = {
      callId: createId('call'),
      organizationId: key.organizationId,
      keyId: key.id,
      workflowId: workflow.id,
      origin: visitor.origin,
      remoteAddress: visitor.remoteAddress,
      page: input.page ?? null,
      name: input.name ?? null,
      email: input.email ?? null,
      context: contextOf(input, user, workflow.definition.web.variables),
      user,
    };
    return { visit, definition: workflow.definition };
  }

  async function add(...visit: Parameters<typeof store.addVisit>): Promise<void> {
    const { admitted, nextDayInSeconds } = await store.addVisit(...visit);
    if (admitted) return;
    throw new CallkiteError('rate_limited', "Today's budget of this key is spent", {
      retryable: true,
      retryAfterSeconds: nextDayInSeconds,
    });
  }

  const callbackTokens = (callId: string) => deps.secretBox.hmacs('callback-state', callId);

  async function callbackCountries({ key }: Visitor): Promise<string[]> {
    const allowed = await deps.allowedCountries(key.organizationId);
    return key.callbackCountries.filter((country) => allowed.includes(country));
  }

  async function callbackOf(callId: string, token: string): Promise<CallRecord> {
    const visit = isOneOf(token, callbackTokens(callId)) ? await store.visitOf(callId) : null;
    const found = visit && (await storage.calls.load(callId));
    if (!found) throw new CallkiteError('unauthenticated', 'This token belongs to another call-back');
    return found.call;
  }

  return {
    async openSession(visitor, input) {
      const { key } = visitor;
      const { visit, definition } = await visitOf(visitor, input);
      const token = randomBytes(32).toString('base64url');
      await add(
        { ...visit, kind: 'call', consent: input.consent ?? null },
        { hash: sessionTokenHash(token), lifetimeMs: tokenLifetimeMs },
      );
      return {
        callId: visit.callId,
        token,
        expiresInSeconds: tokenLifetimeMs / 1000,
        transport: input.media === 'audio' && deps.hasSound(key.mode) ? 'audio' : 'text',
        url: `${deps.publicUrl.replace(/^http/, 'ws')}/widget/socket`,
        language: definition.language,
        agentName: definition.agent.name ?? null,
      };
    },

    async requestCallback(visitor, input) {
      const { organizationId, mode, id: keyId } = visitor.key;
      const dialInMs = input.when === undefined ? 0 : timeUntil(input.when);
      const { visit } = await visitOf(visitor, input);
      const { callId } = visit;
      checkDestination(input.phone, await callbackCountries(visitor));
      await limits.countCallback(organizationId, input.phone, { later: dialInMs > 0 });
      await add({ ...visit, kind: 'callback', consent: input.consent }, null);
      try {
        await deps.calls.trigger(
          { organizationId, mode, keyId },
          {
            callId,
            workflowId: visit.workflowId,
            recipientPhone: input.phone,
            recipientName: visit.name ?? undefined,
            recipientEmail: visit.email ?? undefined,
            recipientContext: visit.context ?? undefined,
            dialInMs,
          },
        );
      } catch (error) {
        const code = CallkiteError.isInstance(error) ? error.code : null;
        // Whether the store took the call is unknown then, and no call is to be without its consent.
        if (code !== 'storage_unavailable') await store.removeVisit(callId);
        throw code === 'not_found' || code === 'forbidden' ? workflowDisabled() : error;
      }
      return { callId, token: deps.secretBox.hmac('callback-state', callId) };
    },

    callbackCountries,

    async callbackState(callId, token) {
      return progressOf(await callbackOf(callId, token));
    },

    async cancelCallback(callId, token) {
      return progressOf(await deps.calls.cancel(await callbackOf(callId, token), callId));
    },

    upgrade: deps.sockets.upgrade,
  };
}

/** @throws CallkiteError `validation_failed` */
function timeUntil(when: Date): number {
  const ms = when.getTime() - Date.now();
  if (ms > 0 && ms <= latestCallbackMs) return ms;
  const what = ms > 0 ? 'at most seven days from now' : 'in the future, or left out for a call at once';
  throw new CallkiteError('validation_failed', 'Validation failed', {
    details: { when: [`Must be ${what}`] },
  });
}

function progressOf({ state, outcome }: CallRecord): CallbackProgress {
  if (state !== 'completed') return { state, result: null };
  switch (outcome?.providerStatus) {
    case 'completed':
      return { state, result: outcome.callStatus === 'success' ? 'reached' : 'missed' };
    case 'no-answer':
    case 'busy':
      return { state, result: 'missed' };
    case 'canceled':
      return { state, result: 'canceled' };
    default:
      return { state, result: 'failed' };
  }
}

function workflowDisabled(): CallkiteError {
  return new CallkiteError(
    'workflow_disabled',
    'The key is not for this workflow, or the workflow was deleted: add it to the key',
  );
}
