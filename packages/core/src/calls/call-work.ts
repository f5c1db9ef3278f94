import type { WorkflowDefinition } from '../contract/workflow-definition.ts';
import { summarize, summarizeWithoutModel } from '../conversations/summary.ts';
import type { EmitEvent } from '../events.ts';
import type { JobHandler } from '../job-runner.ts';
import type { CallRecord, TranscriptEntry } from '../ports/call-store.ts';
import type { NewDelivery } from '../ports/delivery-store.ts';
import type { CallForm } from '../ports/form-store.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { Mode } from '../ports/mode.ts';
import type { Storage } from '../ports/storage.ts';
import { generateWorkflow } from '../workflows/generation.ts';
import { writeVoicemail } from '../workflows/voicemail-writing.ts';

export interface CallWorkDeps {
  storage: Storage;
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

/** The last words of a conversation reach the store shortly after the carrier reports its end. */
const settleMs = 1_000;
const triesWithModel = 3;
/** The call waits meanwhile. */
const triesForVoicemail = 2;

/** Handles `generate_workflow`: writes the workflow of a prompt call, then lets it be dialled. */
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
        { organizationName, signal },
      );
      await calls.setGeneratedWorkflow(call.id, generated);
      if (call.connectionId !== null) deps.onDue(call.connectionId);
      return { done: true };
    },
    /** The fallback stored at acceptance names the task well enough to hold the call. */
    giveUp: (job) => calls.setGeneratedWorkflow(job.subjectId, null),
  };
}

/** Handles `write_voicemail`: writes what is left on a mailbox, then lets the call be dialled. */
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

/** Handles `finish_call`: summarises a completed call and hands its results to the notifications. */
export function createFinishWork(deps: CallWorkDeps): JobHandler {
  const { calls } = deps.storage;

  async function finish(callId: string, summaryOf: (result: FinishedCall) => Promise<string>): Promise<void> {
    const loaded = await calls.load(callId);
    if (!loaded?.call.outcome) return;
    const { call, definition } = loaded;
    const transcript = await calls.transcript(callId);
    const summary = await summaryOf({ call, definition, transcript });
    const forms = definition.forms.length === 0 ? [] : await deps.storage.forms.ofCall(callId);
    const deliveries = await deps.buildDeliveries(call, definition, transcript, summary, forms);
    if (await calls.finishCall(callId, summary, deliveries)) {
      deps.emit({ type: 'call.finished', callId, outcome: outcomeOf(call), reason: call.reason, summary });
      if (deliveries.length > 0) deps.onDeliveries();
    }
  }

  const withoutModel = async ({ call, definition, transcript }: FinishedCall) =>
    summarizeWithoutModel({ definition, transcript, outcome: outcomeOf(call), reason: call.reason });

  return {
    concurrency: 20,
    async run(job, signal) {
      const call = (await calls.load(job.subjectId))?.call;
      if (!call?.endedAt) return { done: true };
      const settled = (await deps.storage.ping()).nowMs - call.endedAt.getTime();
      if (call.answeredAt && settled < settleMs) {
        return { againInMs: settleMs - settled, resetTries: true };
      }
      await finish(job.subjectId, (result) =>
        job.tries > triesWithModel
          ? withoutModel(result)
          : summarize(
              { languageModel: deps.languageModelFor(result.call.mode) },
              {
                definition: result.definition,
                transcript: result.transcript,
                outcome: outcomeOf(result.call),
                reason: result.call.reason,
              },
              signal,
            ),
      );
      return { done: true };
    },
    giveUp: (job) => finish(job.subjectId, withoutModel),
  };
}

interface FinishedCall {
  readonly call: CallRecord;
  readonly definition: WorkflowDefinition;
  readonly transcript: readonly TranscriptEntry[];
}

function outcomeOf(call: CallRecord): NonNullable<CallRecord['outcome']> {
  if (!call.outcome) throw new Error('a call is finished before it ended');
  return call.outcome;
}
