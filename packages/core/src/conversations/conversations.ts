import type { EmitEvent } from '../events.ts';
import type { CallStore } from '../ports/call-store.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import type { FormStore } from '../ports/form-store.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { Logger } from '../ports/logger.ts';
import type { Mode } from '../ports/mode.ts';
import type { OrganizationStore } from '../ports/organization-store.ts';
import type { CallChannel } from '../ports/speech.ts';
import type { SpeechModel } from '../ports/speech-model.ts';
import type { ToolCallStore } from '../ports/tool-call-store.ts';
import type { AgentTool } from './agent-tool.ts';
import type { CarrierLine } from './carrier-line.ts';
import { type CallRecording, type Conversation, converse } from './conversation.ts';
import { keepTrying } from './keep-trying.ts';

/** The live conversations of this process. */
export interface Conversations {
  /**
   * Talks to the callee until the channel closes. Loads the call, its workflow and what was said before, so a
   * conversation that lost its channel, or its process, goes on where it was. A call has one channel: what is left of
   * an earlier one, whose loss may not have been noticed, is dropped.
   * @param line the carrier's own voice, where there is a carrier
   */
  begin(callId: string, channel: CallChannel, line: CarrierLine | null): void;
  /** Conversations going on now. */
  readonly active: number;
  /** Waits until none is left, at most so long, then drops the channels: the carrier reconnects to another process. */
  drain(timeoutMs: number): Promise<void>;
}

export interface ConversationsDeps {
  readonly storage: {
    readonly calls: Pick<
      CallStore,
      'load' | 'transcript' | 'appendTranscript' | 'noteReason' | 'noteConversationOver'
    >;
    readonly organizations: Pick<OrganizationStore, 'addDoNotCall'>;
    readonly forms: Pick<FormStore, 'ofCall' | 'storeAnswer'>;
    readonly toolCalls: Pick<ToolCallStore, 'ofCall' | 'begin' | 'finish'>;
  };
  languageModelFor(mode: Mode): LanguageModel;
  /** `null` on servers that talk in words only. */
  speechModelFor(mode: Mode): SpeechModel | null;
  /** Everything embedders let agents do; a call gets what its workflow names. */
  readonly tools: readonly AgentTool[];
  /** What callees decide about being recorded. */
  readonly recordings: {
    consentOf(callId: string): Promise<CallRecording['consent']>;
    agree(callId: string): Promise<void>;
    refuse(callId: string): Promise<void>;
  };
  /** Whom the agent calls for, unless the workflow names somebody. */
  organizationName(organizationId: string): Promise<string>;
  readonly emit: EmitEvent;
  readonly logger: Logger;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** A callee waits in silence while the store is away; after this the carrier is left to decide. */
const longestLoadMs = 5000;
/** What dropped conversations get to store what was heard. */
const lastWritesMs = 5000;

interface LiveConversation {
  readonly callId: string;
  drop(): void;
  readonly finished: Promise<void>;
}

export function createConversations(deps: ConversationsDeps): Conversations {
  const { storage, recordings, emit, logger, clock = systemClock } = deps;
  const live = new Set<LiveConversation>();

  /** `null` when there is nothing to talk about: the call is unknown, over, or was about to end already. */
  async function open(
    callId: string,
    channel: CallChannel,
    line: CarrierLine | null,
  ): Promise<Conversation | null> {
    const [loaded, earlier] = await Promise.all([
      storage.calls.load(callId),
      storage.calls.transcript(callId),
    ]);
    if (!loaded) return null;
    const { call, definition } = loaded;
    if (call.state === 'completed' || call.cancelRequested || call.reason !== null) return null;
    const [forms, toolCalls] = await Promise.all([
      definition.forms.length === 0 ? [] : storage.forms.ofCall(callId),
      definition.tools.length === 0 ? [] : storage.toolCalls.ofCall(callId),
    ]);
    return converse({
      storage,
      emit,
      logger,
      clock,
      call,
      definition,
      organizationName: await deps.organizationName(call.organizationId),
      earlier,
      forms,
      tools: deps.tools.filter(({ name }) => definition.tools.includes(name)),
      toolCalls,
      channel,
      line,
      recording: {
        consent: definition.recording.mode === 'off' ? null : await recordings.consentOf(callId),
        agree: () => recordings.agree(callId),
        refuse: () => recordings.refuse(callId),
      },
      languageModel: deps.languageModelFor(call.mode),
      speechModel: deps.speechModelFor(call.mode),
    });
  }

  function begin(callId: string, channel: CallChannel, line: CarrierLine | null): void {
    let conversation: Conversation | null = null;
    let isDropped = false;
    const replaced = [...live].filter((other) => other.callId === callId);
    for (const other of replaced) other.drop();

    async function talk(): Promise<void> {
      // What was said there is to be known here.
      await within(longestLoadMs, Promise.all(replaced.map(({ finished }) => finished)));
      try {
        conversation = await keepTrying(() => open(callId, channel, line), { giveUpAfterMs: longestLoadMs });
      } catch (error) {
        logger.error({ callId, error }, 'a conversation could not be loaded');
        channel.channel.close();
        return;
      }
      if (isDropped) return;
      if (!conversation) {
        channel.channel.end();
        return;
      }
      await conversation.finished;
    }

    const entry: LiveConversation = {
      callId,
      drop() {
        isDropped = true;
        if (conversation) conversation.drop();
        else channel.channel.close();
      },
      finished: talk()
        .catch((error: unknown) => {
          logger.error({ callId, error }, 'a conversation broke off');
          channel.channel.close();
        })
        .finally(() => live.delete(entry)),
    };
    live.add(entry);
  }

  async function noneLeft(): Promise<void> {
    while (live.size > 0) await Promise.all([...live].map(({ finished }) => finished));
  }

  return {
    begin,
    get active() {
      return live.size;
    },
    async drain(timeoutMs) {
      await within(timeoutMs, noneLeft());
      if (live.size === 0) return;
      for (const conversation of [...live]) conversation.drop();
      await within(lastWritesMs, noneLeft());
    },
  };
}

/** Waits, but not for longer than this. */
async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
