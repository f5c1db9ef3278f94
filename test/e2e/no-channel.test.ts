import { expect, it } from 'vitest';
import { eventually, type Mount, nodeMount, startEmbedded } from '../embedded.ts';

/** Takes requests, and no conversation: as behind a proxy that lets no WebSocket through. */
const withoutSockets: Mount = (callkite, port) => {
  const upgrade = async () => ({ refuse: { status: 503, headers: {}, body: null } });
  return nodeMount({ ...callkite, carriers: { ...callkite.carriers, upgrade } }, port);
};

it.each(['relay', 'realtime'] as const)(
  'who is called by an agent that cannot speak (%s) hears at least who it was',
  async (voiceMode) => {
    const to = '+12025550100';
    const embedded = await startEmbedded({ mount: withoutSockets, callkite: { voiceMode } });
    const placed = await embedded.request('POST', '/call', {
      workflow_id: embedded.workflowId,
      recipient_phone: to,
    });
    const callId = placed.headers.get('callkite-call-id');
    const { call } = await eventually('the result', async () => {
      const found = await embedded.callkite.calls.get(
        { organizationId: embedded.organizationId, mode: 'live' },
        callId ?? '',
      );
      return found.call.summary === null ? null : found;
    });
    const lines = embedded.twilioEmulator.calls();
    await embedded.stop();
    expect(call.reason).toBe('agent_unavailable');
    expect(call.outcome).toEqual({ callStatus: 'not_picked_up', providerStatus: 'failed' });
    expect(lines).toHaveLength(1);
    const heard = lines[0]?.transcript.filter(({ speaker }) => speaker === 'agent').map(({ text }) => text);
    expect(heard?.join(' ')).toMatch(
      /^Hello, I am an AI assistant calling on behalf of .* technical problem/,
    );
  },
);
