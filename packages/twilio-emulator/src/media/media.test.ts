import { dtmf, isLoud, type Listener, listener, speak, tone } from '@callkite/emulated-voice';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtInAccounts } from '../accounts.ts';
import { type Callee, type CalleeLine, defineCallee } from '../callees/callee.ts';
import type { CallRecord, MediaStreamRecord } from '../ledger.ts';
import type { EmulatorOptions } from '../options.ts';
import { eventually, type RelaySocket, type Stage, stage, twiml } from '../testing/application.ts';

const from = '+12025550183';
const to = '+12025550150';
let converse: (line: CalleeLine) => Promise<void>;
let answeredBy: Callee['answeredBy'];
const callee: Callee = defineCallee({
  name: 'of the test',
  description: 'Does what the test at hand says',
  numbers: [to],
  pickUp: { afterMs: 100 },
  get answeredBy() {
    return answeredBy;
  },
  converse: (line) => converse(line),
});

let on: Stage;
async function restage(options: EmulatorOptions) {
  await on.close();
  on = await stage({ callees: [callee], ...options });
}
beforeEach(async () => {
  converse = (line) => line.silence();
  answeredBy = 'human';
  on = await stage({ callees: [callee] });
});
afterEach(() => on.close());

/** The application's end of a media stream. */
class Talk {
  readonly relay: RelaySocket;
  readonly streamSid: string;
  readonly #ear: Listener = listener();
  #heardMessages = 0;
  #words: string[] = [];

  constructor(relay: RelaySocket, streamSid: string) {
    this.relay = relay;
    this.streamSid = streamSid;
  }

  get media(): { track: string; chunk: string; timestamp: string; payload: string }[] {
    return this.relay.messages.filter(({ event }) => event === 'media').map(({ media }) => media as never);
  }

  /** What the callee said so far. */
  get heard(): string {
    const media = this.media;
    for (const { payload } of media.slice(this.#heardMessages))
      this.#ear.hear(Buffer.from(payload, 'base64'));
    this.#heardMessages = media.length;
    this.#words.push(...this.#ear.take().map(({ text }) => text));
    return this.#words.join(' ');
  }

  send(event: string, content: object = {}): void {
    this.relay.send({ event, streamSid: this.streamSid, ...content });
  }

  play(audio: Uint8Array): void {
    // Pieces of no particular length, as a model sends them.
    for (let at = 0; at < audio.length; at += 1111) {
      const payload = Buffer.from(audio.subarray(at, at + 1111)).toString('base64');
      this.send('media', { media: { payload } });
    }
  }

  async say(text: string): Promise<void> {
    this.play((await speak(text)).audio);
  }

  /** Says something and goes on for minutes of the call: whatever happens meanwhile happens before the end. */
  async talkOn(text: string): Promise<void> {
    const [begin, { audio }] = await Promise.all([speak(text), speak('And so on and so forth.')]);
    this.play(begin.audio);
    for (let times = 0; times < 100; times += 1) this.play(audio);
  }

  hears(text: string): Promise<true> {
    return eventually(() => (this.heard.includes(text) ? true : undefined), 20_000);
  }

  marks(): string[] {
    return this.relay.messages
      .filter(({ event }) => event === 'mark')
      .map(({ mark }) => (mark as { name: string }).name);
  }
}

interface Streaming {
  sid: string;
  record: CallRecord;
  stream: MediaStreamRecord;
  talk: Talk;
}

function document(attributes = '', children = '') {
  return `<Connect action="/over"><Stream url="${on.application.socketUrl}/media" ${attributes}>${children}</Stream></Connect>`;
}

/** Places a call whose instructions connect it to the application's media socket. */
async function connect(attributes = '', children = '', number = to, afterMs = 0): Promise<Streaming> {
  const { application } = on;
  application.answer('/twiml', async () => {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    return twiml(document(attributes, children));
  });
  application.answer('/over', () => twiml(''));
  const { sid } = await on.client.calls.create({ to: number, from, url: `${application.url}/twiml` });
  const relay = await eventually(() => application.sockets[0]);
  const start = await relay.next('start');
  const record = on.emulator.call(sid);
  const stream = record?.mediaStreams[0];
  if (!record || !stream) throw new Error('no record');
  return { sid, record, stream, talk: new Talk(relay, String(start.streamSid)) };
}

/** Places a call whose stream does not come to be. */
async function refused(verbs: string): Promise<CallRecord> {
  const { application } = on;
  application.answer('/twiml', () => twiml(verbs));
  application.answer('/over', () => twiml('<Say>It is over.</Say>'));
  const { sid } = await on.client.calls.create({ to, from, url: `${application.url}/twiml` });
  return on.ended(sid);
}

const said = (record: CallRecord) => record.transcript.map(({ speaker, text }) => `${speaker}: ${text}`);

describe('a stream', () => {
  it('is opened with a signature and begins with its numbers', async () => {
    const { sid, record, talk } = await connect('name="talk"', '<Parameter name="token" value="secret"/>');
    await eventually(() => talk.media[9]);
    expect(talk.relay.isSigned).toBe(true);
    expect(talk.streamSid).toMatch(/^MZ[0-9a-f]{32}$/);
    const [connected, start, ...media] = talk.relay.messages;
    expect(connected).toEqual({ event: 'connected', protocol: 'Call', version: '1.0.0' });
    expect(start).toEqual({
      event: 'start',
      sequenceNumber: '1',
      streamSid: talk.streamSid,
      start: {
        streamSid: talk.streamSid,
        accountSid: record.accountSid,
        callSid: sid,
        tracks: ['inbound'],
        customParameters: { token: 'secret' },
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
      },
    });
    const payload = Buffer.alloc(160, 0xff).toString('base64');
    for (const [index, message] of media.entries()) {
      expect(message).toEqual({
        event: 'media',
        sequenceNumber: String(index + 2),
        streamSid: talk.streamSid,
        media: { track: 'inbound', chunk: String(index + 1), timestamp: String(index * 20), payload },
      });
    }
  });

  it('carries what either side says to the other, word by word', async () => {
    converse = async (line) => {
      await line.say(`I heard: ${await line.heard()}`);
      await line.silence();
    };
    const { talk, record, stream } = await connect();
    await talk.say('Good morning, this is an assistant. How are you?');
    await talk.hears('I heard: Good morning, this is an assistant. How are you?');
    await eventually(() => record.transcript[1]);
    expect(said(record)).toEqual([
      'agent: Good morning, this is an assistant. How are you?',
      'callee: I heard: Good morning, this is an assistant. How are you?',
    ]);
    expect(stream.words.map(({ text }) => text).join(' ')).toBe(
      'Good morning, this is an assistant. How are you?',
    );
    const times = stream.words.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    expect(stream.utterances.map(({ text }) => text).join(' ')).toContain('How are you?');
  });

  it('runs at the speed of life, too', async () => {
    await restage({ speed: 1 });
    converse = async (line) => {
      await line.heard();
      await line.say('Yes?');
      await line.silence();
    };
    const { talk } = await connect();
    await talk.say('Hello?');
    await talk.hears('Yes?');
    const { media } = talk;
    expect(media.map(({ timestamp }) => timestamp)).toEqual(media.map((_, index) => String(index * 20)));
  });

  it('carries the rest of what is being said when it begins', async () => {
    answeredBy = {
      greeting: `Hello, you have reached us. ${'We are not here. '.repeat(20)} Please speak after the tone.`,
      beep: true,
    };
    const { talk } = await connect('', '', to, 100);
    await talk.hears('after the tone.');
    expect(talk.heard).not.toContain('Hello,');
    const beep = Buffer.from(tone([1000], 20)).toString('base64');
    await eventually(() =>
      talk.media.filter(({ payload }) => payload === beep).length === 25 ? true : undefined,
    );
    expect(talk.heard).toMatch(/after the tone\.$/);
  });

  it('does not return the sound of the application', async () => {
    const { talk, stream } = await connect();
    await talk.say('This is not to come back.');
    await eventually(() => (stream.utterances.length > 0 ? true : undefined));
    expect(talk.media.every(({ payload }) => !isLoud(Buffer.from(payload, 'base64')))).toBe(true);
  });
});

describe('the callees of the emulator', () => {
  it('answer what they are asked', async () => {
    const { talk, record } = await connect('', '', '+12025550100');
    await talk.say('Hello, may I have your name, please?');
    await talk.hears('My name is Jordan Avery.');
    await talk.say('Thank you. Goodbye.');
    await talk.hears('Goodbye.');
    expect(said(record).slice(0, 3)).toEqual([
      'agent: Hello, may I have your name, please?',
      'callee: My name is Jordan Avery.',
      'agent: Thank you. Goodbye.',
    ]);
  });

  it('hang up midway', async () => {
    const { talk, sid, stream } = await connect('', '', '+12025550130');
    await talk.say('Is this a good time?');
    await talk.hears('Yes?');
    await talk.talkOn('I am glad to hear that.');
    const record = await on.ended(sid);
    await eventually(() => talk.relay.closed);
    expect(talk.heard).toContain('I have to go.');
    expect(stream.status).toBe('completed');
    expect(record.transcript.find(({ interrupted }) => interrupted)?.text).toMatch(/^I am glad/);
  });

  it('interrupt', async () => {
    const { talk } = await connect('', '', '+12025550132');
    await talk.talkOn('This is going to take a while.');
    await talk.hears('who is this?');
    talk.send('clear');
    await talk.talkOn('I am an assistant.');
    await talk.hears('want from me?');
    talk.send('clear');
    await talk.say('What is your name?');
    await talk.hears('My name is Jordan Avery.');
  });

  it('take a message after the beep', async () => {
    const { talk, sid } = await connect('', '', '+12025550120');
    await talk.hears('after the tone.');
    const beep = Buffer.from(tone([1000], 20)).toString('base64');
    await eventually(() => (talk.media.some(({ payload }) => payload === beep) ? true : undefined));
    await talk.say('Please call us back.');
    const record = await on.ended(sid);
    expect(said(record).at(-1)).toBe('agent: Please call us back.');
  });

  it('put through whoever plays the tone of the right key', async () => {
    const { talk } = await connect('', '', '+12025550140');
    await talk.hears('press 3.');
    talk.play(dtmf('2'));
    await talk.hears('Reception, this is Jordan speaking.');
    await talk.say('What is your name?');
    await talk.hears('My name is Jordan Avery.');
  });
});

describe('recordings', () => {
  it('hold both sides of a stream, when they are wanted', async () => {
    await restage({ recordAudio: true });
    converse = async (line) => {
      await line.say(`Yes, ${await line.heard()}`);
      await line.silence();
    };
    const { talk, sid, stream } = await connect();
    await talk.say('Hello.');
    await talk.hears('Yes, Hello.');
    await on.client.calls(sid).update({ status: 'completed' });
    const record = await on.ended(sid);
    expect(record.mediaStreams).toEqual([stream]);
    const wav = Buffer.from(on.emulator.recording(talk.streamSid) ?? []);
    expect(wav.readUInt16LE(22)).toBe(2);
    expect(wav.length).toBe(44 + stream.framesSent * 160 * 2 * 2);
    const loudest = (channel: number) => {
      let most = 0;
      for (let at = 44 + 2 * channel; at < wav.length; at += 4) most = Math.max(most, wav.readInt16LE(at));
      return most;
    };
    expect(Math.min(loudest(0), loudest(1))).toBeGreaterThan(5000);
    const served = await fetch(`${on.emulator.url}/_emulator/recordings/${talk.streamSid}`);
    expect(served.headers.get('content-type')).toBe('audio/wav');
    expect(Buffer.from(await served.arrayBuffer()).equals(wav)).toBe(true);
    expect((await fetch(`${on.emulator.url}/_emulator/recordings/MZ0`)).status).toBe(404);
    on.emulator.reset();
    expect(on.emulator.recording(talk.streamSid)).toBeUndefined();
  });
});

describe('marks and clear', () => {
  it('returns a mark when everything before it was played, and at once when nothing waits', async () => {
    const { talk, stream } = await connect();
    talk.send('mark', { mark: { name: 'first' } });
    await talk.relay.next('mark');
    await talk.say('One two three.');
    talk.send('mark', { mark: { name: 'middle' } });
    await talk.say('Four five six.');
    talk.send('mark', { mark: { name: 'end' } });
    await talk.relay.next('mark');
    expect(stream.words.map(({ text }) => text)).toContain('three.');
    expect(stream.words.map(({ text }) => text)).not.toContain('six.');
    await talk.relay.next('mark');
    expect(stream.words.at(-1)?.text).toBe('six.');
    expect(talk.marks()).toEqual(['first', 'middle', 'end']);
  });

  it('takes minutes of sound in one message', async () => {
    const { talk, stream } = await connect();
    const payload = Buffer.alloc(5_000_000, 0xff).toString('base64');
    talk.send('media', { media: { payload } });
    talk.send('mark', { mark: { name: 'end' } });
    talk.send('clear');
    await talk.relay.next('mark');
    expect(stream).toMatchObject({ messagesReceived: 3, messagesRefused: 0 });
  });

  it('drops what waits and returns its marks when it is cleared', async () => {
    const { talk, stream, record } = await connect();
    await talk.talkOn('One two three.');
    talk.send('mark', { mark: { name: 'end' } });
    await eventually(() => (stream.words.length >= 3 ? true : undefined));
    talk.send('clear');
    talk.send('mark', { mark: { name: 'after' } });
    await eventually(() => (talk.marks().length === 2 ? true : undefined));
    expect(talk.marks()).toEqual(['end', 'after']);
    const [line] = await eventually(() => (record.transcript.length > 0 ? record.transcript : undefined));
    expect(line?.interrupted).toBe(true);
    expect(line?.text).toMatch(/^One two three\./);
    await talk.say('New words.');
    await eventually(() => (record.transcript.at(-1)?.text === 'New words.' ? true : undefined));
  });

  it('lets the callee talk over the agent', async () => {
    let heardBefore = '';
    converse = async (line) => {
      heardBefore = await line.interrupt('Wait, who is this?', { afterMs: 1500 });
      await line.say(`Aha: ${await line.heard()}`);
      await line.silence();
    };
    const { talk, record } = await connect();
    await talk.talkOn('I am calling about many things.');
    await talk.hears('Wait,');
    talk.send('clear');
    await talk.hears('who is this?');
    await talk.say('An assistant.');
    await talk.hears('Aha: An assistant.');
    expect(heardBefore).toMatch(/^I\b/);
    const cutOff = record.transcript.find(({ interrupted }) => interrupted);
    expect(cutOff?.speaker).toBe('agent');
    expect(cutOff?.text.startsWith(heardBefore)).toBe(true);
  });
});

describe('keys', () => {
  it('are told when the callee presses them, and heard when the application plays their tones', async () => {
    let heard: (string | undefined)[] = [];
    let isConnected = () => {};
    const connected = new Promise<void>((resolve) => {
      isConnected = resolve;
    });
    converse = async (line) => {
      await connected;
      for (const key of ['1', '#']) await line.press(key);
      heard = [await line.keyPressed({ withinMs: 60_000 }), await line.keyPressed({ withinMs: 60_000 })];
      await line.silence();
    };
    const { talk, record, stream } = await connect();
    isConnected();
    const first = await talk.relay.next('dtmf');
    expect(first).toMatchObject({ streamSid: talk.streamSid, dtmf: { track: 'inbound_track', digit: '1' } });
    expect(first.sequenceNumber).toMatch(/^\d+$/);
    expect(await talk.relay.next('dtmf')).toMatchObject({ dtmf: { digit: '#' } });
    for (const key of ['4', '2']) {
      talk.play(dtmf(key));
      talk.play(new Uint8Array(800).fill(0xff));
    }
    await eventually(() => (heard.length === 2 ? true : undefined));
    expect(heard).toEqual(['4', '2']);
    expect(record.digits.map(({ by, digits }) => `${by} ${digits}`)).toEqual([
      'callee 1',
      'callee #',
      'agent 4',
      'agent 2',
    ]);
    await eventually(() => (stream.utterances.length > 0 ? true : undefined));
    expect(record.transcript).toEqual([]);
  });
});

describe('messages that are not valid', () => {
  it.each([
    ['bad JSON', '{', 31950],
    ['binary frames', Buffer.from('{}'), 31950],
    ['unknown events', { event: 'stop' }, 31951],
    ['missing fields', { event: 'mark' }, 31951],
    ['audio that is not base64', { event: 'media', media: { payload: '***' } }, 31951],
    ['the SID of another stream', { event: 'clear', streamSid: 'MZ0' }, 31951],
  ])('drops %s and goes on', async (_, message, code) => {
    const { talk, record, stream } = await connect();
    const isObject = typeof message === 'object' && !Buffer.isBuffer(message);
    for (let times = 0; times < 2; times += 1) {
      talk.relay.socket.send(isObject ? JSON.stringify({ streamSid: talk.streamSid, ...message }) : message);
    }
    await eventually(() => (stream.messagesReceived === 2 ? true : undefined));
    expect(stream.messagesRefused).toBe(2);
    expect(record.notifications).toMatchObject([{ code }]);
    talk.send('mark', { mark: { name: 'alive' } });
    await talk.relay.next('mark');
  });
});

describe('the end of a stream', () => {
  it('leads to the action when the application closes the socket', async () => {
    const { sid, stream, talk } = await connect();
    on.application.answer('/over', () => twiml('<Say>One moment.</Say>'));
    talk.relay.socket.close(1000);
    const record = await on.ended(sid);
    expect(stream.status).toBe('closed');
    expect(on.application.to('/over')[0]?.form).toMatchObject({ CallSid: sid, CallStatus: 'in-progress' });
    expect(said(record)).toEqual(['agent: One moment.']);
  });

  it('leads to the next verb without an action', async () => {
    on.application.onSocket((relay) => void relay.next('start').then(() => relay.socket.close()));
    const record = await refused(`${document().replace(' action="/over"', '')}<Say>What comes next.</Say>`);
    expect(said(record)).toEqual(['agent: What comes next.']);
  });

  it('is told when the call ends, and when other instructions replace it', async () => {
    const { sid, talk, stream, record } = await connect();
    await talk.say(
      'You will not hear all of this, because the call is redirected before I have finished speaking.',
    );
    await eventually(() => (stream.words.length > 2 ? true : undefined));
    await on.client
      .calls(sid)
      .update({ twiml: `<Response>${document()}</Response>`.replace('action="/over"', '') });
    expect(await talk.relay.next('stop')).toMatchObject({
      streamSid: talk.streamSid,
      stop: { accountSid: record.accountSid, callSid: sid },
    });
    await eventually(() => talk.relay.closed);
    expect(talk.relay.closed?.code).toBe(1000);
    expect(stream.status).toBe('replaced');
    expect(record.transcript[0]?.interrupted).toBe(true);
    const second = await eventually(() => on.application.sockets[1]);
    await second.next('start');
    await on.client.calls(sid).update({ status: 'completed' });
    await second.next('stop');
    expect(record.mediaStreams[1]?.status).toBe('completed');
    expect(on.application.to('/over')).toEqual([]);
  });

  it('is reported, as its beginning is', async () => {
    const { talk, sid } = await connect('name="talk" statusCallback="/stream"');
    talk.relay.socket.close();
    const forms = await eventually(() => {
      const received = on.application.to('/stream');
      return received.length === 2 ? received : undefined;
    });
    expect(forms.every(({ isSigned }) => isSigned)).toBe(true);
    const common = { CallSid: sid, StreamSid: talk.streamSid, StreamName: 'talk' };
    expect(forms.map(({ form }) => form)).toMatchObject([
      { ...common, StreamEvent: 'stream-started' },
      { ...common, StreamEvent: 'stream-stopped' },
    ]);
    expect(forms[0]?.form.Timestamp).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });
});

describe('a stream that cannot be', () => {
  it.each([
    ['with a query', '/media?token=1', 31920],
    ['over an address that is no WebSocket', 'http', 31922],
  ])('goes on with the next verb %s', async (_, url, code) => {
    const { application } = on;
    const target = url === 'http' ? application.url : application.socketUrl + url;
    const record = await refused(
      `<Connect action="/over"><Stream url="${target}" statusCallback="/stream"/></Connect>`,
    );
    expect(record.notifications).toMatchObject([{ code }]);
    expect(record.mediaStreams).toMatchObject([{ status: 'failed', errorCode: code }]);
    expect(said(record)).toEqual(['agent: It is over.']);
    const [report] = await eventually(() =>
      application.to('/stream').length > 0 ? application.to('/stream') : undefined,
    );
    expect(report?.form).toMatchObject({
      StreamEvent: 'stream-error',
      StreamError: expect.stringContaining('URL'),
    });
  });

  it('goes on when nobody listens', async () => {
    const record = await refused('<Connect action="/over"><Stream url="ws://127.0.0.1:9/"/></Connect>');
    expect(record.notifications).toMatchObject([{ code: 31901 }]);
    expect(said(record)).toEqual(['agent: It is over.']);
  });

  it.each([
    ['a track', '<Stream url="wss://example.com" track="inbound_track"/>'],
    ['an attribute nobody knows', '<Stream url="wss://example.com" codec="opus"/>'],
    ['no address', '<Stream/>'],
    [
      'a parameter that is too long',
      `<Stream url="wss://a.b"><Parameter name="a" value="${'x'.repeat(499)}"/></Stream>`,
    ],
    ['a parameter without a name', '<Stream url="wss://example.com"><Parameter value="x"/></Stream>'],
    ['another child', '<Stream url="wss://example.com"><Language code="en"/></Stream>'],
  ])('ends the document for %s', async (_, noun) => {
    const record = await refused(`<Connect>${noun}</Connect>`);
    expect(record.notifications).toMatchObject([{ code: 12100 }]);
    expect(record.mediaStreams).toEqual([]);
  });

  it('is kept from trial accounts', async () => {
    await on.close();
    on = await stage({}, builtInAccounts.trial);
    on.application.answer('/twiml', () => twiml(document()));
    const call = await on.client.calls.create({
      to: '+12025550100',
      from: '+12025550180',
      url: `${on.application.url}/twiml`,
    });
    const record = await on.ended(call.sid);
    expect(record.notifications).toMatchObject([{ code: 10002 }]);
    expect(on.application.sockets).toEqual([]);
  });
});

describe('faults', () => {
  it('loses single frames on the way to the application', async () => {
    await restage({ faults: { framesLost: 0.2 } });
    const { talk, record, stream } = await connect();
    await eventually(() => (talk.media.length > 200 ? true : undefined));
    const { media } = talk;
    expect(media.map(({ chunk }) => chunk)).toEqual(media.map((_, index) => String(index + 1)));
    const times = media.map(({ timestamp }) => Number(timestamp));
    expect(Math.max(...times)).toBeGreaterThan(media.length * 20);
    expect(times.every((time) => time % 20 === 0)).toBe(true);
    expect(stream.framesLost).toBeGreaterThan(0);
    expect(record.faults).toEqual(['framesLost']);
  });

  it('breaks the socket without a word', async () => {
    await restage({ faults: { socketDrop: 1 } });
    const { talk, sid, stream } = await connect();
    on.application.answer('/over', () => twiml('<Say>The line was bad.</Say>'));
    const record = await on.ended(sid);
    expect(talk.relay.closed?.code).toBe(1006);
    expect(talk.relay.messages.some(({ event }) => event === 'stop')).toBe(false);
    expect(stream).toMatchObject({ status: 'failed', errorCode: 31924 });
    expect(said(record)).toEqual(['agent: The line was bad.']);
  });
});
