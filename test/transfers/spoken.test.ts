import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { heardBy, outcomesOf, people, startTransferStage, type TransferStage } from './stage.ts';

const { busy, pressesOne } = people;
// Calls take their time.
vi.setConfig({ testTimeout: 120_000 });

let stage: TransferStage;
beforeAll(async () => {
  stage = await startTransferStage({ speed: 4, callkite: { voiceMode: 'realtime' } });
});
afterAll(() => stage.stop());

it('a speech model hands its callee over', async () => {
  const { transfer, legs, parent } = await stage.run({ phone_number: busy, fallback_numbers: [pressesOne] });
  expect(parent.mediaStreams).toHaveLength(1);
  expect(parent.relaySessions).toEqual([]);
  expect(outcomesOf(transfer)).toEqual([
    [busy, 'static', 'busy'],
    [pressesOne, 'fallback', 'connected'],
  ]);
  expect(legs.map(({ to }) => to)).toEqual([busy, pressesOne]);
  expect(heardBy(legs[1])[0]).toContain('I have a caller for you.');
});

it('a speech model takes its callee back, and a message', async () => {
  const { transfer, call, parent } = await stage.run({ phone_number: busy });
  expect(parent.mediaStreams).toHaveLength(2);
  expect(transfer).toMatchObject({ outcome: 'busy', message: expect.stringMatching(/order/i) });
  expect(call.messages.map(({ content }) => content).join(' ')).toContain(
    'no one is available to take your call',
  );
});
