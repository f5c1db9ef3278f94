import type { WorkflowDefinition } from '@callkite/contract';
import type { CallRecord, CallStore } from '../../calls/call-store.ts';
import type { CallChannel } from '../../calls/speech.ts';
import type { OptOuts } from '../../features/do-not-call/do-not-call-store.ts';
import type { FormStore } from '../../features/forms/form-store.ts';
import { recordingModeOf } from '../../features/recordings/recording-mode.ts';
import type { TransferNumbers } from '../../features/transfers/transfer-numbers.ts';
import type { TransferIntegration, TransferStore } from '../../features/transfers/transfer-store.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { EmitEvent } from '../../kernel/events.ts';
import { createId } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Mode } from '../../kernel/mode.ts';
import { retry } from '../../kernel/retry.ts';
import { waitAtMost } from '../../kernel/timeout.ts';
import type { CallRecording } from '../abilities/recording-consent.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { SpeechModel } from '../ports/speech-model.ts';
import type { AgentTool } from '../tools/agent-tool.ts';
import type { ToolCallStore } from '../tools/tool-call-store.ts';
import { type AgentSession, startAgentSession } from './agent-session.ts';
import type { CarrierAnnouncer } from './carrier-announcer.ts';

/** The live conversations of this process. */
export interface AgentSessions {
  /**
   * Talks to the callee until the channel closes. Loads the call, its workflow and what was said before, so a
   * conversation that lost its channel, or its process, goes on where it was. A call has one channel: what is left of
   * an earlier one, whose loss may not have been noticed, is dropped.
   * @param line the carrier's own voice, where there is a carrier
   * @returns resolves when the conversation is over and on record; never rejects
   */
  begin(callId: string, channel: CallChannel, line: CarrierAnnouncer | null): Promise<void>;
  /** Tells the agent of a live conversation what is known of the callee besides. */
  note(callId: string, text: string): void;
  /** The callee of a live conversation has it on hold, or is back. */
  pause(callId: string, on: boolean): void;
  /** Conversations going on now. */
  readonly active: number;
  /** Whether a call has one. */
  isLive(callId: string): boolean;
  /** Waits until none is left, at most so long, then drops the channels: the carrier reconnects to another process. */
  drain(timeoutMs: number): Promise<void>;
}

export interface AgentSessionsDeps {
  readonly storage: {
    readonly calls: Pick<
      CallStore,
      | 'load'
      | 'transcript'
      | 'appendTranscript'
      | 'noteReason'
      | 'noteAgentFailed'
      | 'noteHeard'
      | 'noteConversationOver'
      | 'holdConversation'
      | 'prolongConversations'
      | 'releaseConversation'
    >;
    readonly organizations: OptOuts;
    readonly forms: Pick<FormStore, 'ofCall' | 'storeAnswer' | 'removeAnswer'>;
    readonly toolCalls: Pick<ToolCallStore, 'ofCall' | 'begin' | 'finish'>;
    readonly transfers: Pick<TransferStore, 'ofCall' | 'takeBack' | 'request' | 'storeMessage'>;
  };
  languageModelFor(mode: Mode): LanguageModel;
  /** `null` on servers without a speech model. */
  speechModelFor(mode: Mode): SpeechModel | null;
  /** Everything embedders let agents do; a call gets what its workflow names. */
  readonly tools: readonly AgentTool[];
  /** What callees decide about being recorded. */
  readonly recordings: {
    consentOf(callId: string): Promise<CallRecording['consent']>;
    agree(callId: string): Promise<void>;
    refuse(callId: string): Promise<void>;
    forgo(callId: string): Promise<void>;
  };
  /** Whom this call may be transferred to, of those its workflow names. */
  transfersOffered(call: CallRecord, definition: WorkflowDefinition): Promise<readonly TransferIntegration[]>;
  readonly transferNumbers: Pick<TransferNumbers, 'of'>;
  /** Whom the agent calls for, unless the workflow names somebody. */
  organizationName(organizationId: string): Promise<string>;
  readonly emit: EmitEvent;
  readonly logger: Logger;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** A conversation that its holder has not prolonged for so long may be lost with its process. */
export const sessionLeaseMs = 10_000;
/** A callee waits in silence while the store is away; after this the carrier is left to decide. */
const longestLoadMs = 5000;
/** What dropped conversations get to store what was heard. */
const lastWritesMs = 5000;

interface LiveConversation {
  readonly callId: string;
  /** Names it in the store. */
  readonly holder: string;
  isHeld: boolean;
  note(text: string): void;
  pause(on: boolean): void;
  drop(): void;
  readonly finished: Promise<void>;
}

export function createAgentSessions(deps: AgentSessionsDeps): AgentSessions {
  const { storage, recordings, emit, logger, clock = systemClock } = deps;
  const live = new Set<LiveConversation>();
  let heartbeat: NodeJS.Timeout | undefined;

  /** What this process holds stays its own, and what it no longer holds is dropped. */
  async function prolong(): Promise<void> {
    const held = [...live].filter(({ isHeld }) => isHeld);
    if (held.length === 0) return;
    try {
      const holders = held.map(({ holder }) => holder);
      const kept = new Set(await storage.calls.prolongConversations(holders, sessionLeaseMs));
      for (const conversation of held) if (!kept.has(conversation.holder)) conversation.drop();
    } catch (error) {
      logger.warn({ err: error }, 'failed to renew conversation leases');
    }
  }

  function watch(): void {
    if (live.size > 0) heartbeat ??= setInterval(() => void prolong(), sessionLeaseMs / 4).unref();
    else {
      clearInterval(heartbeat);
      heartbeat = undefined;
    }
  }

  async function release({ callId, holder }: LiveConversation): Promise<void> {
    try {
      const released = () => storage.calls.releaseConversation(callId, holder);
      await retry(released, { giveUpAfterMs: lastWritesMs });
    } catch (error) {
      logger.warn({ callId, err: error }, 'failed to store the end of a conversation');
    }
  }

  /** `null` when there is nothing to talk about: the call is unknown, over, or was about to end already. */
  async function open(
    entry: LiveConversation,
    channel: CallChannel,
    line: CarrierAnnouncer | null,
  ): Promise<AgentSession | null> {
    const { callId, holder } = entry;
    const [isHeld, loaded, earlier] = await Promise.all([
      storage.calls.holdConversation(callId, holder, sessionLeaseMs),
      storage.calls.load(callId),
      storage.calls.transcript(callId),
    ]);
    entry.isHeld = isHeld;
    if (!loaded || !isHeld) return null;
    const { call } = loaded;
    const mode = recordingModeOf(loaded.definition, call);
    const definition = { ...loaded.definition, recording: { ...loaded.definition.recording, mode } };
    if (call.state === 'completed' || call.cancelRequested || call.reason !== null) return null;
    const [forms, toolCalls, organizationName] = await Promise.all([
      definition.forms.length === 0 ? [] : storage.forms.ofCall(callId),
      definition.tools.length === 0 ? [] : storage.toolCalls.ofCall(callId),
      deps.organizationName(call.organizationId),
    ]);
    return startAgentSession({
      storage,
      emit,
      logger,
      clock,
      call,
      definition,
      organizationName,
      earlier,
      detected: async () => (await storage.calls.load(callId))?.call.answeredBy ?? null,
      forms,
      tools: deps.tools.filter(({ name }) => definition.tools.includes(name)),
      toolCalls,
      transfers: await transfersOf(call, definition),
      channel,
      line,
      recording: {
        consent: mode === 'off' ? null : await recordings.consentOf(callId),
        agree: () => recordings.agree(callId),
        refuse: () => recordings.refuse(callId),
        forgo: () => recordings.forgo(callId),
      },
      languageModel: deps.languageModelFor(call.mode),
      speechModel: deps.speechModelFor(call.mode),
    });
  }

  async function transfersOf(call: CallRecord, definition: WorkflowDefinition) {
    const numbersOf = (integration: TransferIntegration) => deps.transferNumbers.of(integration, call);
    if (definition.abilities.transfer.length === 0) {
      return { offered: [], earlier: [], isBack: false, numbersOf };
    }
    const [offered, earlier] = await Promise.all([
      deps.transfersOffered(call, definition),
      storage.transfers.ofCall(call.id),
    ]);
    const isBack = (await storage.transfers.takeBack(call.id)) !== null;
    return { offered, earlier, isBack, numbersOf };
  }

  function begin(callId: string, channel: CallChannel, line: CarrierAnnouncer | null): Promise<void> {
    let conversation: AgentSession | null = null;
    let isDropped = false;
    let isPaused = false;
    const replaced = [...live].filter((other) => other.callId === callId);
    for (const other of replaced) other.drop();

    async function talk(): Promise<void> {
      // What was said there is to be known here.
      await waitAtMost(longestLoadMs, Promise.all(replaced.map(({ finished }) => finished)));
      try {
        conversation = await retry(() => open(entry, channel, line), { giveUpAfterMs: longestLoadMs });
      } catch (error) {
        logger.error({ callId, error }, 'failed to load a conversation');
        channel.channel.close();
        return;
      }
      if (isDropped) return;
      if (!conversation) {
        channel.channel.end();
        return;
      }
      conversation.pause(isPaused);
      await conversation.finished;
    }

    const entry: LiveConversation = {
      callId,
      holder: createId('conv'),
      isHeld: false,
      // Before it is loaded there is nobody to tell: what is on record by then is loaded with it.
      note: (text) => conversation?.note(text),
      pause(on) {
        isPaused = on;
        conversation?.pause(on);
      },
      drop() {
        isDropped = true;
        if (conversation) conversation.drop();
        else channel.channel.close();
      },
      finished: talk()
        .catch((error: unknown) => {
          logger.error({ callId, error }, 'conversation failed');
          channel.channel.close();
        })
        .finally(async () => {
          await release(entry);
          live.delete(entry);
          watch();
        }),
    };
    live.add(entry);
    watch();
    return entry.finished;
  }

  async function noneLeft(): Promise<void> {
    while (live.size > 0) await Promise.all([...live].map(({ finished }) => finished));
  }

  return {
    begin,
    note(callId, text) {
      for (const other of live) if (other.callId === callId) other.note(text);
    },
    pause(callId, on) {
      for (const other of live) if (other.callId === callId) other.pause(on);
    },
    isLive: (callId) => [...live].some((other) => other.callId === callId),
    get active() {
      return live.size;
    },
    async drain(timeoutMs) {
      await waitAtMost(timeoutMs, noneLeft());
      if (live.size === 0) return;
      for (const conversation of [...live]) conversation.drop();
      await waitAtMost(lastWritesMs, noneLeft());
    },
  };
}
