import workletUrl from './audio.worklet.ts?worker&url';
import { constantNoise } from './constant-noise.ts';
import { loudness } from './mu-law.ts';
import type { PlaybackCommand, PlaybackReport } from './worklet-messages.ts';

/** What a voice tells while it is open. */
export interface VoiceEvents {
  /** The next 20 ms of the microphone: 160 bytes of µ-law at 8 kHz. */
  frame(frame: ArrayBuffer): void;
  /** Everything before this mark was played. */
  played(mark: string): void;
  /** How loud the visitor is, from 0 to 1, fifty times a second. */
  level(level: number): void;
  /** The microphone is gone: unplugged, or taken back by the visitor. */
  lost(): void;
  /** No sound goes in or out: the browser does not let it, or there is no device for it. */
  stalled(): void;
  /** The microphone picks up a constant noise, which is not sent on; or not any more. */
  noisy(on: boolean): void;
}

/** Microphone and loudspeaker of a call. */
export interface Voice {
  play(audio: ArrayBuffer): void;
  mark(name: string): void;
  /** Drops what was not played yet, and its marks. */
  clear(): void;
  /** Whether the line carries the microphone or silence. */
  mute(muted: boolean): void;
  /** Stops sound both ways where it is, or goes on there. */
  hold(on: boolean): void;
  /** Releases the microphone and the audio context. */
  close(): void;
}

/** Echo cancellation needs this long of the agent's sound to learn the room. */
const learningMs = 2000;
/** What the microphone gets of the agent's own voice until then; visitors are louder, and then heard for a while. */
const echoLevel = 0.62;
const heardForMs = 800;
const silentByte = 0xff;
/** Sound that stands still for so long will not come. */
const stallMs = 2000;
const checkMs = 250;
const occasions = ['visibilitychange', 'pointerdown', 'keydown'] as const;

/** Connects an open microphone and a context that was resumed by a click. Rejects when the worklet cannot be loaded. */
export async function openVoice(
  context: AudioContext,
  microphone: MediaStream,
  events: VoiceEvents,
): Promise<Voice> {
  await context.audioWorklet.addModule(workletUrl);
  const source = context.createMediaStreamSource(microphone);
  const capture = new AudioWorkletNode(context, 'callkite-capture', { numberOfOutputs: 0, channelCount: 1 });
  const playback = new AudioWorkletNode(context, 'callkite-playback', {
    numberOfInputs: 0,
    outputChannelCount: [1],
  });
  source.connect(capture);
  playback.connect(context.destination);

  let speakingSince: number | null = null;
  let learnedMs = 0;
  let loudAtMs = -heardForMs;
  const noise = constantNoise();
  const heardMs = () => learnedMs + (speakingSince === null ? 0 : performance.now() - speakingSince);
  capture.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
    const frame = new Uint8Array(data);
    const level = loudness(frame);
    if (level >= echoLevel) loudAtMs = performance.now();
    const isEcho =
      speakingSince !== null && heardMs() < learningMs && performance.now() - loudAtMs > heardForMs;
    if (noise.hear(level)) events.noisy(noise.isHeard);
    if (isEcho || noise.isHeard) frame.fill(silentByte);
    events.level(noise.isHeard ? 0 : level);
    events.frame(data);
  };
  playback.port.onmessage = ({ data }: MessageEvent<PlaybackReport>) => {
    if ('played' in data) {
      events.played(data.played);
      return;
    }
    learnedMs = heardMs();
    speakingSince = data.speaking ? performance.now() : null;
  };

  const tracks = microphone.getAudioTracks();
  for (const track of tracks) track.onended = () => events.lost();
  // Phones suspend the context for a ringing call or behind a locked screen, and leave it to the page to go on. After a
  // reload it may wait for a gesture.
  let isHeld = false;
  const wake = () => {
    if (isHeld || document.visibilityState !== 'visible' || context.state === 'running') return;
    void context.resume();
  };
  context.onstatechange = wake;
  let stoodStillMs = 0;
  let at = context.currentTime;
  // A context may say that it runs, and stand still for want of a device.
  const watch = setInterval(() => {
    const stands = context.currentTime === at && !isHeld && document.visibilityState === 'visible';
    stoodStillMs = stands ? stoodStillMs + checkMs : 0;
    at = context.currentTime;
    if (stoodStillMs >= stallMs) events.stalled();
  }, checkMs);
  for (const occasion of occasions) document.addEventListener(occasion, wake);
  const command = (message: PlaybackCommand, transfer: Transferable[] = []) =>
    playback.port.postMessage(message, transfer);

  return {
    play: (audio) => command(audio, [audio]),
    mark: (name) => command({ mark: name }),
    clear: () => command('clear'),
    mute(muted) {
      for (const track of tracks) track.enabled = !muted;
    },
    hold(on) {
      isHeld = on;
      if (on) void context.suspend();
      else wake();
    },
    close() {
      clearInterval(watch);
      for (const occasion of occasions) document.removeEventListener(occasion, wake);
      context.onstatechange = null;
      for (const track of tracks) {
        track.onended = null;
        track.stop();
      }
      source.disconnect();
      playback.disconnect();
      void context.close();
    },
  };
}
