import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Callee, type CalleeLine, defineCallee } from '../callees/callee.ts';
import type { CallRecord } from '../ledger.ts';
import { eventually, type RelaySocket, type Stage, stage, twiml } from '../testing/application.ts';

const from = '+12025550183';
const to = '+12025550150';
let converse: (line: CalleeLine) => Promise<void>;
const callee: Callee = defineCallee({
  name: 'of the test',
  description: 'Does what the test at hand says',
  numbers: [to],
  pickUp: { afterMs: 100 },
  converse: (line) => converse(line),
});

let on: Stage;
beforeEach(async () => {
  converse = (line) => line.silence();
  on = await stage({ callees: [callee] });
});
afterEach(() => on.close());

interface Relay {
  sid: string;
  record: CallRecord;
  relay: RelaySocket;
}

/** Places a call whose instructions connect it to the application's relay socket. */
async function connect(attributes = '', children = '', verbsAfter = ''): Promise<Relay> {
  const { application } = on;
  const noun = `<ConversationRelay url="${application.socketUrl}/relay" ${attributes}>${children}</ConversationRelay>`;
  application.answer('/twiml', () => twiml(`<Connect action="/over">${noun}</Connect>${verbsAfter}`));
  application.answer('/over', () => twiml(''));
  const { sid } = await on.client.calls.create({ to, from, url: `${application.url}/twiml` });
  const relay = await eventually(() => application.sockets[0]);
  await relay.next('setup');
  const record = on.emulator.call(sid);
  if (!record) throw new Error('no record');
  return { sid, record, relay };
}

const over = () => eventually(() => on.application.to('/over')[0]?.form);

describe('a conversation', () => {
  it('is greeted, talked through and ended by the application', async () => {
    on.application.onSocket(async (relay) => {
      await relay.next('setup');
      for (const line of ['May I have your name, please?', 'Thank you. Goodbye.']) {
        await relay.next('prompt');
        for (const word of line.split(/(?<= )/)) relay.send({ type: 'text', token: word, last: false });
        relay.send({ type: 'text', token: '', last: true });
      }
      await relay.next('prompt');
      relay.send({ type: 'end', handoffData: '{"done":true}' });
    });
    const { application, client } = on;
    const noun = `<ConversationRelay url="${application.socketUrl}/relay" welcomeGreeting="Hello, this is an assistant."/>`;
    application.answer('/twiml', () => twiml(`<Connect action="/over">${noun}</Connect>`));
    application.answer('/over', () => twiml('<Say>One moment.</Say>'));
    const { sid } = await client.calls.create({ to: '+12025550100', from, url: `${application.url}/twiml` });
    const record = await on.ended(sid);
    expect(record.transcript.map(({ speaker, text }) => `${speaker}: ${text}`)).toEqual([
      'agent: Hello, this is an assistant.',
      'callee: Okay.',
      'agent: May I have your name, please?',
      'callee: My name is Jordan Avery.',
      'agent: Thank you. Goodbye.',
      'callee: Goodbye.',
      'agent: One moment.',
    ]);
    const [relay] = application.sockets;
    expect(relay?.isSigned).toBe(true);
    expect(relay?.messages[1]).toEqual({ type: 'prompt', voicePrompt: 'Okay.', lang: 'en-US', last: true });
    expect(relay?.closed).toEqual({ code: 1000, reason: 'Closing websocket session' });
    expect(application.to('/over')).toMatchObject([
      {
        isSigned: true,
        form: {
          CallSid: sid,
          CallStatus: 'in-progress',
          SessionId: record.relaySessions[0]?.sessionId,
          SessionStatus: 'ended',
          HandoffData: '{"done":true}',
        },
      },
    ]);
    expect(Number(application.to('/over')[0]?.form.SessionDuration)).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['', 'uh, uh.', 'en-US'],
    ['language="es-US"', 'Sí, gracias.', 'es-US'],
    ['transcriptionLanguage="multi" speechModel="nova-3-general"', 'Sí, gracias.', 'es'],
  ])('hears Spanish with the attributes %j as "%s"', async (attributes, heard, lang) => {
    converse = async (line) => {
      await line.heard();
      await line.say('Sí, gracias.', { language: 'es-MX' });
    };
    const { relay } = await connect(attributes);
    relay.send({ type: 'text', token: 'Hello.', last: true });
    expect(await relay.next('prompt')).toMatchObject({ voicePrompt: heard, lang });
  });

  it('refuses to listen for all languages with providers that cannot', async () => {
    const { relay } = await connect('transcriptionLanguage="multi" ttsProvider="Google"');
    expect(await relay.next('error')).toMatchObject({ description: expect.stringMatching(/multi/) });
  });

  it('begins with a setup message', async () => {
    const { sid, relay, record } = await connect(
      '',
      '<Parameter name="callId" value="42"/><Language code="es-ES"/>',
    );
    expect(relay.messages[0]).toEqual({
      type: 'setup',
      sessionId: expect.stringMatching(/^VX[0-9a-f]{32}$/),
      accountSid: record.accountSid,
      parentCallSid: '',
      callSid: sid,
      from,
      to,
      forwardedFrom: '',
      callType: 'PSTN',
      callerName: '',
      direction: 'outbound-api',
      callStatus: 'IN_PROGRESS',
      customParameters: { callId: '42' },
    });
  });

  it('starts to speak before the last token', async () => {
    const { relay } = await connect('events="speaker-events tokens-played"');
    relay.send({ type: 'text', token: 'Good ', last: false });
    relay.send({ type: 'text', token: 'day', last: false });
    expect(await relay.next('info')).toMatchObject({ name: 'agentSpeaking', value: 'on' });
    expect(await relay.next('info')).toMatchObject({ name: 'tokensPlayed', value: 'Good ' });
    expect(await relay.next('info')).toMatchObject({ name: 'tokensPlayed', value: 'day' });
    expect(await relay.next('info')).toMatchObject({ name: 'agentSpeaking', value: 'off' });
    relay.send({ type: 'text', token: '!', last: true });
    expect(await relay.next('info')).toMatchObject({ name: 'agentSpeaking', value: 'on' });
    await eventually(() => on.emulator.calls()[0]?.transcript[0]);
    expect(on.emulator.calls()[0]?.transcript).toMatchObject([{ text: 'Good day!' }]);
  });

  it('reports speakers and the round trip when asked to', async () => {
    converse = async (line) => {
      await line.heard();
      await line.say('Hello?');
      await line.silence();
    };
    const { relay } = await connect('debug="debugging speaker-events" welcomeGreeting="Hello."');
    expect(await relay.next('info')).toMatchObject({ name: 'agentSpeaking', value: 'on' });
    expect(await relay.next('info')).toMatchObject({ name: 'agentSpeaking', value: 'off' });
    expect(await relay.next('info')).toMatchObject({ name: 'clientSpeaking', value: 'on' });
    expect(await relay.next('info')).toMatchObject({ name: 'clientSpeaking', value: 'off' });
    await relay.next('prompt');
    relay.send({ type: 'text', token: 'Hi.', last: true });
    expect(await relay.next('info')).toMatchObject({
      name: 'roundTripDelayMs',
      value: expect.stringMatching(/^\d+$/),
    });
  });

  it('sends what was said so far when partial prompts are on', async () => {
    converse = async (line) => {
      await line.heard();
      await line.say('I would like to think about it');
      await line.silence();
    };
    const { relay } = await connect('partialPrompts="true" welcomeGreeting="Hello" language="en-GB"');
    expect(await relay.next('prompt')).toMatchObject({
      voicePrompt: 'I would like',
      last: false,
      lang: 'en-GB',
    });
    expect(await relay.next('prompt')).toMatchObject({
      voicePrompt: 'I would like to think about it',
      last: true,
    });
  });

  it('tells keys only when dtmfDetection is on', async () => {
    converse = async (line) => {
      await line.heard();
      await line.press('5');
      await line.say('Done.');
      await line.silence();
    };
    const { relay } = await connect('dtmfDetection="true" welcomeGreeting="Press a key"');
    expect(await relay.next('dtmf')).toEqual({ type: 'dtmf', digit: '5' });
    await on.close();
    on = await stage({ callees: [callee] });
    const { relay: second } = await connect('welcomeGreeting="Press a key"');
    await second.next('prompt');
    expect(second.messages.some((message) => message.type === 'dtmf')).toBe(false);
  });

  it('sends keys, plays audio and changes the language', async () => {
    converse = async (line) => {
      await line.heard();
      await line.say('Hola');
    };
    const { relay, record } = await connect();
    relay.send({ type: 'sendDigits', digits: '1w2#' });
    relay.send({ type: 'language', transcriptionLanguage: 'es-ES' });
    relay.send({ type: 'play', source: 'https://calls.example.test/tone.mp3' });
    expect(await relay.next('prompt')).toMatchObject({ voicePrompt: 'Hola', lang: 'es-ES' });
    expect(record.digits).toMatchObject([{ by: 'agent', digits: '1w2#' }]);
    expect(record.transcript[0]?.text).toBe('(audio https://calls.example.test/tone.mp3)');
  });
});

describe('an interruption', () => {
  const speech = 'This is a long sentence that goes on and on until somebody cuts it off at last. ';

  it('stops the talk cycle and tells what was heard of it', async () => {
    converse = async (line) => {
      const heard = await line.interrupt('Stop!', { afterMs: 2000 });
      await line.say(`You said ${heard.length > 0}`);
      await line.silence();
    };
    const { relay, record } = await connect();
    relay.send({ type: 'text', token: speech, last: false });
    relay.send({ type: 'text', token: speech, last: true });
    const interrupt = await relay.next('interrupt');
    const heard = String(interrupt.utteranceUntilInterrupt);
    expect(speech.startsWith(heard)).toBe(true);
    expect(heard.length).toBeGreaterThan(15);
    expect(heard.length).toBeLessThan(speech.length);
    expect(interrupt.durationUntilInterruptMs).toBeGreaterThan(1900);
    expect(await relay.next('prompt')).toMatchObject({ voicePrompt: 'Stop!' });
    expect(record.transcript[0]).toMatchObject({ speaker: 'agent', text: heard, interrupted: true });
    relay.send({ type: 'text', token: 'late token', last: true });
    await eventually(() => record.transcript.find((line) => line.text === 'late token'));
  });

  it.each([
    ['Mhm.', 'ignoreBackchannel="true"', false],
    ['Mhm.', '', true],
    ['Stop!', 'ignoreBackchannel="true"', true],
  ])('by "%s" with the attribute %s', async (words, attributes, cuts) => {
    converse = async (line) => {
      await line.interrupt(words, { afterMs: 1000 });
      await line.heard();
      await line.say('Now.');
    };
    const { relay } = await connect(attributes);
    relay.send({ type: 'text', token: speech, last: true });
    if (cuts) await relay.next('interrupt');
    expect(await relay.next('prompt')).toMatchObject({ voicePrompt: cuts ? words : 'Now.' });
  });

  it.each([
    ['interruptible="none"', { interruptible: undefined }],
    ['interruptible="dtmf"', { interruptible: undefined }],
    ['interruptible="any"', { interruptible: false }],
  ])('is lost with %s and %o', async (attributes, message) => {
    converse = async (line) => {
      await line.interrupt('Stop!', { afterMs: 500 });
      await line.heard();
      await line.say('Now.');
      await line.silence();
    };
    const { relay, record } = await connect(attributes);
    relay.send({ type: 'text', token: speech, last: true, ...message });
    expect(await relay.next('prompt')).toMatchObject({ voicePrompt: 'Now.' });
    expect(relay.messages.some(({ type }) => type === 'interrupt')).toBe(false);
    expect(record.transcript.map((line) => line.text)).toEqual(['Stop!', speech.trim(), 'Now.']);
  });

  it('is told without stopping anything when input during agent speech is reported', async () => {
    converse = async (line) => {
      await line.interrupt('Stop!', { afterMs: 500 });
      await line.silence();
    };
    const { relay, record } = await connect('interruptible="none" reportInputDuringAgentSpeech="speech"');
    relay.send({ type: 'text', token: speech, last: true });
    expect(await relay.next('prompt')).toMatchObject({ voicePrompt: 'Stop!' });
    await eventually(() => record.transcript.find((line) => line.text === speech.trim()));
  });

  it('of the welcome greeting follows its own attribute', async () => {
    converse = async (line) => {
      await line.interrupt('Stop!', { afterMs: 500 });
      await line.silence();
    };
    const { relay, record } = await connect(
      `welcomeGreeting="${speech}" welcomeGreetingInterruptible="none"`,
    );
    await eventually(() => record.transcript.find((line) => line.text === speech.trim()));
    expect(relay.messages).toHaveLength(1);
  });

  it('by a key works where keys may interrupt', async () => {
    converse = async (line) => {
      await line.agentSpeaks();
      await line.wait(1000);
      await line.press('1');
      await line.silence();
    };
    const { relay } = await connect('interruptible="dtmf" dtmfDetection="true"');
    relay.send({ type: 'text', token: speech, last: true });
    await relay.next('interrupt');
    expect(await relay.next('dtmf')).toMatchObject({ digit: '1' });
  });

  it('by the application: preemptible speech gives way to what comes later', async () => {
    const { relay, record } = await connect();
    relay.send({ type: 'text', token: speech, last: true, preemptible: true });
    await new Promise((resolve) => setTimeout(resolve, 100));
    relay.send({ type: 'text', token: 'News!', last: true });
    const line = await eventually(() => record.transcript[0]);
    expect(line.text).toMatch(/^This is .*News!$/);
    expect(line.text.length).toBeLessThan(speech.length);
  });
});

describe('messages that are not valid', () => {
  it.each<[string, unknown]>([
    ['no JSON', 'hello'],
    ['no type', { token: 'x' }],
    ['another type', { type: 'interrupt' }],
    ['a null token', { type: 'text', token: null }],
    ['last as text', { type: 'text', token: 'x', last: 'true' }],
    ['a source that is no URL', { type: 'play', source: 'tone.mp3' }],
    ['no digits', { type: 'sendDigits', digits: '' }],
    ['letters as digits', { type: 'sendDigits', digits: '12a' }],
    ['no language', { type: 'language' }],
    ['handoff data that is an object', { type: 'end', handoffData: { a: 1 } }],
  ])('%s: refused, and the session goes on', async (_what, message) => {
    const { relay, record } = await connect();
    relay.send(message);
    expect(await relay.next('error')).toMatchObject({
      description: expect.stringContaining('Invalid message'),
    });
    expect(record.notifications).toMatchObject([{ code: 64107 }]);
    expect(record.relaySessions[0]).toMatchObject({ messagesReceived: 1, messagesRefused: 1 });
    relay.send({ type: 'end' });
    expect(await over()).toMatchObject({ SessionStatus: 'ended' });
    expect((await over()).HandoffData).toBeUndefined();
  });

  it('ten in a row close the socket, nine do not', async () => {
    const { relay, record } = await connect();
    for (let count = 0; count < 9; count += 1) relay.send('x');
    relay.send({ type: 'text', token: 'fine', last: true });
    for (let count = 0; count < 9; count += 1) relay.send('x');
    await eventually(() => record.relaySessions[0]?.messagesRefused === 18 || undefined);
    expect(relay.closed).toBeUndefined();
    relay.send('x');
    await eventually(() => relay.closed);
    expect(relay.closed).toEqual({ code: 1007, reason: 'Too many consecutive malformed messages.' });
    expect(await over()).toMatchObject({
      SessionStatus: 'failed',
      ErrorCode: '64105',
      CallStatus: 'in-progress',
    });
  });
});

describe('the end of a session', () => {
  it('when the callee hangs up is normal, and told with the call completed', async () => {
    converse = async (line) => {
      await line.heard();
      await line.hangUp();
    };
    const { relay, record } = await connect('welcomeGreeting="Hello"');
    expect(await over()).toMatchObject({ SessionStatus: 'completed', CallStatus: 'completed' });
    await eventually(() => relay.closed);
    expect(relay.closed).toEqual({ code: 1000, reason: 'Closing websocket session' });
    expect(record).toMatchObject({ status: 'completed', relaySessions: [{ status: 'completed' }] });
  });

  it('by loss of the socket is a failure that the action can mend with a new session', async () => {
    const { application } = on;
    const { relay, record, sid } = await connect();
    application.answer('/over', () =>
      twiml(
        `<Connect><ConversationRelay url="${application.socketUrl}/relay"><Parameter name="attempt" value="2"/></ConversationRelay></Connect>`,
      ),
    );
    relay.socket.terminate();
    expect(await over()).toMatchObject({
      SessionStatus: 'failed',
      ErrorCode: '64105',
      CallStatus: 'in-progress',
    });
    const again = await eventually(() => application.sockets[1]);
    const setup = await again.next('setup');
    expect(setup).toMatchObject({ callSid: sid, customParameters: { attempt: '2' } });
    expect(setup.sessionId).not.toBe(record.relaySessions[0]?.sessionId);
    again.send({ type: 'end' });
    expect(await on.ended(sid)).toMatchObject({ notifications: [{ code: 64105 }], relaySessions: [{}, {}] });
  });

  it('without action goes on with the next verb', async () => {
    const { application, client } = on;
    const noun = `<ConversationRelay url="${application.socketUrl}/relay"/>`;
    application.answer('/twiml', () => twiml(`<Connect>${noun}</Connect><Say>After</Say>`));
    application.onSocket((relay) => relay.socket.close());
    const { sid } = await client.calls.create({ to, from, url: `${application.url}/twiml` });
    expect((await on.ended(sid)).transcript).toMatchObject([{ text: 'After' }]);
  });

  it('by new instructions closes the socket and asks no action', async () => {
    const { relay, sid, record } = await connect();
    await on.client.calls(sid).update({ twiml: '<Response><Say>Leave a message.</Say></Response>' });
    await on.ended(sid);
    expect(relay.closed).toMatchObject({ code: 1000 });
    expect(record.relaySessions).toMatchObject([{ status: 'replaced' }]);
    expect(on.application.to('/over')).toEqual([]);
    expect(record.transcript).toMatchObject([{ text: 'Leave a message.' }]);
  });

  it('by the application cuts off what it was saying', async () => {
    const { relay, sid } = await connect();
    relay.send({ type: 'text', token: 'A sentence that takes its time to be said to the end.', last: true });
    await new Promise((resolve) => setTimeout(resolve, 60));
    relay.send({ type: 'end' });
    expect((await on.ended(sid)).transcript).toMatchObject([{ interrupted: true }]);
  });
});

describe('a session that cannot start', () => {
  async function failure(noun: string) {
    on.application.answer('/twiml', () => twiml(`<Connect action="/over">${noun}</Connect>`));
    on.application.answer('/over', () => twiml(''));
    const { sid } = await on.client.calls.create({ to, from, url: `${on.application.url}/twiml` });
    const record = await on.ended(sid);
    return { record, action: on.application.to('/over')[0]?.form };
  }

  it('for an insecure or refused socket fails with 64102', async () => {
    for (const url of ['ws://calls.example.test/relay', 'http://127.0.0.1/relay', 'ws://127.0.0.1:1/relay']) {
      const { record } = await failure(`<ConversationRelay url="${url}"/>`);
      expect(record.notifications).toMatchObject([{ code: 64102 }]);
    }
    expect(on.application.to('/over').map(({ form }) => [form.SessionStatus, form.ErrorCode])).toEqual(
      Array(3).fill(['failed', '64102']),
    );
  });

  it.each([
    'ttsProvider="Nobody"',
    'ttsProvider="Amazon" voice="en-US-Journey-O"',
    'transcriptionProvider="Nobody"',
  ])('for %s fails with 64101', async (attributes) => {
    const url = `${on.application.socketUrl}/relay`;
    const { action } = await failure(`<ConversationRelay url="${url}" ${attributes}/>`);
    expect(action).toMatchObject({ SessionStatus: 'failed', ErrorCode: '64101' });
    expect(on.application.sockets[0]?.messages).toMatchObject([{ type: 'setup' }, { type: 'error' }]);
  });

  it.each(['interruptible="maybe"', 'dtmfDetection="yes"', ''])(
    'for the attributes "%s" is no document',
    async (text) => {
      const url = text === '' ? '' : `url="${on.application.socketUrl}/relay"`;
      const { record, action } = await failure(`<ConversationRelay ${url} ${text}/>`);
      expect(record.notifications).toMatchObject([{ code: 12100 }]);
      expect(action).toBeUndefined();
    },
  );
});
