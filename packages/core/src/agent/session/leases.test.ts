import { expect, it, vi } from 'vitest';
import { settle, stageEachTest, start, storeAway } from '../testing/stage.ts';
import { sessionLeaseMs } from './agent-sessions.ts';

stageEachTest();

const patient = { endRules: { silenceSeconds: 60 } };

it('a conversation stays this process’s for as long as it lasts', async () => {
  const prolongConversations = vi.fn(async (holders: readonly string[]) => holders);
  const { channel } = await start({ definition: patient, storage: { prolongConversations } });
  for (let leases = 0; leases < 3; leases += 1) {
    prolongConversations.mockClear();
    await vi.advanceTimersByTimeAsync(sessionLeaseMs);
    // More than once, so that one that fails is made up for in time.
    expect(prolongConversations.mock.calls.length).toBeGreaterThan(1);
    expect(prolongConversations.mock.lastCall).toEqual([[expect.stringMatching(/^conv_/)], sessionLeaseMs]);
  }
  expect(channel.did).toEqual([]);
});

it('one that is held elsewhere by now, or whose call is over, is dropped', async () => {
  const { channel, conversations } = await start({ storage: { prolongConversations: async () => [] } });
  await vi.advanceTimersByTimeAsync(sessionLeaseMs);
  expect(channel.did).toEqual(['close']);
  await settle();
  expect(conversations.active).toBe(0);
});

it('a store that is away for a moment ends none', async () => {
  let isAway = true;
  const prolongConversations = vi.fn(async (holders: readonly string[]) => {
    if (isAway) throw storeAway;
    return holders;
  });
  const { channel } = await start({ storage: { prolongConversations } });
  await vi.advanceTimersByTimeAsync(sessionLeaseMs / 2);
  expect(prolongConversations).toHaveBeenCalled();
  isAway = false;
  await vi.advanceTimersByTimeAsync(sessionLeaseMs / 2);
  expect(channel.did).toEqual([]);
});
