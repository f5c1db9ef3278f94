import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { call } from '../../agent/testing/stage.ts';
import type { AttemptRecord, ReportResult } from '../../calls/call-store.ts';
import type { CallChannel, CalleeEvent } from '../../calls/speech.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { channelAdmission } from './channel-admission.ts';

const attempt: AttemptRecord = {
  id: 'att_1',
  callId: call.id,
  organizationId: 'org_1',
  connectionId: 'con_1',
  from: '+12025550100',
  to: '+12025550123',
  state: 'placed',
  providerCallId: 'CA1',
  intentAt: new Date(0),
  ageMs: 0,
  fruitlessLooks: 0,
};
const ready = (providerCallId: string): CalleeEvent => ({ type: 'ready', providerCallId, sessionId: 'VX1' });

/** A channel that was opened for the attempt. */
function stage(over: Partial<AttemptRecord> = {}, told: ReportResult['result'] = 'applied') {
  const did: string[] = [];
  const heard: CalleeEvent[] = [];
  let hear: (event: CalleeEvent) => void = () => {};
  let admitted: CallChannel | null = null;
  const admit = channelAdmission({
    calls: {
      getAttempt: async () => ({ ...attempt, ...over }),
      async report(_, { providerCallId, status }) {
        did.push(`report ${providerCallId} ${status}`);
        return told === 'applied' ? { result: told, changed: true, call } : { result: 'ghost', call };
      },
    },
    beginConversation(callId, channel) {
      did.push(`begin ${callId}`);
      admitted = channel;
    },
    onReport: ({ result }) => did.push(result),
    logger: silentLogger,
  });
  const opened: CallChannel = {
    kind: 'words',
    channel: {
      listen(listener) {
        hear = listener;
      },
      speak: (text) => did.push(`speak ${text}`),
      speakIn: () => {},
      pressDigits: () => {},
      end: () => did.push('end'),
      close: () => did.push('close'),
    },
  };
  const admission = admit(attempt, opened, { say: async () => {} });
  return {
    did,
    heard,
    hear: (event: CalleeEvent) => hear(event),
    settled: admission,
    listen() {
      if (admitted?.kind !== 'words') throw new Error('no conversation has begun');
      admitted.channel.listen((event) => heard.push(event));
      admitted.channel.speak('Hello.', { last: true, interruptible: true });
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a speech channel', () => {
  it('of the call that the attempt is bound to begins the conversation, and loses nothing said before', async () => {
    const { did, heard, hear, settled, listen } = stage();
    const early: CalleeEvent = { type: 'said', text: 'Hello?', language: 'en-US' };
    hear(ready('CA1'));
    hear(early);
    await settled;
    listen();
    hear({ type: 'closed' });
    expect(did).toEqual([`begin ${call.id}`, 'speak Hello.']);
    expect(heard).toEqual([ready('CA1'), early, { type: 'closed' }]);
  });

  it('of another carrier call is closed', async () => {
    const { did, hear, settled } = stage();
    hear(ready('CA2'));
    await settled;
    expect(did).toEqual(['close']);
  });

  it('binds an attempt whose placement is not answered yet', async () => {
    const { did, hear, settled } = stage({ state: 'intent', providerCallId: null });
    hear(ready('CA1'));
    await settled;
    expect(did).toEqual(['report CA1 in-progress', 'applied', `begin ${call.id}`]);
  });

  it('of a carrier call that nobody waits for any more is closed', async () => {
    const { did, hear, settled } = stage({ state: 'intent', providerCallId: null }, 'ghost');
    hear(ready('CA1'));
    await settled;
    expect(did).toEqual(['report CA1 in-progress', 'ghost', 'close']);
  });

  it('that names no call is closed after ten seconds, or when it is gone', async () => {
    const silent = stage();
    await vi.advanceTimersByTimeAsync(9_900);
    expect(silent.did).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    await silent.settled;
    expect(silent.did).toEqual(['close']);
    const gone = stage();
    gone.hear({ type: 'closed' });
    await gone.settled;
    expect(gone.did).toEqual(['close']);
  });
});
