import type { CalleeEvent, RelayChannel } from '../../calls/speech.ts';
import {
  type Caption,
  captions,
  eventQueue,
  type VisitorChannelOptions,
  type VisitorSide,
} from './visitor-channel.ts';

/**
 * A web call in writing, as a channel of words. What is sent counts as read at once. Nobody can tell a visitor who
 * types from one who has left: after each line of the agent he counts as speaking, so that he gets the time of somebody
 * who speaks before he is asked whether he is there.
 */
export function textChannel(options: VisitorChannelOptions): {
  readonly channel: RelayChannel;
  readonly visitor: VisitorSide;
} {
  const { callId, sessionId, send } = options;
  const events = eventQueue<{ readonly event: CalleeEvent; readonly beforeTold?: () => void }>();
  const begin = captions(options);
  let open: { readonly line: Caption; text: string } | null = null;
  /** Shown, and not told to be read yet: of a line that is told word for word before its end, nobody would learn the end. */
  let unread = '';
  let isClosed = false;

  function tell(...told: readonly CalleeEvent[]): void {
    if (!isClosed) for (const event of told) events.push({ event });
  }

  function tellRead(): void {
    if (unread !== '') tell({ type: 'played', text: unread });
    unread = '';
  }

  tell({ type: 'ready', providerCallId: callId, sessionId });

  return {
    channel: {
      listen(listener) {
        events.listen(({ event, beforeTold }) => {
          beforeTold?.();
          listener(event);
        });
      },
      speak(text, { last }) {
        if (isClosed || (text === '' && open === null)) return;
        if (open === null) {
          open = { line: begin('assistant'), text: '' };
          send({ type: 'status', status: 'speaking' });
        }
        open.text += text;
        open.line.show(open.text, last);
        if (hasWords(text)) tellRead();
        unread += text;
        if (!last) return;
        tellRead();
        open = null;
        send({ type: 'status', status: 'listening' });
        tell({ type: 'callee-speaking', speaking: true });
      },
      // A visitor writes as they like.
      speakIn: () => undefined,
      // There is no phone on the other side.
      pressDigits: () => undefined,
      end: options.onEnd,
      close: options.onClose,
    },
    visitor: {
      take(message) {
        if (message.type === 'text') {
          if (isClosed) return;
          // What was typed before the agent came stands below its greeting, as on record.
          const beforeTold = () => {
            begin('user', message.id).show(message.text, true);
            send({ type: 'status', status: 'thinking' });
          };
          events.push({ event: { type: 'said', text: message.text, language: null }, beforeTold });
        } else if (message.type === 'dtmf') {
          tell({ type: 'pressed', digit: message.digit });
        }
      },
      hear: () => undefined,
      // The words are on the visitor's screen already.
      spoken: () => undefined,
      closed() {
        tellRead();
        tell({ type: 'closed' });
        isClosed = true;
      },
    },
  };
}

const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text);
