import type { CarrierAnnouncer } from '../../agent/session/carrier-announcer.ts';
import type { AttemptRecord, CallStore, ReportResult } from '../../calls/call-store.ts';
import type { CallChannel } from '../../calls/speech.ts';
import type { Logger } from '../../kernel/logger.ts';
import { retry } from '../../kernel/retry.ts';

/** The carrier names the call in its first message, which follows the opening of the socket at once. */
const longestSetupMs = 10_000;
/** The callee waits for the agent in the meantime. */
const checkForMs = 5_000;

type Listen<Event> = (listener: (event: Event) => void) => void;

export interface ChannelAdmissionDeps {
  calls: Pick<CallStore, 'getAttempt' | 'report'>;
  beginConversation(callId: string, channel: CallChannel, line: CarrierAnnouncer): void;
  onReport(result: ReportResult): void;
  logger: Logger;
}

/**
 * Begins the conversation of an attempt on a channel of the very carrier call the attempt is bound to. An attempt that
 * is not bound yet is bound to the call that the channel names. Any other channel is closed. Never rejects.
 */
export function channelAdmission(
  deps: ChannelAdmissionDeps,
): (attempt: AttemptRecord, opened: CallChannel, line: CarrierAnnouncer) => Promise<void> {
  const { calls, logger } = deps;

  async function isCallOf(attemptId: string, providerCallId: string): Promise<boolean> {
    const attempt = await calls.getAttempt(attemptId);
    if (attempt === null || attempt.providerCallId !== null)
      return attempt?.providerCallId === providerCallId;
    const told = { providerCallId, status: 'in-progress', answeredBy: null, durationSeconds: null } as const;
    const result = await calls.report(attemptId, told);
    deps.onReport(result);
    return result.result === 'applied';
  }

  return async ({ id, callId }, opened, line) => {
    try {
      const channel = await admitted(opened, (providerCallId) =>
        retry(() => isCallOf(id, providerCallId), { giveUpAfterMs: checkForMs }),
      );
      if (channel !== null) deps.beginConversation(callId, channel, line);
      else logger.error({ callId }, 'closed a speech channel that does not belong to its call');
    } catch (error) {
      logger.error({ callId, err: error }, 'failed to check a speech channel');
      opened.channel.close();
    }
  };
}

/**
 * The channel, once it has named the carrier call it belongs to and that is the right one; until then its events wait.
 * Otherwise the channel is closed, and the result is `null`.
 */
async function admitted(
  opened: CallChannel,
  isRightCall: (providerCallId: string) => Promise<boolean>,
): Promise<CallChannel | null> {
  if (opened.kind === 'words') {
    const { channel } = opened;
    const listen = await admit(channel, isRightCall);
    return (
      listen && {
        kind: 'words',
        channel: {
          listen,
          speak: (text, options) => channel.speak(text, options),
          speakIn: (language) => channel.speakIn(language),
          pressDigits: (digits) => channel.pressDigits(digits),
          end: () => channel.end(),
          close: () => channel.close(),
        },
      }
    );
  }
  const { channel } = opened;
  const listen = await admit(channel, isRightCall);
  return (
    listen && {
      kind: 'audio',
      channel: {
        listen,
        play: (audio) => channel.play(audio),
        mark: (name) => channel.mark(name),
        clear: () => channel.clear(),
        end: () => channel.end(),
        close: () => channel.close(),
      },
    }
  );
}

type ChannelEvent = { readonly type: string; readonly providerCallId?: string };

async function admit<Event extends ChannelEvent>(
  channel: { listen: Listen<Event>; close(): void },
  isRightCall: (providerCallId: string) => Promise<boolean>,
): Promise<Listen<Event> | null> {
  const held: Event[] = [];
  let deliver = (event: Event): void => void held.push(event);
  let limit: NodeJS.Timeout | undefined;
  const named = new Promise<string | null>((resolve) => {
    limit = setTimeout(() => resolve(null), longestSetupMs);
    channel.listen((event) => {
      deliver(event);
      if (event.type === 'ready' || event.type === 'closed') resolve(event.providerCallId ?? null);
    });
  });
  try {
    const providerCallId = await named;
    if (providerCallId !== null && (await isRightCall(providerCallId))) {
      return (listener) => {
        deliver = listener;
        for (const event of held.splice(0)) listener(event);
      };
    }
  } finally {
    clearTimeout(limit);
  }
  channel.close();
  return null;
}
