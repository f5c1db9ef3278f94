import type { WorkflowDefinition } from '@callkite/contract';
import type { LanguageModel } from '../../agent/ports/language-model.ts';
import { sessionLeaseMs } from '../../agent/session/agent-sessions.ts';
import type { CallRecord, CallStore, TranscriptEntry } from '../../calls/call-store.ts';
import { calleeTime } from '../../calls/callee-time.ts';
import type { NewDelivery } from '../../calls/delivery.ts';
import type { EmitEvent } from '../../kernel/events.ts';
import type { JobHandler } from '../../kernel/jobs/job-runner.ts';
import type { Mode } from '../../kernel/mode.ts';
import type { CallForm, FormStore } from '../forms/form-store.ts';
import type { RecordingStore } from '../recordings/recording-store.ts';
import type { TransferStore } from '../transfers/transfer-store.ts';
import { generateWorkflow } from '../workflows/generation.ts';
import { writeVoicemail } from '../workflows/voicemail-writing.ts';
import { type EndedCall, summarize, summarizeWithoutModel } from './summary.ts';

export interface CallWorkDeps {
  storage: {
    readonly calls: CallStore;
    readonly recordings: RecordingStore;
    readonly forms: FormStore;
    readonly transfers: TransferStore;
  };
  languageModelFor(mode: Mode): LanguageModel;
  organizationName(organizationId: string): Promise<string>;
  buildDeliveries(
    call: CallRecord,
    definition: WorkflowDefinition,
    transcript: readonly TranscriptEntry[],
    summary: string,
    forms: readonly CallForm[],
  ): Promise<readonly NewDelivery[]>;
  onDue(connectionId: string): void;
  onDeliveries(): void;
  emit: EmitEvent;
}

/** How long the record of a completed call waits for the last words of its conversation, see `CallStore.seal`. */
const sealAfterMs = { settle: 1_000, lease: sessionLeaseMs, longest: 3 * sessionLeaseMs };
const soonestLookMs = 50;
const longestLookMs = 250;
const triesWithModel = 3;
/** The call waits meanwhile. */
const triesForVoicemail = 2;

/** Handles `generate_workflow`: writes the workflow of a prompt call, then lets it be dialed. */
export function createWorkflowGenerationWork(deps: CallWorkDeps): JobHandler {
  const { calls } = deps.storage;
  return {
    concurrency: 20,
    async run(job, signal) {
      const loaded = await calls.load(job.subjectId);
      if (loaded?.call.state !== 'queued' || loaded.call.prompt === null) return { done: true };
      const { call } = loaded;
      const organizationName = await deps.organizationName(call.organizationId);
      const generated = await generateWorkflow(
        { languageModel: deps.languageModelFor(call.mode) },
        loaded.call.prompt,
        // "Tomorrow" is meant from when it was asked for.
        { organizationName, time: calleeTime(call.to, call.createdAt), signal },
      );
      await calls.setGeneratedWorkflow(call.id, generated);
      if (call.connectionId !== null) deps.onDue(call.connectionId);
      return { done: true };
    },
    /** The fallback stored at acceptance names the task well enough to hold the call. */
    giveUp: (job) => calls.setGeneratedWorkflow(job.subjectId, null),
  };
}

/** Handles `write_voicemail`: writes what is left on a mailbox, then lets the call be dialed. */
export function createVoicemailWork(deps: CallWorkDeps): JobHandler {
  const { calls } = deps.storage;

  async function letDial(call: CallRecord, message: string | null): Promise<void> {
    await calls.setVoicemailMessage(call.id, message);
    if (call.connectionId !== null) deps.onDue(call.connectionId);
  }

  return {
    concurrency: 20,
    async run(job, signal) {
      const loaded = await calls.load(job.subjectId);
      if (loaded?.call.state !== 'queued') return { done: true };
      const { call, definition } = loaded;
      const organizationName = await deps.organizationName(call.organizationId);
      const languageModel = deps.languageModelFor(call.mode);
      let message: string | null = null;
      try {
        message = await writeVoicemail({ languageModel }, { definition, call, organizationName, signal });
      } catch (error) {
        if (signal.aborted || job.tries < triesForVoicemail) throw error;
      }
      await letDial(call, message);
      return { done: true };
    },
    /** The workflow's own message is left, or what the call is about. */
    async giveUp(job) {
      const loaded = await calls.load(job.subjectId);
      if (loaded) await letDial(loaded.call, null);
    },
  };
}

/** Handles `finish_call`: summarizes a completed call and hands its results to the notifications. */
export function createFinishWork(deps: CallWorkDeps): JobHandler {
  const { calls } = deps.storage;

  async function finish(
    callId: string,
    summaryOf: (ended: EndedCall, mode: Mode) => string | Promise<string>,
  ): Promise<void> {
    const loaded = await calls.load(callId);
    if (!loaded?.call.outcome) return;
    const { call, definition } = loaded;
    const { transfers, recordings, forms } = deps.storage;
    const [transcript, handovers, [recording], filled] = await Promise.all([
      calls.transcript(callId),
      definition.abilities.transfer.length === 0 ? [] : transfers.ofCall(callId),
      recordings.ofCalls([callId]),
      definition.forms.length === 0 ? [] : forms.ofCall(callId),
    ]);
    const isOffTheRecord = recording?.consent === 'refused';
    const { reason } = call;
    const ended = {
      definition,
      transcript,
      isOffTheRecord,
      transfers: handovers,
      outcome: outcomeOf(call),
      reason,
    };
    const summary = await summaryOf(ended, call.mode);
    const deliveries = await deps.buildDeliveries(call, definition, transcript, summary, filled);
    if (await calls.finishCall(callId, summary, deliveries)) {
      deps.emit({ type: 'call.finished', callId, outcome: outcomeOf(call), reason: call.reason, summary });
      if (deliveries.length > 0) deps.onDeliveries();
    }
  }

  return {
    concurrency: 20,
    async run(job, signal) {
      const seal = await calls.seal(job.subjectId, sealAfterMs);
      if (seal === null) return { done: true };
      if (!seal.sealed) {
        // The holder may let go at any time.
        const againInMs = Math.max(soonestLookMs, Math.min(seal.againInMs, longestLookMs));
        return { againInMs, resetTries: true };
      }
      await finish(job.subjectId, (ended, mode) =>
        job.tries > triesWithModel
          ? summarizeWithoutModel(ended)
          : summarize({ languageModel: deps.languageModelFor(mode) }, ended, signal),
      );
      return { done: true };
    },
    async giveUp(job) {
      await calls.seal(job.subjectId, { settle: 0, lease: 0, longest: 0 });
      await finish(job.subjectId, summarizeWithoutModel);
    },
  };
}

function outcomeOf(call: CallRecord): NonNullable<CallRecord['outcome']> {
  if (!call.outcome) throw new Error('a call is finished before it ended');
  return call.outcome;
}
