import { type WorkflowDefinitionInput, workflowDefinition } from '@callkite/contract';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import type { CallRecord, HeardAnswer, TranscriptEntry } from '../../calls/call-store.ts';
import type { CalleeEvent, RelayChannel } from '../../calls/speech.ts';
import type { CallForm, FormAnswer } from '../../features/forms/form-store.ts';
import type {
  NewTransfer,
  TransferIntegration,
  TransferRecord,
} from '../../features/transfers/transfer-store.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import type { CallkiteEvent } from '../../kernel/events.ts';
import { silentLogger } from '../../kernel/logger.ts';
import type { Scope } from '../../kernel/mode.ts';
import { type ScriptedAnswer, ScriptedModel } from '../../testing/scripted-model.ts';
import { type AgentSessionsDeps, createAgentSessions } from '../session/agent-sessions.ts';
import { disclosureLine } from '../session/disclosure.ts';
import type { AgentTool } from '../tools/agent-tool.ts';
import type { ToolCallRecord } from '../tools/tool-call-store.ts';

type Sent = { text: string; last: boolean; interruptible: boolean };

/** A channel whose other side is the test. Refuses to be used after it ended. */
export class TestChannel implements RelayChannel {
  readonly sent: Sent[] = [];
  readonly did: string[] = [];
  #listener: ((event: CalleeEvent) => void) | undefined;
  #early: CalleeEvent[] = [];

  listen(listener: (event: CalleeEvent) => void): void {
    if (this.#listener) throw new Error('listened to twice');
    this.#listener = listener;
    for (const event of this.#early.splice(0)) listener(event);
  }

  speak(text: string, options: { last: boolean; interruptible: boolean }): void {
    if (this.did.length > 0) throw new Error(`spoke "${text}" after ${this.did.join(', ')}`);
    this.sent.push({ text, ...options });
  }

  speakIn(language: string): void {
    this.sent.push({ text: `[${language}] `, last: false, interruptible: true });
  }

  pressDigits(): void {
    throw new Error('no digits are expected');
  }

  end(): void {
    if (this.did.length > 0) throw new Error(`ended after ${this.did.join(', ')}`);
    this.did.push('end');
  }

  close(): void {
    this.did.push('close');
  }

  hear(...events: readonly CalleeEvent[]): void {
    for (const event of events) {
      if (this.#listener) this.#listener(event);
      else this.#early.push(event);
    }
  }

  /** Utterances as they were closed; the one still open last. */
  get utterances(): string[] {
    const whole: string[] = [];
    let open = '';
    for (const { text, last } of this.sent) {
      open += text;
      if (last) {
        whole.push(open);
        open = '';
      }
    }
    return open === '' ? whole : [...whole, open];
  }
}

export const organizationName = 'Example Dental';
export const ready: CalleeEvent = { type: 'ready', providerCallId: 'CA1', sessionId: 'VX1' };
export const said = (text: string): CalleeEvent => ({ type: 'said', text, language: 'en-US' });
export const interrupted = (heardText: string): CalleeEvent => ({
  type: 'interrupted',
  heardText,
  atMs: 500,
});
export const closed: CalleeEvent = { type: 'closed' };
export const unavailable = new CallkiteError('provider_unavailable', 'the model is away', {
  retryable: true,
});
export const storeAway = new CallkiteError('storage_unavailable', 'the store is away', { retryable: true });

export const call: CallRecord = {
  id: 'call_1',
  organizationId: 'org_1',
  mode: 'test',
  origin: 'workflow',
  workflowId: 'wf_1',
  workflowVersion: 1,
  workflowName: 'Visit',
  connectionId: 'con_1',
  from: '+12025550100',
  to: '+12025550123',
  recipientName: 'Sam Rivera',
  recipientEmail: null,
  recipientContext: 'Long-standing patient',
  prompt: null,
  callbackUrl: null,
  sealedCallbackSecret: null,
  state: 'in_progress',
  outcome: null,
  reason: null,
  answeredBy: null,
  heard: null,
  voicemailMessage: null,
  cancelRequested: false,
  conversationOver: false,
  summary: null,
  createdAt: new Date(),
  answeredAt: null,
  endedAt: null,
  durationSeconds: null,
  erasedAt: null,
};

export interface Setup {
  script?: readonly ScriptedAnswer[];
  definition?: Partial<WorkflowDefinitionInput>;
  call?: Partial<CallRecord>;
  earlier?: readonly Omit<TranscriptEntry, 'at'>[];
  forms?: readonly CallForm[];
  tools?: readonly AgentTool[];
  toolCalls?: readonly ToolCallRecord[];
  consent?: 'given' | 'refused';
  storage?: Partial<AgentSessionsDeps['storage']['calls']>;
  addDoNotCall?: AgentSessionsDeps['storage']['organizations']['addDoNotCall'];
  /** Transfers of the call so far; the callee comes back from the last one. */
  transfers?: readonly TransferRecord[];
  transferStore?: Partial<AgentSessionsDeps['storage']['transfers']>;
  /** Names of integrations by id. @default 'Billing' */
  names?: Readonly<Record<string, string>>;
  numbersOf?: AgentSessionsDeps['transferNumbers']['of'];
}

export const colleague: TransferIntegration = {
  id: 'tri_1',
  organizationId: 'org_1',
  name: 'Billing',
  mode: 'warm',
  phoneNumber: '+12025550160',
  transferUrl: null,
  fallbackNumbers: [],
  ringSeconds: 25,
  takeMessages: true,
  createdAt: new Date(),
};

let hangUp = async () => {};

/** One conversation in words, with a callee who answered. */
export async function start(setup: Setup = {}) {
  const definition = workflowDefinition.parse({
    objective: 'Confirm the visit',
    opening: 'Can you come on Monday?',
    ...setup.definition,
  });
  const model = new ScriptedModel(setup.script);
  const channel = new TestChannel();
  const transcript: Omit<TranscriptEntry, 'at'>[] = [...(setup.earlier ?? [])];
  const reasons: string[] = [];
  const heard: HeardAnswer[] = [];
  const optOuts: (Scope & Parameters<AgentSessionsDeps['storage']['organizations']['addDoNotCall']>[1])[] =
    [];
  const answers: (FormAnswer & { formId: string })[] = [];
  const toolResults: string[] = [];
  const decisions: string[] = [];
  const requested: NewTransfer[] = [];
  const messages: string[] = [];
  const events: CallkiteEvent[] = [];
  const conversations = createAgentSessions({
    storage: {
      calls: {
        load: async () => ({ call: { ...call, ...setup.call }, definition }),
        transcript: async () => transcript.map((entry) => ({ ...entry, at: new Date() })),
        appendTranscript: async (_callId, entry) => transcript.push(entry),
        noteConversationOver: async () => {},
        holdConversation: async () => true,
        prolongConversations: async (holders) => holders,
        releaseConversation: async () => {},
        noteReason: async (_callId, reason) => {
          reasons.push(reason);
        },
        noteAgentFailed: async () => {
          reasons.push('agent_unavailable, failed');
        },
        noteHeard: async (_callId, answer) => {
          heard.push(answer);
        },
        ...setup.storage,
      },
      organizations: {
        addDoNotCall:
          setup.addDoNotCall ??
          (async ({ organizationId, mode }, entry) => {
            optOuts.push({ organizationId, mode, ...entry });
          }),
      },
      forms: {
        ofCall: async () => setup.forms ?? [],
        storeAnswer: async (_callId, formId, answer) => {
          answers.push({ formId, ...answer });
        },
        removeAnswer: async (_callId, formId, field) => {
          const index = answers.findIndex((answer) => answer.formId === formId && answer.field === field);
          if (index >= 0) answers.splice(index, 1);
        },
      },
      toolCalls: {
        ofCall: async () => setup.toolCalls ?? [],
        begin: async () => null,
        finish: async (_callId, _key, { status, result }) => {
          toolResults.push(`${status} ${result}`);
        },
      },
      transfers: {
        ofCall: async () => setup.transfers ?? [],
        takeBack: async () => setup.transfers?.at(-1) ?? null,
        request: async (transfer) => {
          requested.push(transfer);
          return true;
        },
        storeMessage: async (_callId, _transferId, message) => {
          messages.push(message);
          return true;
        },
        ...setup.transferStore,
      },
    },
    transfersOffered: async (_call, { abilities }) =>
      abilities.transfer.map((id) => ({ ...colleague, id, name: setup.names?.[id] ?? colleague.name })),
    transferNumbers: {
      of:
        setup.numbersOf ?? (async ({ phoneNumber }) => [{ id: 'leg_1', to: phoneNumber, source: 'static' }]),
    },
    recordings: {
      consentOf: async () => setup.consent ?? null,
      agree: async () => void decisions.push('agreed'),
      refuse: async () => void decisions.push('refused'),
      forgo: async () => void decisions.push('missing'),
    },
    speechModelFor: () => null,
    languageModelFor: () => model,
    tools: setup.tools ?? [],
    organizationName: async () => organizationName,
    emit: (event) => events.push(event),
    logger: silentLogger,
  });
  hangUp = async () => {
    channel.hear(closed);
    await settle();
    expect(conversations.active).toBe(0);
    model.assertFinished();
  };
  conversations.begin(call.id, { kind: 'words', channel }, null);
  channel.hear(ready);
  await settle();
  const lines = () =>
    transcript.map(({ role, content, interrupted: cut }) => `${role}: ${content}${cut ? ' /' : ''}`);
  return {
    conversations,
    decisions,
    channel,
    model,
    transcript,
    lines,
    reasons,
    heard,
    optOuts,
    answers,
    toolResults,
    requested,
    messages,
    events,
    definition,
  };
}

export const settle = () => vi.advanceTimersByTimeAsync(0);
export const disclosure = disclosureLine(workflowDefinition.parse({ objective: 'x' }), organizationName);

/** For files that `start` conversations: time is the test's, and every callee hangs up in the end. */
export function stageEachTest(): void {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(async () => {
    await hangUp();
    vi.useRealTimers();
  });
}
