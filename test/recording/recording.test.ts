import type { CalleeLine } from '@callkite/twilio-emulator';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../embedded.ts';
import { startReceiver } from '../notifications/receiver.ts';
import { testStorage } from '../test-storage.ts';
import { californianNumber, type RecordedCall, type Stage, startStage } from './stage.ts';

// Calls take their time, and so does the carrier with recordings.
vi.setConfig({ testTimeout: 120_000 });

let stage: Stage;
afterEach(() => stage.stop());

const notice = 'This call is being recorded';
const question = 'May I record this call? Please say yes or no.';
const notRecorded = "Okay, this call won't be recorded.";
const lines = (call: RecordedCall, role: string) =>
  call.messages.filter((message) => message.role === role).map(({ content }) => content);

/** The callee said no: they were told so, and no word of the call is left. */
function expectForgotten(call: RecordedCall): void {
  expect(stage.spoken()).toContain(notRecorded);
  expect(call.recording_consent).toBe('refused');
  expect(call.messages).toEqual([]);
  expect(call.call_summary).not.toBe('');
}

/** Answers the opening line, then the agent's question. */
const answering = (first: string | null) => async (line: CalleeLine) => {
  await line.heard();
  if (first !== null) await line.say(first);
  await line.heard();
  await line.say('Yes, Tuesday is fine.');
  await line.heard();
  await line.silence();
};

const recordingUrl = (callId: string) =>
  eventually('the recording', async () => (await stage.get(callId)).recording_url, 40_000);

describe('a call that is recorded with an announcement', () => {
  it('says so first, and hands out the sound under a signed address', async () => {
    stage = await startStage(answering(null));
    const callId = await stage.call({ mode: 'announce' });
    const call = await stage.finished(callId);
    expect(lines(call, 'assistant')[0]).toContain(notice);
    expect(await stage.recordings()).toMatchObject([{ source: 'StartCallRecordingTwiML' }]);

    const url = await recordingUrl(callId);
    const sound = await fetch(url);
    expect(sound.status).toBe(200);
    expect(sound.headers.get('content-type')).toBe('audio/x-wav');
    expect(sound.headers.get('cache-control')).toBe('no-store');
    const bytes = Buffer.from(await sound.arrayBuffer());
    expect(bytes.subarray(0, 4).toString('latin1')).toBe('RIFF');
    expect(bytes.readUInt16LE(22)).toBe(2);
    expect(bytes.length).toBeGreaterThan(1000);

    const forged = new URL(url);
    forged.searchParams.set('expires', '9999999999');
    const refused = await fetch(forged);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({ error: expect.stringContaining('not valid') });
    expect((await fetch(url.replace(/\?.*/, ''))).status).toBe(400);

    const later = Date.now() + 16 * 60_000;
    const clock = vi.spyOn(Date, 'now').mockReturnValue(later);
    const expired = await fetch(url).finally(() => clock.mockRestore());
    expect(expired.status).toBe(403);
    expect(await expired.json()).toEqual({ error: expect.stringContaining('expired') });
  });

  it('is recorded no more once the callee objects, and what was recorded is deleted', async () => {
    stage = await startStage(async (line) => {
      await line.heard();
      await line.say('Please stop recording.');
      await line.heard();
      await line.say('Yes, Tuesday is fine.');
      await line.heard();
      await line.silence();
    });
    const callId = await stage.call({ mode: 'announce' });
    expectForgotten(await stage.finished(callId));
    await eventually('the deletion', async () => (await stage.recordings()).length === 0, 40_000);
    expect((await stage.get(callId)).recording_url).toBeNull();
  });
});

it('what a machine recorded of an announced recording is deleted', async () => {
  // Slow enough for the carrier to find out what it is only after the recording has begun.
  stage = await startStage(answering(null), { speed: 5 });
  const callId = await stage.call({ mode: 'announce' }, { to: '+12025550120' });
  const call = await stage.finished(callId);
  const record = stage.twilioEmulator.calls().find(({ to }) => to === '+12025550120');
  await eventually('the deletion', async () => (await stage.recordings()).length === 0, 40_000);
  expect(record?.answeredBy).toMatch(/^machine/);
  expect(record?.callbacks.map(({ event }) => event)).toContain('recording-in-progress');
  expect(call.recording_url).toBeNull();
});

describe('a call whose callee is asked', () => {
  it('is recorded after a yes, and not before', async () => {
    let before: unknown;
    stage = await startStage(async (line) => {
      await line.heard();
      before = await stage.recordings();
      await line.say('Yes.');
      await line.heard();
      await eventually('the recording', async () => (await stage.recordings()).length === 1);
      await line.say('Yes, Tuesday is fine.');
      await line.heard();
      await line.silence();
    });
    const callId = await stage.call({ mode: 'ask' });
    const call = await stage.finished(callId);
    expect(before).toEqual([]);
    expect(lines(call, 'assistant')[0]).toContain(question);
    expect(lines(call, 'assistant')).not.toContain(notRecorded);
    expect(await stage.recordings()).toMatchObject([{ source: 'StartCallRecordingAPI' }]);
    expect((await fetch(await recordingUrl(callId))).status).toBe(200);
  });

  it('is asked wherever everybody has to agree, also when an announcement was wanted', async () => {
    stage = await startStage(answering('No, thank you.'));
    const callId = await stage.call({ mode: 'announce' }, { to: californianNumber });
    expectForgotten(await stage.finished(callId));
    expect(stage.spoken()[0]).toContain(question);
    expect(stage.spoken()[0]).not.toContain(notice);
    expect(await stage.recordings()).toEqual([]);
  });

  it('is neither recorded nor remembered in words after a no, by nobody', async () => {
    const receiver = await startReceiver();
    stage = await startStage(answering('No, thank you.'));
    const { integration } = await stage.callkite.webhooks.createIntegration(
      { organizationId: stage.organizationId, mode: 'live' },
      {
        name: 'CRM',
        url: receiver.url,
      },
    );
    const callId = await stage.call({ mode: 'ask' }, { webhooks: [integration.id] });
    const call = await stage.finished(callId);
    expectForgotten(call);
    expect(stage.spoken()[0]).toContain(question);
    expect(await stage.recordings()).toEqual([]);
    const webhook = await eventually('the webhook', () => receiver.requests[0]);
    receiver.close();
    expect(JSON.parse(webhook.body)).toMatchObject({ call_summary: call.call_summary, messages: [] });
  });

  it.each([
    ['an unclear answer', 'Who is this?'],
    ['silence', null],
  ])('is not recorded after %s', async (_, answer) => {
    stage = await startStage(answering(answer));
    const callId = await stage.call({ mode: 'ask' });
    const call = await stage.finished(callId);
    expect(lines(call, 'assistant')[0]).toContain(question);
    if (answer !== null) expect(lines(call, 'assistant')).toContain(notRecorded);
    expect(call.messages.length).toBeGreaterThan(2);
    expect(call.recording_consent).toBe('missing');
    expect(call.recording_url).toBeNull();
    expect(await stage.recordings()).toEqual([]);
  });
});

it('a call is not recorded by default', async () => {
  stage = await startStage(answering(null));
  const callId = await stage.call({ mode: 'off' });
  expect((await stage.finished(callId)).recording_url).toBeNull();
  expect(await stage.recordings()).toEqual([]);
});

it('a recording whose callbacks are lost is found by asking', async () => {
  stage = await startStage(answering(null), { emulator: { faults: { recordingCallbacksLost: 1 } } });
  const callId = await stage.call({ mode: 'announce' });
  await stage.finished(callId);
  expect((await fetch(await recordingUrl(callId))).status).toBe(200);
});

it('a recording is deleted at the carrier when its time is over, even if the carrier refuses at first', async () => {
  const storage = testStorage();
  const { recordings } = storage;
  const soon: typeof recordings.report = (callId, report) =>
    recordings.report(callId, { ...report, retentionDays: 5 / 86_400 });
  stage = await startStage(answering(null), {
    storage: { ...storage, recordings: { ...recordings, report: soon } },
    emulator: { faults: { recordingDeleteFails: 1 } },
  });
  const callId = await stage.call({ mode: 'announce' });
  const url = await recordingUrl(callId);
  await eventually('the end of its time', async () => (await stage.get(callId)).recording_url === null);
  expect((await fetch(url)).status).toBe(404);
  expect(await stage.recordings()).toHaveLength(1);
  stage.twilioEmulator.configure({ faults: { recordingDeleteFails: 0 } });
  await eventually('the deletion', async () => (await stage.recordings()).length === 0, 60_000);
});

describe('a yes', () => {
  const talk = async (line: CalleeLine) => {
    await line.heard();
    await line.say('Yes.');
    await eventually('the recording', async () => (await stage.recordings()).length > 0, 60_000);
    await line.heard({ withinMs: 60_000 });
    await line.say('Yes, Tuesday is fine.');
    await line.heard();
    await line.silence();
  };

  it('is not forgotten by a process that dies before the recording is started', async () => {
    const storage = testStorage();
    let isDead = false;
    const claim: typeof storage.jobs.claim = async (options) => {
      const jobs = await storage.jobs.claim(options);
      if (options.kind !== 'follow_recording' || jobs.length === 0 || isDead) return jobs;
      // Whoever leased it is gone: nobody prolongs the lease.
      isDead = true;
      return [];
    };
    stage = await startStage(talk, { storage: { ...storage, jobs: { ...storage.jobs, claim } } });
    const callId = await stage.call({ mode: 'ask' }, { silenceSeconds: 60 });
    await stage.finished(callId);
    expect(isDead).toBe(true);
    expect(await stage.recordings()).toHaveLength(1);
  });

  it('starts one recording, also when the carrier does not say that it has', async () => {
    stage = await startStage(talk, { emulator: { faults: { recordingStart5xx: 1 } } });
    const callId = await stage.call({ mode: 'ask' });
    await stage.finished(callId);
    expect((await fetch(await recordingUrl(callId))).status).toBe(200);
    expect(await stage.recordings()).toHaveLength(1);
  });
});

describe('a call in which a speech model talks', () => {
  const realtime = {
    speed: 4,
    callkite: { voiceMode: 'realtime' },
    emulator: { recordAudio: true },
  } as const;

  it('is recorded with an announcement, in sound', async () => {
    stage = await startStage(answering(null), realtime);
    const callId = await stage.call({ mode: 'announce' });
    const call = await stage.finished(callId);
    expect(lines(call, 'assistant')[0]).toContain(notice);
    const sound = Buffer.from(await (await fetch(await recordingUrl(callId))).arrayBuffer());
    const loudest = [0, 0];
    for (let at = 44; at + 4 <= sound.length; at += 4) {
      for (const channel of [0, 1]) {
        loudest[channel] = Math.max(loudest[channel] ?? 0, sound.readInt16LE(at + 2 * channel));
      }
    }
    for (const loud of loudest) expect(loud).toBeGreaterThan(1000);
  });

  it('is recorded after a yes', async () => {
    let before: unknown;
    stage = await startStage(async (line) => {
      await line.heard();
      before = await stage.recordings();
      await line.say('Yes, go ahead.');
      await line.heard();
      await eventually('the recording', async () => (await stage.recordings()).length === 1);
      await line.say('Yes, Tuesday is fine.');
      await line.heard();
      await line.silence();
    }, realtime);
    const callId = await stage.call({ mode: 'ask' });
    const call = await stage.finished(callId);
    expect(before).toEqual([]);
    expect(lines(call, 'assistant')[0]).toContain(question);
    expect(await stage.recordings()).toMatchObject([{ source: 'StartCallRecordingAPI' }]);
  });

  it('is not recorded after a no', async () => {
    stage = await startStage(answering('No, thank you.'), realtime);
    const callId = await stage.call({ mode: 'ask' });
    expectForgotten(await stage.finished(callId));
    expect(await stage.recordings()).toEqual([]);
  });

  it('is recorded no more once the callee objects', async () => {
    stage = await startStage(async (line) => {
      await line.heard();
      await line.say('Please stop recording.');
      await line.heard();
      await line.silence();
    }, realtime);
    const callId = await stage.call({ mode: 'announce' });
    expectForgotten(await stage.finished(callId));
    await eventually('the deletion', async () => (await stage.recordings()).length === 0, 40_000);
  });
});
