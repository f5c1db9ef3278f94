import { builtInAccounts, type CalleeLine, defineCallee } from '@callkite/twilio-emulator';
import { expect } from 'vitest';
import { type Embedded, type EmbeddedOptions, eventually, startEmbedded } from '../embedded.ts';

export interface RecordedCall {
  call_id: string;
  state: string;
  reason: string | null;
  call_summary: string | null;
  recording_url: string | null;
  recording_consent: string | null;
  messages: { role: string; content: string }[];
}

export interface CarrierRecord {
  sid: string;
  call_sid: string;
  status: string;
  source: string;
}

interface Recording {
  mode: 'off' | 'announce' | 'ask';
  retentionDays?: number;
}

export interface Stage extends Embedded {
  /** Places a call of a workflow with this recording, to the callee of the test. */
  call(
    recording: Recording,
    options?: { silenceSeconds?: number; to?: string; webhooks?: string[] },
  ): Promise<string>;
  get(callId: string): Promise<RecordedCall>;
  finished(callId: string): Promise<RecordedCall>;
  /** What the agent has said on any call. */
  spoken(): string[];
  /** What the carrier has recorded. */
  recordings(): Promise<CarrierRecord[]>;
}

const calleeNumber = '+12025550160';
/** The same callee where everybody on the line has to agree to a recording. */
export const californianNumber = '+14155550160';

/** A Callkite, and a callee who does as the test says. */
export async function startStage(
  converse: (line: CalleeLine) => Promise<void>,
  options: EmbeddedOptions = {},
): Promise<Stage> {
  const callee = defineCallee({
    name: 'own',
    description: 'of the test',
    numbers: [calleeNumber, californianNumber],
    converse,
  });
  const embedded = await startEmbedded({
    ...options,
    emulator: { ...options.emulator, callees: [callee] },
  });
  const { sid, authToken } = builtInAccounts.approved;
  const get = async (callId: string) =>
    (await (await embedded.request('GET', `/calls/${callId}`)).json()) as RecordedCall;

  return {
    ...embedded,
    async call(recording, { silenceSeconds = 8, to = calleeNumber, webhooks = [] } = {}) {
      const { id } = await embedded.callkite.workflows.create(
        { organizationId: embedded.organizationId, mode: 'live' },
        {
          name: 'Recorded',
          definition: {
            objective:
              'Remind the recipient of the appointment on Tuesday at 3 pm and ask whether they will come.',
            steps: [{ title: 'Confirm', instruction: 'Ask whether Tuesday at 3 pm still suits them.' }],
            recording,
            endRules: { silenceSeconds },
            metadata: { webhooks },
          },
        },
      );
      const placed = await embedded.request('POST', '/call', { workflow_id: id, recipient_phone: to });
      expect(placed.status).toBe(200);
      return placed.headers.get('callkite-call-id') ?? '';
    },
    get,
    finished: (callId) =>
      eventually(
        'the result',
        async () => {
          const call = await get(callId);
          return call.call_summary === null ? null : call;
        },
        60_000,
      ),
    spoken: () =>
      embedded.events.flatMap((event) =>
        event.type === 'call.spoken' && event.role === 'assistant' ? [event.content] : [],
      ),
    async recordings() {
      const authorization = `Basic ${btoa(`${sid}:${authToken}`)}`;
      const path = `/2010-04-01/Accounts/${sid}/Recordings.json`;
      const response = await fetch(`${embedded.twilioEmulator.url}${path}`, { headers: { authorization } });
      return ((await response.json()) as { recordings: CarrierRecord[] }).recordings;
    },
  };
}
