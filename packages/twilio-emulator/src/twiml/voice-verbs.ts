import { recordingEventsOf } from '../calls/call-recordings.ts';
import { delay } from '../line/delay.ts';
import { resolveTarget, TwimlError, targetOf, type Verb, type VerbContext } from './verb.ts';

const AUDIO_FILE_MS = 3000;
const MAXIMUM_LOOPS = 1000;

/** Says the text, once or `loop` times. */
export const say: Verb = async (element, { call, signal }) => {
  const text = element.text.trim();
  for (let times = loops(element.attributes.loop); times > 0 && text !== ''; times -= 1) {
    await call.line.say(text, signal);
  }
  return 'next';
};

/** Plays an audio file, taken to last 3 s, or sends the keys of `digits`. */
export const play: Verb = async (element, context) => {
  const { call, signal } = context;
  const { digits } = element.attributes;
  if (digits !== undefined) {
    call.line.sendDigits(digits);
    return 'next';
  }
  const { url } = resolveTarget(element.text.trim(), undefined, context);
  for (let times = loops(element.attributes.loop); times > 0; times -= 1) await playFile(url, context);
  signal.throwIfAborted();
  return 'next';
};

async function playFile(url: string, { call, emulation, signal }: VerbContext): Promise<void> {
  const durationMs = emulation.pace.real(AUDIO_FILE_MS);
  call.line.play({ text: `(audio ${url}) `, durationMs, interruptibleBy: 'none' });
  call.line.finishCycle();
  await delay(durationMs, signal);
}

/** Waits `length` seconds. */
export const pause: Verb = async (element, { emulation, signal }) => {
  const seconds = Number(element.attributes.length ?? 1);
  await delay(emulation.pace.real((Number.isFinite(seconds) ? seconds : 1) * 1000), signal);
  return 'next';
};

/** Ends the call. */
export const hangUp: Verb = async () => 'hang-up';

/** Ends the call; on an outbound call, which is answered by now, it is no different from `<Hangup>`. */
export const reject: Verb = async () => 'hang-up';

/** Goes on with another document. */
export const redirect: Verb = async (element, context) => {
  const target = resolveTarget(element.text.trim(), element.attributes.method, context);
  return { ...target, parameters: {} };
};

/** Starts recordings of the call. */
export const startRecording: Verb = async (element, context) => {
  for (const child of element.children) {
    if (child.name !== 'Recording') {
      throw new TwimlError(12100, `<Start><${child.name}> is not emulated`);
    }
    const { recordingStatusCallbackEvent = '', channels = 'dual' } = child.attributes;
    if (channels !== 'mono' && channels !== 'dual') {
      throw new TwimlError(12100, `<Recording>: channels must be mono or dual, not '${channels}'`);
    }
    const target = targetOf(child, context, 'recordingStatusCallback', 'recordingStatusCallbackMethod');
    context.emulation.callRecordings.start(context.call, {
      source: 'StartCallRecordingTwiML',
      channels: channels === 'dual' ? 2 : 1,
      callback: target && { ...target, events: recordingEventsOf([recordingStatusCallbackEvent]) },
    });
  }
  return 'next';
};

function loops(attribute: string | undefined): number {
  const times = Number(attribute ?? 1);
  if (!Number.isInteger(times) || times < 0) return 1;
  return times === 0 ? MAXIMUM_LOOPS : times;
}
