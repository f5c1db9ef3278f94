import { type CalleeEvent, silentLogger, type TextSocket } from '@callkite/core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ConversationRelayChannel } from './relay-channel.ts';

/** The carrier's end of a socket. */
function carrierSocket(hearsAll = true) {
  const sent: Record<string, unknown>[] = [];
  const closes: { code: number; reason: string }[] = [];
  let onMessage: (text: string) => void = () => {};
  let onClose: (code: number) => void = () => {};
  const socket: TextSocket = {
    bufferedBytes: 0,
    send: (text) => sent.push(JSON.parse(text)),
    close: (code, reason) => closes.push({ code, reason }),
    onMessage: (listener) => {
      onMessage = listener;
    },
    onClose: (listener) => {
      onClose = listener;
    },
  };
  const channel = new ConversationRelayChannel(socket, silentLogger, hearsAll);
  const events: CalleeEvent[] = [];
  channel.listen((event) => events.push(event));
  const receive = (message: unknown) => onMessage(JSON.stringify(message));
  return { channel, events, sent, closes, receive, hangUp: () => onClose(1000) };
}

const setup = { type: 'setup', callSid: 'CA1', sessionId: 'VX1', from: '', customParameters: {} };
const played = (value: string) => ({ type: 'info', name: 'tokensPlayed', value });
const speaking = (value: string) => ({ type: 'info', name: 'agentSpeaking', value });
const ended = { type: 'end' };

function readyChannel() {
  const side = carrierSocket();
  side.receive(setup);
  side.events.length = 0;
  return side;
}

describe('another language', () => {
  it.each([
    [true, {}],
    [false, { transcriptionLanguage: 'es-US' }],
  ])('is spoken, and listened for unless all are: %s', (hearsAll, listening) => {
    const { channel, sent, receive } = carrierSocket(hearsAll);
    receive(setup);
    channel.speakIn('es-US');
    expect(sent).toEqual([{ type: 'language', ttsLanguage: 'es-US', ...listening }]);
  });
});

describe('what the carrier sends', () => {
  it.each<[object, CalleeEvent]>([
    [
      { type: 'prompt', voicePrompt: 'Hello?', lang: 'en-US', last: true },
      { type: 'said', text: 'Hello?', language: 'en-US' },
    ],
    [
      { type: 'prompt', voicePrompt: 'Hello?' },
      { type: 'said', text: 'Hello?', language: null },
    ],
    [
      { type: 'dtmf', digit: '9' },
      { type: 'pressed', digit: '9' },
    ],
    [
      { type: 'interrupt', utteranceUntilInterrupt: 'I am', durationUntilInterruptMs: 460 },
      { type: 'interrupted', heardText: 'I am', atMs: 460 },
    ],
    [
      { type: 'interrupt', utteranceUntilInterrupt: 'I am', durationUntilInterruptMs: '460' },
      { type: 'interrupted', heardText: 'I am', atMs: 460 },
    ],
    [{ type: 'interrupt' }, { type: 'interrupted', heardText: '', atMs: 0 }],
    [played('Hello.'), { type: 'played', text: 'Hello.' }],
    [speaking('on'), { type: 'agent-speaking', speaking: true }],
    [speaking('off'), { type: 'agent-speaking', speaking: false }],
    [
      { type: 'info', name: 'clientSpeaking', value: 'on' },
      { type: 'callee-speaking', speaking: true },
    ],
    [
      { type: 'error', description: 'invalid voice' },
      { type: 'failed', description: 'invalid voice' },
    ],
  ])('%j', (message, event) => {
    const { events, receive } = readyChannel();
    receive(message);
    expect(events).toEqual([event]);
  });

  it.each([
    { type: 'prompt', voicePrompt: 'Hel', lang: 'en-US', last: false },
    { type: 'prompt', voicePrompt: '  ', last: true },
    { type: 'info', name: 'roundTripDelayMs', value: '120' },
    { type: 'configUpdated' },
    { type: 'dtmf' },
    setup,
  ])('is ignored: %j', (message) => {
    const { events, receive } = readyChannel();
    receive(message);
    expect(events).toEqual([]);
  });

  it('is ignored before the setup', () => {
    const { events, receive } = carrierSocket();
    receive({ type: 'dtmf', digit: '1' });
    receive(setup);
    expect(events).toEqual([{ type: 'ready', providerCallId: 'CA1', sessionId: 'VX1' }]);
  });

  it('is ignored after the channel was dropped, but for its end', () => {
    const { channel, closes, events, receive, hangUp } = readyChannel();
    channel.close();
    receive({ type: 'dtmf', digit: '1' });
    hangUp();
    expect(closes).toEqual([{ code: 1001, reason: 'going away' }]);
    expect(events).toEqual([{ type: 'closed' }]);
  });
});

describe('what is sent to the carrier', () => {
  it('is text, keys and the end', () => {
    const { channel, sent, receive } = readyChannel();
    channel.speak('Hello, ', { last: false, interruptible: false });
    channel.speak('', { last: false, interruptible: false });
    channel.speak('', { last: true, interruptible: true });
    channel.pressDigits('1,2#W');
    channel.pressDigits('x');
    receive(played('Hello, '));
    channel.end();
    channel.end();
    channel.speak('too late', { last: true, interruptible: true });
    expect(sent).toEqual([
      { type: 'text', token: 'Hello, ', last: false, interruptible: false },
      { type: 'text', token: '', last: true, interruptible: true },
      { type: 'sendDigits', digits: '12#' },
      ended,
    ]);
  });
});

describe('the end of a session', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  const speak = (side: ReturnType<typeof carrierSocket>, text: string) =>
    side.channel.speak(text, { last: true, interruptible: true });

  it('waits until everything was played, in whatever pieces', () => {
    const side = readyChannel();
    speak(side, 'Thank you. ');
    speak(side, 'Goodbye.');
    side.channel.end();
    side.receive(played('Thank '));
    side.receive(played('you. Good'));
    expect(side.sent).not.toContainEqual(ended);
    side.receive(played('bye.'));
    expect(side.sent).toContainEqual(ended);
  });

  it('does not wait for what an interruption dropped', () => {
    const side = readyChannel();
    speak(side, 'Goodbye.');
    side.channel.end();
    side.receive({ type: 'interrupt', utteranceUntilInterrupt: 'Good', durationUntilInterruptMs: 200 });
    expect(side.sent).toContainEqual(ended);
  });

  it('comes when the agent stays silent although not every character was accounted for', () => {
    const side = readyChannel();
    speak(side, 'Your total is $5.');
    side.channel.end();
    side.receive(speaking('on'));
    side.receive(speaking('off'));
    vi.advanceTimersByTime(1000);
    side.receive(speaking('on'));
    side.receive(played('Your total'));
    vi.advanceTimersByTime(2000);
    expect(side.sent).not.toContainEqual(ended);
    side.receive(speaking('off'));
    vi.advanceTimersByTime(1500);
    expect(side.sent).toContainEqual(ended);
  });

  it('comes after the longest time it can take, if nothing is reported at all', () => {
    const side = readyChannel();
    speak(side, 'Goodbye.');
    side.channel.end();
    vi.advanceTimersByTime(3000);
    expect(side.sent).not.toContainEqual(ended);
    vi.advanceTimersByTime(8 * 150);
    expect(side.sent).toContainEqual(ended);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves no timer behind when the callee hangs up first', () => {
    const side = readyChannel();
    speak(side, 'Goodbye.');
    side.channel.end();
    side.hangUp();
    expect(vi.getTimerCount()).toBe(0);
    expect(side.sent).not.toContainEqual(ended);
  });
});
