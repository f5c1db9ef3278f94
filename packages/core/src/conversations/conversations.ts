import type { EmitEvent } from '../events.ts';
import type { CallStore } from '../ports/call-store.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { Logger } from '../ports/logger.ts';
import type { Mode } from '../ports/mode.ts';
import type { OrganizationStore } from '../ports/organization-store.ts';
import type { SpeechChannel } from '../ports/speech.ts';
import { type Conversation, converse } from './conversation.ts';
import { keepTrying } from './keep-trying.ts';

/** The live conversations of this process. */
export interface Conversations {
  /**
   * Talks to the callee until the channel closes. Loads the call, its workflow and what was said before, so a
   * conversation that lost its channel, or its process, goes on where it was.
   */
  begin(callId: string, channel: SpeechChannel): void;
  /** Conversations going on now. */
  readonly active: number;
  /** Waits until none is left, at most so long, then drops the channels: the carrier reconnects to another process. */
  drain(timeoutMs: number): Promise<void>;
}

export interface ConversationsDeps {
  readonly storage: {
    readonly calls: Pick<CallStore, 'load' | 'transcript' | 'appendTranscript' | 'noteReason'>;
    readonly organizations: Pick<OrganizationStore, 'addDoNotCall'>;
  };
  languageModelFor(mode: Mode): LanguageModel;
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
  drop(): void;
  readonly finished: Promise<void>;
}

export function createConversations(deps: ConversationsDeps): Conversations {
  const { storage, emit, logger, clock = systemClock } = deps;
  const live = new Set<LiveConversation>();

  /** `null` when there is nothing to talk about: the call is unknown, over, or was about to end already. */
  async function open(callId: string, channel: SpeechChannel): Promise<Conversation | null> {
    const [loaded, earlier] = await Promise.all([
      storage.calls.load(callId),
      storage.calls.transcript(callId),
    ]);
    if (!loaded) return null;
    const { call, definition } = loaded;
    if (call.state === 'completed' || call.cancelRequested || call.reason !== null) return null;
    return converse({
      storage,
      emit,
      logger,
      clock,
      call,
      definition,
      organizationName: await deps.organizationName(call.organizationId),
      earlier,
      channel,
      languageModel: deps.languageModelFor(call.mode),
    });
  }

  function begin(callId: string, channel: SpeechChannel): void {
    let conversation: Conversation | null = null;
    let isDropped = false;

    async function talk(): Promise<void> {
      try {
        conversation = await keepTrying(() => open(callId, channel), { giveUpAfterMs: longestLoadMs });
      } catch (error) {
        logger.error({ callId, error }, 'a conversation could not be loaded');
        channel.close();
        return;
      }
      if (isDropped) return;
      if (!conversation) {
        channel.end();
        return;
      }
      channel.listen(conversation.handle);
      await conversation.finished;
    }

    const entry: LiveConversation = {
      drop() {
        isDropped = true;
        if (conversation) conversation.drop();
        else channel.close();
      },
      finished: talk().finally(() => live.delete(entry)),
    };
    live.add(entry);
  }

  async function untilIdle(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<'timeout'>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, 'timeout');
    });
    try {
      while (live.size > 0) {
        const idle = Promise.all([...live].map(({ finished }) => finished));
        if ((await Promise.race([idle, timeout])) === 'timeout') return;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    begin,
    get active() {
      return live.size;
    },
    async drain(timeoutMs) {
      await untilIdle(timeoutMs);
      if (live.size === 0) return;
      for (const conversation of [...live]) conversation.drop();
      await untilIdle(lastWritesMs);
    },
  };
}
