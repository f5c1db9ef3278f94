import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { builtInAccounts } from '../accounts.ts';
import { defineCallee } from '../callees/callee.ts';
import { stage } from '../testing/application.ts';

const quiet = defineCallee({
  name: 'quiet',
  description: 'stays on the line',
  numbers: ['+12025550170'],
  converse: (line) => line.silence(),
});

let on: Awaited<ReturnType<typeof stage>>;
beforeEach(async () => {
  on = await stage({ speed: 20, callees: [quiet] });
});
afterEach(() => on.close());

async function liveCall() {
  const { application, client } = on;
  application.answer('/start', () => ({
    headers: { 'content-type': 'text/xml' },
    body: '<Response><Pause length="600"/></Response>',
  }));
  const { sid } = await client.calls.create({
    to: '+12025550170',
    from: builtInAccounts.approved.phoneNumbers[0] ?? '',
    url: `${application.url}/start`,
  });
  const call = client.calls(sid);
  await expect(call.recordings.create()).rejects.toMatchObject({ status: 400, code: 21220 });
  await vi.waitFor(async () => expect((await call.fetch()).status).toBe('in-progress'), 10_000);
  return call;
}

it('is started over REST, stopped, processed, told of, and deleted, in this order only', async () => {
  const { application, client } = on;
  const call = await liveCall();
  const started = await call.recordings.create({
    recordingChannels: 'dual',
    recordingStatusCallback: `${application.url}/recorded`,
    recordingStatusCallbackEvent: ['in-progress', 'completed'],
  });
  expect(started).toMatchObject({ status: 'in-progress', channels: 2, source: 'StartCallRecordingAPI' });
  await expect(client.recordings(started.sid).remove()).rejects.toMatchObject({ code: 20009 });
  await vi.waitFor(() => expect(application.to('/recorded')).toHaveLength(1));
  await new Promise((resolve) => setTimeout(resolve, 100));
  await call.recordings(started.sid).update({ status: 'stopped' });
  await expect(call.recordings(started.sid).update({ status: 'stopped' })).rejects.toMatchObject({
    code: 21220,
  });
  await vi.waitFor(() => expect(application.to('/recorded')).toHaveLength(2));
  const [, completed] = application.to('/recorded');
  expect(completed?.form).toMatchObject({
    RecordingSid: started.sid,
    RecordingStatus: 'completed',
    RecordingChannels: '2',
    RecordingDuration: expect.stringMatching(/^\d+$/),
  });
  expect(completed?.form).not.toHaveProperty('CallStatus');
  expect(await client.recordings.list()).toHaveLength(1);
  expect(await client.recordings(started.sid).remove()).toBe(true);
  expect(await call.recordings.list()).toEqual([]);
  await expect(client.recordings(started.sid).fetch()).rejects.toMatchObject({ code: 20404 });
});
