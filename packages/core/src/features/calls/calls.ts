import { type CallState, type CallStatus, workflowDefinition } from '@callkite/contract';
import type { ToolCallRecord, ToolCallStore } from '../../agent/tools/tool-call-store.ts';
import type {
  AcceptCall,
  CallRecord,
  CallStore,
  ReportResult,
  TranscriptEntry,
  UsedKey,
} from '../../calls/call-store.ts';
import type { CarrierAccount, CarrierAdapter } from '../../calls/carrier-adapter.ts';
import type { CarrierConnection } from '../../calls/carrier-connection.ts';
import { checkDestination } from '../../calls/destinations.ts';
import type { VisitRecord, WebCallStore } from '../../channels/web/web-call-store.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import type { EmitEvent } from '../../kernel/events.ts';
import { createId } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Mode, Principal, Scope } from '../../kernel/mode.ts';
import { checkAddressField } from '../../kernel/outbound/address-field.ts';
import type { OutboundFetch } from '../../kernel/outbound/outbound-fetch.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';
import { callbackSecretContext, type SecretBox } from '../../kernel/secret-box.ts';
import type { KeyedHashes } from '../do-not-call/keyed-hashes.ts';
import type { CallForm, FormStore } from '../forms/form-store.ts';
import type { RecordingRecord, RecordingStore } from '../recordings/recording-store.ts';
import type { TransferRecord, TransferStore } from '../transfers/transfer-store.ts';
import { fallbackWorkflow } from '../workflows/generation.ts';
import { type AcceptedCall, type Idempotency, replayOf } from './idempotency.ts';

/** What both ways of placing a call share. Values are validated by the contract's schemas already. */
interface CallInput {
  recipientPhone: string;
  idempotencyKey?: string | undefined;
}

export interface TriggerCallInput extends CallInput {
  /** @default a new one */
  callId?: string | undefined;
  workflowId: string;
  recipientName?: string | undefined;
  recipientEmail?: string | undefined;
  recipientContext?: string | undefined;
  /** Not dialed before so many milliseconds. @default 0 */
  dialInMs?: number | undefined;
}

export interface PromptCallInput extends CallInput {
  prompt: string;
  callbackUrl?: string | undefined;
  callbackSecret?: string | undefined;
}

export interface Calls {
  /**
   * `POST /call`. Throws `invalid_phone_number`, `destination_not_allowed`, `not_found`, `forbidden`,
   * `number_opted_out`, `spending_limit`, `no_usable_number`, `carrier_unavailable`, `request_in_progress`.
   */
  trigger(caller: Principal, input: TriggerCallInput): Promise<AcceptedCall>;
  /** `POST /call-prompt`. As `trigger`, and `validation_failed` for a callback address the guard refuses. */
  prompt(caller: Principal, input: PromptCallInput): Promise<AcceptedCall>;
  /** Throws `not_found`. */
  get(
    scope: Scope,
    callId: string,
  ): Promise<{
    readonly call: CallRecord;
    readonly transcript: readonly TranscriptEntry[];
    readonly recordingConsent: RecordingRecord['consent'] | null;
    readonly forms: readonly CallForm[];
    readonly toolCalls: readonly ToolCallRecord[];
    readonly transfers: readonly TransferRecord[];
    /** What a visitor of a web page asked for; `null` for calls that were placed otherwise. */
    readonly visit: VisitRecord | null;
  }>;
  list(
    scope: Scope,
    filter: {
      state?: CallState;
      callStatus?: CallStatus;
      workflowId?: string;
      to?: string;
      createdAfter?: Date;
      createdBefore?: Date;
    },
    page: PageRequest,
  ): Promise<Page<CallRecord>>;
  /** Throws `not_found`, and `conflict` when the call is over. Repeating it changes nothing. */
  cancel(scope: Scope, callId: string): Promise<CallRecord>;
  /**
   * Erases what was said on a call and who it was with. Its recording is deleted at the carrier shortly after. Throws
   * `not_found`, and `conflict` while the call is not over. Repeating it changes nothing.
   */
  erase(scope: Scope, callId: string): Promise<CallRecord>;
}

export interface CallsDeps {
  storage: {
    readonly calls: CallStore;
    readonly recordings: RecordingStore;
    readonly forms: FormStore;
    readonly toolCalls: ToolCallStore;
    readonly transfers: TransferStore;
    readonly webCalls: WebCallStore;
  };
  telephonyFor(mode: Mode): CarrierAdapter;
  accountOf(connection: CarrierConnection): CarrierAccount;
  /** Countries an organization may call, ISO codes. */
  allowedCountries(organizationId: string): Promise<readonly string[]>;
  outbound: Pick<OutboundFetch, 'checkResolved'>;
  secretBox: SecretBox;
  idempotency: Idempotency;
  keyedHashes: KeyedHashes;
  /** Of organizations without a limit of their own, minutes a UTC day. `null`: unlimited. */
  defaultDailyMinutes: number | null;
  /** Gives an organization without a number in test mode one, if there is one to give. @returns whether it did */
  provideTestLine(organizationId: string): Promise<boolean>;
  /** A call may be due: dial now. */
  onDue(connectionId: string): void;
  /** A call was refused because the minutes of its organization's day are used up. */
  onSpent(organizationId: string): void;
  /** A prompt call waits for its workflow. */
  onPrompt(): void;
  onReport(result: ReportResult): void;
  /** A web call is to end. */
  onWebCallCanceled(callId: string): void;
  /** There may be a recording to delete. */
  onErased(): void;
  emit: EmitEvent;
  logger: Logger;
}

interface PreparedCall {
  readonly call: Omit<
    AcceptCall,
    'organizationId' | 'mode' | 'to' | 'toKey' | 'deadlineMs' | 'defaultDailyMinutes' | 'idempotency'
  >;
  readonly answerBody: object;
}

/** Calls that were due and could not be dialed for so long end as `carrier_unavailable`. */
const dialDeadlineMs = 15 * 60_000;

/** Stands for a workflow that was made for a call which is erased. */
const blankWorkflow = { name: 'Erased', definition: workflowDefinition.parse({ objective: 'Erased.' }) };

export function createCalls(deps: CallsDeps): Calls {
  const { storage, idempotency } = deps;

  /** @param prepare looks up and refuses what a replay is spared */
  async function place(
    caller: Principal,
    route: 'call' | 'call-prompt',
    input: CallInput & object,
    prepare: () => Promise<PreparedCall>,
  ): Promise<AcceptedCall> {
    const { organizationId, mode } = caller;
    // A key used with a test key says nothing about live calls.
    const endpoint = mode === 'live' ? route : `${mode}/${route}`;
    const key = input.idempotencyKey;
    if (key === undefined) return accept(caller, input, await prepare(), null);
    const used = await idempotency.use({ organizationId, endpoint, key }, input);
    return idempotency.once(used, async () => accept(caller, input, await prepare(), used));
  }

  async function accept(
    { organizationId, mode }: Principal,
    { recipientPhone }: CallInput,
    { call, answerBody }: PreparedCall,
    used: UsedKey | null,
  ): Promise<AcceptedCall> {
    const answer = { status: 200, body: JSON.stringify(answerBody) };
    const input: AcceptCall = {
      ...call,
      organizationId,
      mode,
      to: recipientPhone,
      toKey: (await deps.keyedHashes.of(organizationId))(recipientPhone),
      deadlineMs: call.dialInMs + dialDeadlineMs,
      defaultDailyMinutes: deps.defaultDailyMinutes,
      idempotency: used && { ...used, lifetimeMs: idempotency.lifetimeMs, answer },
    };
    let accepted = await storage.calls.accept(input);
    if (accepted.result === 'no-usable-number' && mode === 'test') {
      if (await deps.provideTestLine(organizationId)) accepted = await storage.calls.accept(input);
    }
    switch (accepted.result) {
      case 'accepted':
        deps.emit({ type: 'call.accepted', callId: call.callId, organizationId, to: recipientPhone });
        if (call.work.origin === 'prompt') deps.onPrompt();
        else deps.onDue(accepted.connectionId);
        return { ...answer, callId: call.callId, replayed: false, bodyMismatch: false };
      case 'replayed':
        return replayOf(accepted.answer);
      case 'workflow-not-found':
        throw new CallkiteError('not_found', 'Workflow not found');
      case 'workflow-forbidden':
        throw new CallkiteError('forbidden', 'This workflow belongs to another organization');
      case 'number-opted-out':
        throw new CallkiteError('number_opted_out', 'The person at this number asked not to be called again');
      case 'spending-limit':
        deps.onSpent(organizationId);
        throw new CallkiteError(
          'spending_limit',
          'Today’s call minutes (UTC) are used up. Try again tomorrow, or ask the operator to raise the limit',
          { retryAfterSeconds: accepted.retryAfterSeconds },
        );
      case 'no-usable-number':
        throw new CallkiteError(
          'no_usable_number',
          'No phone number is available: connect a number of an active carrier account first',
          { retryAfterSeconds: 60 },
        );
      case 'carrier-down':
        throw new CallkiteError('carrier_unavailable', 'The phone carrier is not available at the moment', {
          retryable: true,
          retryAfterSeconds: accepted.retryAfterSeconds,
        });
    }
  }

  return {
    trigger: (caller, input) =>
      place(caller, 'call', input, async () => {
        checkDestination(input.recipientPhone, await deps.allowedCountries(caller.organizationId));
        return {
          call: {
            callId: input.callId ?? createId('call'),
            recipientName: input.recipientName ?? null,
            recipientEmail: input.recipientEmail ?? null,
            recipientContext: input.recipientContext ?? null,
            callbackUrl: null,
            sealedCallbackSecret: null,
            dialInMs: input.dialInMs ?? 0,
            work: { origin: 'workflow', workflowId: input.workflowId },
          },
          answerBody: { success: true, message: 'The agent will call shortly.' },
        };
      }),

    prompt: (caller, input) =>
      place(caller, 'call-prompt', input, async () => {
        if (input.callbackUrl !== undefined)
          await checkAddressField(deps.outbound, 'callback_url', input.callbackUrl);
        checkDestination(input.recipientPhone, await deps.allowedCountries(caller.organizationId));
        const callId = createId('call');
        const workflowId = createId('wf');
        const fallback = fallbackWorkflow(input.prompt);
        return {
          call: {
            callId,
            recipientName: null,
            recipientEmail: null,
            recipientContext: null,
            callbackUrl: input.callbackUrl ?? null,
            sealedCallbackSecret:
              input.callbackSecret === undefined
                ? null
                : deps.secretBox.seal(input.callbackSecret, callbackSecretContext(callId)),
            dialInMs: 0,
            work: {
              origin: 'prompt',
              prompt: input.prompt,
              workflowId,
              workflowName: fallback.name,
              fallbackDefinition: fallback.definition,
            },
          },
          answerBody: { success: true, workflow_id: workflowId, call_id: callId },
        };
      }),

    async get(scope, callId) {
      const call = await storage.calls.get(scope, callId);
      if (!call) throw new CallkiteError('not_found', 'Call not found');
      const [transcript, [recording], forms, toolCalls, transfers, visit] = await Promise.all([
        storage.calls.transcript(callId),
        storage.recordings.ofCalls([callId]),
        storage.forms.ofCall(callId),
        storage.toolCalls.ofCall(callId),
        storage.transfers.ofCall(callId),
        storage.webCalls.visitOf(callId),
      ]);
      const recordingConsent = recording?.consent ?? null;
      return { call, transcript, recordingConsent, forms, toolCalls, transfers, visit };
    },

    list: (scope, filter, page) => storage.calls.list(scope, filter, page),

    async cancel(scope, callId) {
      const before = await storage.calls.get(scope, callId);
      if (!before) throw new CallkiteError('not_found', 'Call not found');
      if (before.state === 'completed') {
        if (before.cancelRequested) return before;
        throw new CallkiteError('conflict', 'This call has already ended');
      }
      const canceled = await storage.calls.cancel(scope, callId);
      if (!canceled) throw new CallkiteError('not_found', 'Call not found');
      const { call, attempt } = canceled;
      if (call.state === 'completed') deps.onReport({ result: 'applied', changed: true, call });
      else if (call.connectionId === null) deps.onWebCallCanceled(callId);
      // Without the carrier's id the placement that is under way ends the call as soon as it knows it.
      if (attempt?.providerCallId && call.state !== 'completed') {
        await endAtCarrier(call, attempt.id, attempt.providerCallId);
      }
      return call;
    },

    async erase(scope, callId) {
      const before = await storage.calls.get(scope, callId);
      if (before?.erasedAt) return before;
      const erased = await storage.calls.erase(scope, callId, blankWorkflow);
      if (!erased) throw new CallkiteError('not_found', 'Call not found');
      deps.emit({ type: 'call.erased', callId });
      deps.onErased();
      return erased;
    },
  };

  async function endAtCarrier(call: CallRecord, attemptId: string, providerCallId: string): Promise<void> {
    const connection = await storage.calls.connectionOfAttempt(attemptId);
    if (!connection) return;
    try {
      await deps.telephonyFor(call.mode).endCall(deps.accountOf(connection), providerCallId);
    } catch (error) {
      // The request is on record: the attempt's watch job keeps asking the carrier.
      deps.logger.warn({ callId: call.id, err: error }, 'cancel: hang-up request failed, will retry');
    }
  }
}
