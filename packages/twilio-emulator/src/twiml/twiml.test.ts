import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { builtInAccounts } from '../accounts.ts';
import { defineCallee } from '../callees/callee.ts';
import { eventually, type Stage, stage, twiml, type WebhookAnswer } from '../testing/application.ts';

const from = '+12025550183';
const answersQuestions = defineCallee({
  name: 'answers questions',
  description: 'Presses keys or speaks when the agent pauses',
  numbers: ['+12025550140'],
  converse: async (line) => {
    const heard = await line.heard();
    if (heard.includes('keys')) for (const key of ['4', '2', '#']) await line.press(key);
    else if (heard.includes('speak')) await line.say('I speak.');
    else await line.silence();
  },
});
const impatient = defineCallee({
  name: 'impatient',
  description: 'Presses a key while the agent speaks',
  numbers: ['+12025550141'],
  converse: async (line) => {
    await line.agentSpeaks();
    await line.wait(1000);
    await line.press('9');
  },
});

let on: Stage;
beforeEach(async () => {
  on = await stage({ callees: [answersQuestions, impatient] });
});
afterEach(() => on.close());

async function run(to: string, documents: Record<string, string | WebhookAnswer>, fallback?: string) {
  const { application, client } = on;
  for (const [path, document] of Object.entries(documents)) {
    application.answer(path, () => (typeof document === 'string' ? twiml(document) : document));
  }
  const url = `${application.url}/start`;
  const fallbackUrl = fallback && `${application.url}${fallback}`;
  const { sid } = await client.calls.create({ to, from, url, ...(fallbackUrl ? { fallbackUrl } : {}) });
  return on.ended(sid);
}

const silent = '+12025550133';
const said = (record: Awaited<ReturnType<typeof run>>) => record.transcript.map((line) => line.text);
const ERROR = 'We are sorry, an application error has occurred. Goodbye.';

describe('verbs', () => {
  it('Say, Pause, Play, Redirect and Hangup run in order', async () => {
    const record = await run(silent, {
      '/start':
        '<Say loop="2">Hi &amp; welcome.</Say><Pause length="3"/><Play digits="1w2"/><Play>/tone.mp3</Play>' +
        '<Redirect method="GET">/next?a=1&amp;b=2</Redirect><Say>Never said</Say>',
      '/next': '<Say><![CDATA[Bye]]></Say><Hangup/><Say>Never said</Say>',
    });
    expect(said(record).join(' ')).toBe(
      `Hi & welcome. Hi & welcome. (audio ${on.application.url}/tone.mp3) Bye`,
    );
    expect(record.digits).toMatchObject([{ by: 'agent', digits: '1w2' }]);
    expect(record.documents.map((each) => each.status)).toEqual([200, 200]);
    expect(on.application.webhooks[1]).toMatchObject({ method: 'GET', isSigned: true });
    expect(on.application.webhooks[1]?.query.get('b')).toBe('2');
  });

  it('an empty response ends the call', async () => {
    expect(await run(silent, { '/start': '' })).toMatchObject({ status: 'completed', transcript: [] });
  });

  it('Gather posts keys, and speech', async () => {
    await run('+12025550140', {
      '/start': '<Gather action="/keys"><Say>Use the keys.</Say></Gather>',
      '/keys': '<Hangup/>',
    });
    expect(on.application.to('/keys')).toMatchObject([{ form: { Digits: '42' }, isSigned: true }]);
    await run('+12025550140', {
      '/start': '<Gather input="speech" action="/speech"><Say>Please speak.</Say></Gather>',
      '/speech': '<Hangup/>',
    });
    expect(on.application.to('/speech')).toMatchObject([
      { form: { SpeechResult: 'I speak.', Confidence: '0.93' } },
    ]);
  });

  it('Gather lets keys cut its prompt off, and goes on without input', async () => {
    const record = await run('+12025550141', {
      '/start': `<Gather numDigits="1" action="/keys"><Say>${'A long prompt. '.repeat(20)}</Say></Gather>`,
      '/keys': '<Hangup/>',
    });
    expect(record.transcript).toMatchObject([{ speaker: 'agent', interrupted: true }]);
    const quiet = await run(silent, {
      '/start': '<Gather timeout="1" action="/keys"/><Say>Nothing heard</Say>',
    });
    expect(said(quiet)).toEqual(['Nothing heard']);
    await run(silent, { '/start': '<Gather timeout="1" actionOnEmptyResult="true" action="/empty"/>' });
    expect(on.application.to('/empty')).toHaveLength(1);
  });

  it('Start with Recording records while the document goes on', async () => {
    const { application, client } = on;
    const callback = `recordingStatusCallback="${application.url}/recorded"`;
    const record = await run(silent, {
      '/start': `<Start><Recording ${callback}/></Start><Say>Hello</Say><Pause length="5"/>`,
    });
    expect(record.notifications).toEqual([]);
    expect(said(record)).toEqual(['Hello']);
    await vi.waitFor(() => expect(application.to('/recorded')).toHaveLength(1));
    const recordings = await client.calls(record.sid ?? '').recordings.list();
    expect(recordings).toMatchObject([
      { status: 'completed', source: 'StartCallRecordingTwiML', channels: 2 },
    ]);
  });
});

describe('Dial', () => {
  it('bridges to a number that answers, on a leg of its own', async () => {
    const { application } = on;
    const record = await run(silent, {
      '/start':
        '<Dial action="/dialed"><Number statusCallback="/leg" statusCallbackEvent="ringing answered completed">+12025550100</Number></Dial><Say>Never</Say>',
      '/dialed': '<Say>They are gone.</Say>',
    });
    expect(said(record)).toEqual(['They are gone.']);
    const leg = on.emulator.calls().find((each) => each.parentSid === record.sid);
    expect(leg).toMatchObject({ direction: 'outbound-dial', status: 'completed', to: '+12025550100', from });
    expect(application.to('/dialed')[0]?.form).toMatchObject({
      DialCallStatus: 'completed',
      DialCallSid: leg?.sid,
      DialBridged: 'true',
    });
    await eventually(() => application.to('/leg')[2]);
    const statuses = application.to('/leg').map(({ form }) => form.CallStatus);
    expect(statuses.sort()).toEqual(['completed', 'in-progress', 'ringing']);
    expect(application.to('/leg')[0]?.form).toMatchObject({
      ParentCallSid: record.sid,
      Direction: 'outbound-dial',
    });
    const children = await on.client.calls.list({ parentCallSid: record.sid ?? '' });
    expect(children).toHaveLength(1);
  });

  it.each([
    ['+12025550111', 'busy'],
    ['+12025550110', 'no-answer'],
    ['+12025550112', 'failed'],
    ['nonsense', 'failed'],
  ])('tells how %s did not answer', async (number, status) => {
    await run(silent, { '/start': `<Dial timeout="3" action="/dialed">${number}</Dial>`, '/dialed': '' });
    expect(on.application.to('/dialed')[0]?.form).toMatchObject({
      DialCallStatus: status,
      DialBridged: 'false',
    });
  });

  const asking =
    '<Gather input="dtmf speech" numDigits="1" timeout="3" action="/reply"><Say>A call for you. Take it?</Say></Gather><Hangup/>';
  const takesIt = ({ form }: { form: Record<string, string> }) =>
    twiml(form.Digits === '1' || form.SpeechResult?.startsWith('Yes') ? '' : '<Hangup/>');

  it.each([
    ['+12025550160', 'presses 1', 'true'],
    ['+12025550161', 'says yes', 'true'],
    ['+12025550162', 'presses 2', 'false'],
    ['+12025550165', 'says nothing', 'false'],
  ])('asks %s, who %s, before it bridges', async (to, _what, bridged) => {
    const { application } = on;
    application.answer('/reply', takesIt);
    const record = await run(silent, {
      '/start': `<Dial action="/dialed" timeLimit="60"><Number url="/ask" statusCallback="/leg" statusCallbackEvent="answered completed">${to}</Number></Dial>`,
      '/ask': asking,
      '/dialed': '<Hangup/>',
    });
    const leg = on.emulator.calls().find((each) => each.parentSid === record.sid);
    expect(leg?.transcript[0]).toMatchObject({ speaker: 'agent', text: 'A call for you. Take it?' });
    expect(leg?.documents.map(({ status }) => status)).not.toContain(undefined);
    expect(application.to('/ask')).toMatchObject([
      { isSigned: true, form: { CallSid: leg?.sid, ParentCallSid: record.sid, CallStatus: 'in-progress' } },
    ]);
    expect(application.to('/dialed')).toMatchObject([
      { form: { DialCallStatus: 'completed', DialCallSid: leg?.sid, DialBridged: bridged } },
    ]);
    await eventually(() => application.to('/leg')[1]);
    expect(record.transcript).toEqual([]);
  });

  it('does not bridge after a document that cannot be carried out, nor lets it dial on', async () => {
    for (const [document, code] of [
      ['<Sing/>', 12100],
      ['<Dial>+12025550101</Dial>', 13201],
      [{ status: 500 }, 11200],
    ] as const) {
      on.application.webhooks.length = 0;
      const record = await run(silent, {
        '/start': '<Dial action="/dialed"><Number url="/ask">+12025550100</Number></Dial>',
        '/ask': document,
        '/dialed': '',
      });
      const leg = on.emulator.calls().find((each) => each.parentSid === record.sid);
      expect(leg?.notifications).toMatchObject([{ code }]);
      expect(on.application.to('/dialed')[0]?.form).toMatchObject({ DialBridged: 'false' });
    }
  });

  it('tells the action how it stood when the callee hangs up', async () => {
    // They hang up after a second: slow enough for the other phone to ring by then, on a busy machine too.
    await on.close();
    on = await stage({ speed: 2 });
    await run('+12025550131', { '/start': '<Dial action="/dialed">+12025550110</Dial>', '/dialed': '' });
    const [told] = await eventually(() =>
      on.application.to('/dialed').length > 0 ? on.application.to('/dialed') : undefined,
    );
    expect(told?.form).toMatchObject({
      CallStatus: 'completed',
      DialCallStatus: 'canceled',
      DialBridged: 'false',
    });
  });

  it('hangs up the other leg with the call', async () => {
    const url = `${on.application.url}/start`;
    on.application.answer('/start', () => twiml('<Dial>+12025550110</Dial>'));
    const { sid } = await on.client.calls.create({ to: silent, from, url });
    const leg = await eventually(() => on.emulator.calls().find((each) => each.parentSid === sid));
    await eventually(() => leg.timeline.ringingAt);
    await on.client.calls(sid).update({ status: 'completed' });
    expect(await on.ended(leg.sid ?? '')).toMatchObject({ status: 'canceled' });
  });
});

describe('instructions that cannot be carried out', () => {
  it.each<[string, string | WebhookAnswer, number]>([
    ['an error answer', { status: 500 }, 11200],
    ['a document that is no XML', { headers: { 'content-type': 'text/xml' }, body: '<Response>' }, 12100],
    ['another root element', { headers: { 'content-type': 'text/xml' }, body: '<Reply/>' }, 12100],
    ['another content type', { headers: { 'content-type': 'text/html' }, body: '<Response/>' }, 12300],
    ['a verb that does not exist', '<Sing>La</Sing>', 12100],
    ['sessions that are not emulated', '<Connect><VirtualAgent/></Connect>', 12100],
    ['a redirect to no URL', '<Redirect>http://[</Redirect>', 11100],
    ['a caller ID of somebody else', '<Dial callerId="+12125550142">+12025550100</Dial>', 13214],
    ['a conference', '<Dial><Conference>Room</Conference></Dial>', 12100],
    ['no time to ring', '<Dial timeout="0">+12025550100</Dial>', 13212],
  ])('%s: a notification, an apology and the end', async (_what, document, code) => {
    const record = await run(silent, { '/start': document });
    expect(record.notifications).toMatchObject([{ code }]);
    expect(said(record)).toEqual([ERROR]);
    expect(record.status).toBe('completed');
  });

  it('go to the fallback document once', async () => {
    const record = await run(
      silent,
      { '/start': { status: 503 }, '/fallback': '<Say>Sorry.</Say>' },
      '/fallback',
    );
    expect(said(record)).toEqual(['Sorry.']);
    expect(on.application.to('/fallback')[0]?.form).toMatchObject({
      ErrorCode: '11200',
      ErrorUrl: `${on.application.url}/start`,
    });
    const twice = await run(silent, { '/start': { status: 503 }, '/fallback': { status: 503 } }, '/fallback');
    expect(twice.notifications.map((each) => each.code)).toEqual([11200, 11200]);
  });

  it('inline instructions need absolute addresses', async () => {
    const { sid } = await on.client.calls.create({
      to: silent,
      from,
      twiml: '<Response><Redirect>/x</Redirect></Response>',
    });
    expect((await on.ended(sid)).notifications).toMatchObject([{ code: 11100 }]);
  });
});

describe('a trial account', () => {
  beforeEach(async () => {
    await on.close();
    const { trial } = builtInAccounts;
    on = await stage({ accounts: [{ ...trial, callsPerSecond: 50 }] }, trial);
  });

  async function runOnTrial(document: string) {
    on.application.answer('/start', () => twiml(document));
    const url = `${on.application.url}/start`;
    const { sid } = await on.client.calls.create({ to: '+12025550100', from: '+12025550180', url });
    return on.ended(sid);
  }

  it('hears a notice instead of a relay, a dialed number or a recording', async () => {
    for (const verb of [
      '<Connect><ConversationRelay url="wss://calls.example.test/relay"/></Connect>',
      '<Dial>+12025550101</Dial>',
      '<Start><Recording/></Start>',
    ]) {
      const record = await runOnTrial(`<Say>Hello</Say>${verb}`);
      expect(said(record)[0]).toContain('not available to trial accounts');
      expect(record.notifications).toMatchObject([{ code: 10002 }]);
      expect(record.relaySessions).toEqual([]);
    }
  });

  it('ends after ten minutes', async () => {
    await on.close();
    on = await stage({ speed: 2000 }, builtInAccounts.trial);
    const record = await runOnTrial('<Pause length="900"/>');
    expect(record).toMatchObject({ status: 'completed', notifications: [{ code: 13805 }] });
  });

  it('runs ten documents at the most', async () => {
    const record = await runOnTrial('<Redirect>/start</Redirect>');
    expect(record.documents).toHaveLength(10);
    expect(record.status).toBe('completed');
  });
});
