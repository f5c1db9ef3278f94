import { sanitizeForStorage } from '../../agent/session/transcript.ts';
import type { AudioChannel, AudioEvent } from '../../calls/speech.ts';
import { frameBytes } from './resumable-socket.ts';
import { captions, eventQueue, type VisitorChannelOptions, type VisitorSide } from './visitor-channel.ts';

/** Where sound goes. */
export interface AudioSink {
  sendSound(frame: Uint8Array): void;
  /** `false`: sound is to wait. */
  readonly takesSound: boolean;
}

const frameMs = 20;
const bytesPerMs = 8;
/** Sound is sent so far ahead of its time: enough against a jittery way, little to take back. */
const aheadMs = 400;
const tickMs = 20;
/** The visitor's sound may come so late before silence takes its place, and so early before it is dropped. */
const lateMs = 1_000;
const earlyMs = 2_000;
/** A muted microphone is not waited for. */
const mutedLateMs = 200;
/** Silence is filled up to so long ago: what is on its way still fits in. */
const fillMarginMs = 100;
/** What waits to be played, at most: ten minutes. */
const longestQueueBytes = 10 * 60_000 * bytesPerMs;
const silentByte = 0xff;

/**
 * The sound of one web call: the agent's goes out in frames, in step with time, and waits while the visitor is away;
 * the visitor's is made gapless, for a muted or lost microphone is silence. The visitor may type as well.
 */
export function audioChannel(options: VisitorChannelOptions & { readonly sound: AudioSink }): {
  readonly channel: AudioChannel;
  readonly visitor: VisitorSide;
} {
  const { callId, sessionId, send, sound } = options;
  const events = eventQueue<AudioEvent>();
  const begin = captions(options);
  /** Frames and marks in the order in which they were given. */
  const queue: ({ readonly frame: Buffer } | { readonly mark: string })[] = [];
  /** Names of the agent's marks by the names they go out under. */
  const openMarks = new Map<string, string>();
  /** Typed words that the conversation will tell as said: after what the agent said until then, and was heard saying. */
  const typed: { readonly id: number; readonly words: string }[] = [];
  let queuedBytes = 0;
  let rest = Buffer.alloc(0);
  let marks = 0;
  let playedUntilMs = 0;
  let pacing: NodeJS.Timeout | undefined;
  let isSpeaking = false;
  let isMuted = false;
  let isPaused = false;
  let isClosed = false;
  const beganAtMs = performance.now();
  let heardMs = 0;
  const filling = setInterval(fillSilence, fillMarginMs);

  function tell(event: AudioEvent): void {
    if (!isClosed) events.push(event);
  }

  function hear(audio: Buffer): void {
    heardMs += audio.length / bytesPerMs;
    tell({ type: 'audio', audio: audio.toString('base64') });
  }

  function fillSilence(): void {
    const missingMs = performance.now() - beganAtMs - heardMs;
    if (missingMs < (isMuted ? mutedLateMs : lateMs)) return;
    const frames = Math.floor((missingMs - fillMarginMs) / frameMs);
    hear(Buffer.alloc(frames * frameBytes, silentByte));
  }

  function enqueue(entry: (typeof queue)[number]): void {
    queue.push(entry);
    pacing ??= setInterval(pace, tickMs);
  }

  function pace(): void {
    const now = performance.now();
    while (queue.length > 0) {
      const [next] = queue;
      if (next && 'frame' in next) {
        if (isPaused || !sound.takesSound || playedUntilMs - now > aheadMs - frameMs) return;
        setSpeaking(true);
        playedUntilMs = Math.max(playedUntilMs, now) + frameMs;
        queuedBytes -= frameBytes;
        sound.sendSound(next.frame);
      } else if (next) {
        send({ type: 'mark', name: next.mark });
      }
      queue.shift();
    }
    if (playedUntilMs > now) return;
    clearInterval(pacing);
    pacing = undefined;
    setSpeaking(false);
  }

  function setSpeaking(speaks: boolean): void {
    if (speaks === isSpeaking) return;
    isSpeaking = speaks;
    send({ type: 'status', status: speaks ? 'speaking' : 'listening' });
  }

  /** What is left of a piece that did not end with a frame. */
  function completeFrame(): void {
    if (rest.length === 0) return;
    enqueue({ frame: Buffer.concat([rest, Buffer.alloc(frameBytes - rest.length, silentByte)]) });
    queuedBytes += frameBytes;
    rest = Buffer.alloc(0);
  }

  function stop(): void {
    tell({ type: 'closed' });
    isClosed = true;
    clearInterval(filling);
    clearInterval(pacing);
  }

  tell({ type: 'ready', providerCallId: callId, sessionId });

  return {
    channel: {
      listen: events.listen,
      play(audio) {
        if (isClosed) return;
        const bytes = Buffer.concat([rest, Buffer.from(audio, 'base64')]);
        const whole = Math.min(
          bytes.length - (bytes.length % frameBytes),
          Math.max(0, longestQueueBytes - queuedBytes),
        );
        for (let at = 0; at < whole; at += frameBytes)
          enqueue({ frame: bytes.subarray(at, at + frameBytes) });
        queuedBytes += whole;
        rest = bytes.subarray(bytes.length - (bytes.length % frameBytes));
      },
      mark(name) {
        if (isClosed) return;
        completeFrame();
        marks += 1;
        const mark = `${sessionId}.${marks}`;
        openMarks.set(mark, name);
        enqueue({ mark });
      },
      clear() {
        if (isClosed) return;
        queue.length = 0;
        queuedBytes = 0;
        rest = Buffer.alloc(0);
        openMarks.clear();
        playedUntilMs = 0;
        send({ type: 'clear' });
      },
      end: options.onEnd,
      close: options.onClose,
    },
    visitor: {
      take(message) {
        switch (message.type) {
          case 'text':
            typed.push({ id: message.id, words: sanitizeForStorage(message.text).trim() });
            tell({ type: 'typed', text: message.text });
            return;
          case 'mute':
            isMuted = message.on;
            return;
          case 'pause':
            isPaused = message.on;
            return;
          case 'dtmf':
            tell({ type: 'pressed', digit: message.digit });
            return;
          case 'mark': {
            const mark = openMarks.get(message.name);
            if (!openMarks.delete(message.name) || mark === undefined) return;
            tell({ type: 'played', mark });
          }
        }
      },
      hear(frame) {
        const aheadOfTimeMs = heardMs - (performance.now() - beganAtMs);
        if (aheadOfTimeMs < earlyMs) hear(Buffer.from(frame));
      },
      spoken(role, content) {
        const at = role === 'user' ? typed.findIndex(({ words }) => words === content) : -1;
        const [line] = at < 0 ? [] : typed.splice(at, 1);
        begin(role, line?.id).show(content, true);
      },
      closed: stop,
    },
  };
}
