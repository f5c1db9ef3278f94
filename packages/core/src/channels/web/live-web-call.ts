import { type CallReason, type WidgetEndReason, widgetCloseCodes } from '@callkite/contract';
import type { CarrierAnnouncer } from '../../agent/session/carrier-announcer.ts';
import type { CallRecord } from '../../calls/call-store.ts';
import type { BinarySocket, CallChannel } from '../../calls/speech.ts';
import type { Logger } from '../../kernel/logger.ts';
import { retry } from '../../kernel/retry.ts';
import { waitAtMost } from '../../kernel/timeout.ts';
import { audioChannel } from './audio-channel.ts';
import { type ResumableSocket, resumableSocket, type VisitorMessage } from './resumable-socket.ts';
import { textChannel } from './text-channel.ts';
import { tokenBucket } from './token-bucket.ts';
import { captions, type VisitorSide } from './visitor-channel.ts';
import type { WebCallStore } from './web-call-store.ts';

export interface ToolUsed {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A web call that this process owns. */
export interface LiveWebCall {
  readonly line: ResumableSocket;
  /** Talks to the visitor who came over this socket. @param position as in `ResumableSocket.attach` */
  begin(socket: BinarySocket, position: number | null): void;
  /** Something was said, as the conversation understood it. */
  spoken(role: 'assistant' | 'user', content: string): void;
  /** The agent begins to use a tool of the server. */
  usesTool(use: ToolUsed): void;
  /** The organization wants it to end. */
  cancel(): void;
}

export interface LiveWebCallOptions {
  readonly callId: string;
  readonly epoch: number;
  readonly media: 'audio' | 'text';
  /** Milliseconds since the call began. */
  readonly ageMs: number;
  /** Where the count of positions goes on. */
  readonly beginsAt: number;
  readonly resumeWindowMs: number;
  /** For how long this process counts as alive after it said so. */
  readonly aliveMs: number;
  readonly store: Pick<WebCallStore, 'keepAlive' | 'end' | 'addContext'>;
  /** Resolves when the conversation is over and on record. */
  converse(channel: CallChannel, line: CarrierAnnouncer | null): Promise<void>;
  /** Tells the conversation something about the visitor. */
  note(text: string): void;
  /** Tells the conversation that the visitor is away for a moment, or back. */
  pause(on: boolean): void;
  onEnded(call: CallRecord): void;
  /** This process has nothing to do with the call any more. */
  onGone(): void;
  readonly logger: Logger;
}

interface OpenChannel extends VisitorSide {
  readonly channel: CallChannel;
}

type Ending = 'agent' | 'visitor' | 'lost' | 'canceled';

/** What the conversation and the store get at the end, before the visitor is told. */
const lastWordsMs = 5_000;
const linesPerSecond = 1;
const linesAtOnce = 10;
/** WebSocket close codes: 1012 service restart. */
const restarting = 1012;

const endReasons: Readonly<Partial<Record<CallReason, WidgetEndReason>>> = {
  callee_silent: 'silence',
  time_limit: 'time_limit',
  opted_out: 'opted_out',
  canceled_by_request: 'canceled',
  agent_unavailable: 'unavailable',
  internal: 'unavailable',
};

/** Holds a web call from here to its end, or until another process takes it over. */
export function liveWebCall(options: LiveWebCallOptions): LiveWebCall {
  const { callId, epoch, media, store, logger } = options;
  const beganAtMs = performance.now() - options.ageMs;
  const sinceBeginning = () => Math.max(0, Math.round(performance.now() - beganAtMs));
  const typing = tokenBucket({ perSecond: linesPerSecond, atOnce: linesAtOnce });
  let conversation: Promise<void> = Promise.resolve();
  /** Settles when what the page told is stored: a call that is over takes nothing more. */
  let contexts: Promise<void> = Promise.resolve();
  let channels = 0;
  let isOver = false;
  let isMuted = false;
  let isPaused = false;

  const line = resumableSocket({
    callId,
    ready: { media, codec: media === 'audio' ? 'mulaw/8000' : null },
    beginsAt: options.beginsAt,
    resumeWindowMs: options.resumeWindowMs,
    listener: {
      message: onMessage,
      sound: (frame) => visitor.hear(frame),
      lost: () => void finish('lost'),
    },
  });
  let visitor = open(media);
  const heartbeat = setInterval(() => void sayAlive(), options.aliveMs / 4);

  function open(kind: 'audio' | 'text'): OpenChannel {
    channels += 1;
    const own = channels;
    const parts = {
      callId,
      sessionId: `${epoch}.${channels}`,
      send: line.send,
      sinceBeginning,
      onEnd() {
        if (own === channels) void finish('agent');
      },
      onClose() {
        if (own === channels) leave(restarting, 'the server is stopping');
      },
    };
    if (kind === 'audio') {
      const { channel, visitor } = audioChannel({ ...parts, sound: line });
      return { ...visitor, channel: { kind, channel } };
    }
    const { channel, visitor } = textChannel(parts);
    return { ...visitor, channel: { kind: 'words', channel } };
  }

  function converse(): void {
    const { channel } = visitor;
    conversation = conversation.then(() =>
      options.converse(channel, channel.kind === 'audio' ? { say: sayInWriting } : null),
    );
  }

  /** For what the speech model does not say: the visitor reads it, and the call goes on in writing. */
  async function sayInWriting(text: string, then: 'hang-up' | 'converse'): Promise<void> {
    captions({ sessionId: `${epoch}.w`, send: line.send, sinceBeginning })('assistant').show(text, true);
    if (then === 'hang-up') {
      void finish('agent');
      return;
    }
    const silenced = visitor;
    visitor = open('text');
    silenced.closed();
    converse();
  }

  /** A visitor who is muted or on hold is not asked whether they are there, for five minutes at most. */
  const noteAway = () => options.pause(isPaused || (isMuted && media === 'audio'));

  /** The five minutes begin again. */
  function noteWriting(): void {
    options.pause(false);
    noteAway();
  }

  function onMessage(message: VisitorMessage): void {
    switch (message.type) {
      case 'text':
      case 'context':
        if (isOver) line.refuse('call_ending', 'The call is ending', message.id);
        else if (!typing.take(1)) line.refuse('too_fast', 'Too much at once: wait a little', message.id);
        else if (message.type === 'text') {
          noteWriting();
          visitor.take(message);
        } else addContext(message.text);
        return;
      case 'pause':
        isPaused = message.on;
        noteAway();
        visitor.take(message);
        return;
      case 'mute':
        isMuted = message.on;
        noteAway();
        visitor.take(message);
        return;
      case 'dtmf':
      case 'mark':
        visitor.take(message);
        return;
      case 'end':
        if (message.reason !== undefined) addContext(`The page ended the call: ${message.reason}`);
        void finish('visitor');
        return;
    }
  }

  function addContext(text: string): void {
    options.note(text);
    const stored = retry(() => store.addContext(callId, text)).catch((error: unknown) =>
      logger.error({ callId, err: error }, 'failed to store visitor context'),
    );
    contexts = contexts.then(() => stored);
  }

  async function sayAlive(): Promise<void> {
    try {
      const alive = await store.keepAlive(callId, epoch, options.aliveMs);
      if (alive === 'lost') leave(widgetCloseCodes.gone, 'the call goes on elsewhere, or is over');
      else if (alive === 'canceled') await finish('canceled');
    } catch (error) {
      logger.warn({ callId, err: error }, 'web call heartbeat failed');
    }
  }

  /** Gives the call up without ending it. */
  function leave(code: number, reason: string): void {
    if (isOver) return;
    isOver = true;
    clearInterval(heartbeat);
    visitor.closed();
    line.close(code, reason);
    options.onGone();
  }

  async function finish(how: Ending): Promise<void> {
    if (isOver) return;
    isOver = true;
    line.send({ type: 'status', status: 'ending' });
    visitor.closed();
    await waitAtMost(lastWordsMs, Promise.all([conversation, contexts]));
    let ended: CallRecord | null = null;
    try {
      ended = await retry(() => store.end(callId, epoch, how === 'lost' ? 'connection_lost' : null), {
        giveUpAfterMs: lastWordsMs,
      });
    } catch (error) {
      // The call's watch job ends it once nobody says any more that it is alive.
      logger.error({ callId, err: error }, 'failed to store the end of a web call');
    }
    clearInterval(heartbeat);
    line.send({ type: 'end', reason: reasonOf(how, ended), duration_ms: sinceBeginning() });
    line.close(widgetCloseCodes.ended, 'the call is over');
    options.onGone();
    if (ended) options.onEnded(ended);
  }

  return {
    line,
    begin(socket, position) {
      line.attach(socket, position);
      converse();
    },
    spoken: (role, content) => visitor.spoken(role, content),
    usesTool: ({ name, args }) => line.send({ type: 'tool', name, args }),
    cancel: () => void finish('canceled'),
  };
}

function reasonOf(how: Ending, ended: CallRecord | null): WidgetEndReason {
  const reason = ended?.reason ? endReasons[ended.reason] : undefined;
  if (how === 'visitor' || how === 'canceled') return how;
  return reason ?? (how === 'lost' ? 'unavailable' : 'agent');
}
