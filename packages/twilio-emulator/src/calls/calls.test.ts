import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Callee } from '../callees/callee.ts';
import { eventually, type Stage, stage, twiml } from '../testing/application.ts';

const from = '+12025550183';
const allEvents = ['initiated', 'ringing', 'answered', 'completed'];
let on: Stage;
beforeEach(async () => {
  on = await stage();
  on.application.answer('/twiml', () => twiml('<Say>Hello there.</Say>'));
});
afterEach(() => on.close());

type CreateOptions = Parameters<typeof on.client.calls.create>[0];

/** Places a call with all status callbacks, and waits for its end and the last callback. */
async function call(to: string, options: Partial<CreateOptions> = {}) {
  const created = await on.client.calls.create({
    to,
    from,
    url: `${on.application.url}/twiml`,
    statusCallback: `${on.application.url}/status`,
    statusCallbackEvent: allEvents,
    ...options,
  });
  const record = await on.ended(created.sid);
  await eventually(() => record.callbacks.every((each) => each.result !== undefined) || undefined);
  const statuses = on.application
    .to('/status')
    .map((webhook) => webhook.form)
    .sort((one, other) => Number(one.SequenceNumber) - Number(other.SequenceNumber));
  return { record, statuses, sid: created.sid };
}

describe('the life of a call', () => {
  it('is reported step by step when answered', async () => {
    const { record, statuses, sid } = await call('+12025550133');
    expect(statuses.map((form) => [form.CallStatus, form.SequenceNumber])).toEqual([
      ['initiated', '0'],
      ['ringing', '1'],
      ['in-progress', '2'],
      ['completed', '3'],
    ]);
    expect(statuses[3]).toMatchObject({
      CallSid: sid,
      AccountSid: record.accountSid,
      From: from,
      To: '+12025550133',
      Caller: from,
      Called: '+12025550133',
      Direction: 'outbound-api',
      ApiVersion: '2010-04-01',
      CallbackSource: 'call-progress-events',
      Timestamp: expect.stringMatching(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} \+0000$/),
      CallDuration: '1',
      Duration: '1',
      SipResponseCode: '200',
    });
    expect(statuses[0]).not.toHaveProperty('CallDuration');
    expect(on.application.webhooks.every((webhook) => webhook.isSigned)).toBe(true);
    const { createdAt, dequeuedAt, ringingAt, answeredAt, endedAt } = record.timeline;
    const times = [createdAt, dequeuedAt, ringingAt, answeredAt, endedAt].map(String);
    expect(times).toEqual([...times].sort());
  });

  it.each([
    ['+12025550111', 'busy', ['initiated', 'ringing', 'busy'], '486'],
    ['+12025550112', 'failed', ['initiated', 'failed'], '404'],
    ['+12025550113', 'failed', ['initiated', 'failed'], '503'],
    ['+12025550110', 'no-answer', ['initiated', 'ringing', 'no-answer'], '487'],
  ])('of %s ends %s', async (to, status, sequence, sipResponseCode) => {
    const { record, statuses, sid } = await call(to, { timeout: 5 });
    expect(statuses.map((form) => form.CallStatus)).toEqual(sequence);
    expect(statuses.at(-1)).toMatchObject({
      CallDuration: '0',
      Duration: '0',
      SipResponseCode: sipResponseCode,
    });
    expect(record.documents).toEqual([]);
    const fetched = await on.client.calls(sid).fetch();
    expect(fetched).toMatchObject({ status, duration: '0', price: null });
  });

  it('does not wait for somebody who picks up after the timeout', async () => {
    const { record } = await call('+12025550101', { timeout: 5 });
    expect(record.status).toBe('no-answer');
  });

  it('tells only the end unless more is asked for', async () => {
    const { statuses } = await call('+12025550111', { statusCallbackEvent: [] });
    expect(statuses).toMatchObject([{ CallStatus: 'busy', SequenceNumber: '0' }]);
  });

  it('sends status callbacks by GET when asked to', async () => {
    await call('+12025550111', { statusCallbackMethod: 'GET' });
    const [first] = on.application.to('/status');
    expect(first).toMatchObject({ method: 'GET', isSigned: true });
    expect(first?.query.get('CallStatus')).toBe('initiated');
  });

  it('ends at the time limit', async () => {
    on.application.answer('/twiml', () => twiml('<Pause length="600"/>'));
    const { record, statuses } = await call('+12025550133', { timeLimit: 4 });
    expect(record.status).toBe('completed');
    expect(statuses.at(-1)).toMatchObject({ CallStatus: 'completed' });
  });

  it('ends once, whoever ends it how often', async () => {
    on.application.answer('/twiml', () => twiml('<Pause length="600"/>'));
    const created = await on.client.calls.create({
      to: '+12025550133',
      from,
      url: `${on.application.url}/twiml`,
      statusCallback: `${on.application.url}/status`,
    });
    await eventually(() => on.emulator.call(created.sid)?.documents[0]);
    const hangUp = () => on.client.calls(created.sid).update({ status: 'completed' });
    const results = await Promise.allSettled([hangUp(), hangUp(), hangUp()]);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    await eventually(() => on.application.to('/status')[0]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(on.application.to('/status')).toHaveLength(1);
  });

  it('tells the observer what happens', async () => {
    const seen: string[] = [];
    await on.close();
    on = await stage({ onEvent: (event) => seen.push(event.type) });
    on.application.answer('/twiml', () => twiml('<Say>Hello there.</Say>'));
    await call('+12025550133');
    expect(seen).toEqual(['ringing', 'answered', 'agent-speech', 'ended']);
  });
});

describe('answering machine detection', () => {
  const sync = { machineDetection: 'Enable' };
  const toTheEnd = { machineDetection: 'DetectMessageEnd' };

  it.each([
    ['+12025550100', sync, 'human'],
    ['+12025550133', sync, 'unknown'],
    ['+12025550123', sync, 'fax'],
    ['+12025550120', sync, 'machine_start'],
    ['+12025550120', toTheEnd, 'machine_end_beep'],
    ['+12025550121', toTheEnd, 'machine_end_silence'],
    ['+12025550122', toTheEnd, 'machine_end_other'],
    ['+12025550120', { ...toTheEnd, machineDetectionTimeout: 3 }, 'machine_end_other'],
  ])('of %s with %o finds %s, before the instructions are requested', async (to, options, answeredBy) => {
    on.application.answer('/twiml', () => twiml('<Hangup/>'));
    const { record, statuses, sid } = await call(to, options);
    expect(record.answeredBy).toBe(answeredBy);
    const [document] = on.application.to('/twiml');
    expect(document?.form).toMatchObject({ AnsweredBy: answeredBy, CallStatus: 'in-progress' });
    expect(Number(document?.form.MachineDetectionDuration)).toBeGreaterThan(1000);
    expect(statuses.at(-1)).toMatchObject({ CallStatus: 'completed', AnsweredBy: answeredBy });
    expect((await on.client.calls(sid).fetch()).answeredBy).toBe(answeredBy);
  });

  it('tells the verdict apart from the instructions when it is asynchronous', async () => {
    on.application.answer('/twiml', () => twiml('<Pause length="10"/>'));
    const { record } = await call('+12025550120', {
      ...toTheEnd,
      asyncAmd: 'true',
      asyncAmdStatusCallback: `${on.application.url}/amd`,
    });
    expect(on.application.to('/twiml')[0]?.form).not.toHaveProperty('AnsweredBy');
    const [verdict] = on.application.to('/amd');
    expect(verdict).toMatchObject({
      isSigned: true,
      form: { CallSid: record.sid, AnsweredBy: 'machine_end_beep' },
    });
    const fetchedAt = Date.parse(record.documents[0]?.at ?? '');
    const verdictAt = Date.parse(record.callbacks.find((each) => each.event === 'amd')?.at ?? '');
    expect(verdictAt).toBeGreaterThan(fetchedAt);
  });

  it('lets voicemail hear what is said after the beep', async () => {
    const { record } = await call('+12025550120', toTheEnd);
    expect(record.transcript.map((line) => line.text)).toEqual([
      expect.stringContaining('leave a message'),
      '(beep)',
      'Hello there.',
    ]);
  });

  it('is off when digits are sent', async () => {
    const { record } = await call('+12025550133', { ...sync, sendDigits: '1w2' });
    expect(record.answeredBy).toBeUndefined();
    expect(record.digits).toMatchObject([{ by: 'agent', digits: '1w2' }]);
  });
});

describe('a callee of the application', () => {
  it('answers before the built-in ones, and its failure is on record', async () => {
    const broken: Callee = {
      name: 'broken',
      description: 'Its script throws',
      numbers: [/^\+49/, '+12025550100'],
      converse: async () => {
        throw new Error('no lines');
      },
    };
    await on.close();
    on = await stage({ callees: [broken] });
    on.application.answer('/twiml', () => twiml('<Say>Hello there.</Say>'));
    const { record } = await call('+12025550100');
    expect(record.callee).toBe('broken');
    expect(record.notifications).toMatchObject([{ message: expect.stringContaining('no lines') }]);
    expect(record.status).toBe('completed');
  });
});
