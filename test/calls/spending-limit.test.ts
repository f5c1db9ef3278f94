import { randomBytes } from 'node:crypto';
import type {
  CallbackPayload,
  CallDetail,
  CallList,
  CallResource,
  OrganizationDetail,
} from '@callkite/contract';
import { type CallkiteEvent, createCallkite } from '@callkite/core';
import { serve } from '@callkite/core/node';
import { openAi } from '@callkite/openai';
import { postgres } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import { builtInAccounts, defineCallee } from '@callkite/twilio-emulator';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, eventually, freePort, startEmbedded } from '../embedded.ts';
import { fictionalNumber } from '../faults/fictional-number.ts';
import { type Receiver, startReceiver } from '../notifications/receiver.ts';
import { startPostgres, type TestPostgres } from '../postgres/start-postgres.ts';
import { message, outcomesOf, people, startTransferStage } from '../transfers/stage.ts';

const operatorToken = 'operator-token-of-the-tests';
const dayMs = 24 * 3_600_000;
const patienceMs = 40_000;
/** Tests take less time, so that none sees two days. */
const longestTestMs = 50_000;

beforeEach(async () => {
  const leftMs = dayMs - (Date.now() % dayMs);
  if (leftMs < longestTestMs) await new Promise((resolve) => setTimeout(resolve, leftMs));
});

const keepsTalking = '+13125550150';
const lastWords = 'I am sorry, I have to go. Goodbye.';
/** While they are to talk on. */
let goesOn: Promise<void>;
let letGo: () => void = () => undefined;
const talker = defineCallee({
  name: 'keeps talking',
  description: 'Talks until it may go',
  numbers: [keepsTalking],
  async converse(line) {
    let mayGo = false;
    void goesOn.then(() => {
      mayGo = true;
    });
    await line.heard();
    while (!mayGo) {
      await line.say('Wait a moment, I am looking for my calendar.');
      await line.wait(2_000);
    }
    await line.say(lastWords);
    await line.hangUp();
  },
});

async function asOperator<Answer>(url: string, method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  expect(response.status, await response.clone().text()).toBeLessThan(300);
  return (await response.json()) as Answer;
}

describe('processes on one database', { timeout: 120_000 }, () => {
  const secretKey = randomBytes(32).toString('base64');
  let database: TestPostgres;
  /** Answers requests, and leaves the work to others. */
  let front: Embedded;
  let receiver: Receiver;
  const events: CallkiteEvent[] = [];
  const running: { stop(): Promise<void> }[] = [];
  let organizations = 0;

  beforeAll(async () => {
    database = await startPostgres();
    receiver = await startReceiver();
    front = await startEmbedded({
      storage: postgres({ connectionString: database.url }),
      emulator: { callees: [talker] },
      callkite: { secretKey, runWorkers: false },
    });
  });
  afterAll(async () => {
    await front.stop();
    receiver.close();
    await database.stop();
  });

  /** The clock is the database's: what it counted is made older. */
  async function makeOlder(change: string, organizationId: string): Promise<void> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`update callkite.${change} where organization_id = $1`, [organizationId]);
    await client.end();
  }
  const letADayGoBy = (organizationId: string) => makeOlder('call_minutes set day = day - 1', organizationId);
  const letAnHourGoBy = (organizationId: string) =>
    makeOlder("dialled_prefixes set first_dialled_at = first_dialled_at - interval '1 hour'", organizationId);

  /** Another process, which dials. */
  async function startWorker(): Promise<void> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const telephony = (name: string) =>
      twilio({
        name,
        network: 'emulated',
        publicUrl: url,
        apiBaseUrl: front.twilioEmulator.url,
        allowInsecure: true,
      });
    const languageModel = openAi({ apiKey: 'emulated', baseURL: front.openAiEmulator.url });
    const callkite = createCallkite({
      storage: postgres({ connectionString: database.url }),
      telephony: telephony('twilio'),
      languageModel,
      test: { telephony: telephony('twilio-test'), languageModel },
      publicUrl: url,
      secretKey,
      allowPrivateCallbacks: true,
      onEvent: (event) => events.push(event),
    });
    const served = await serve(callkite, { port });
    await callkite.start();
    running.push({
      async stop() {
        await callkite.stop({ drainMs: 0 });
        await served.close();
      },
    });
  }

  async function withWorkers(count: number, work: () => Promise<void>): Promise<void> {
    try {
      await Promise.all(Array.from({ length: count }, startWorker));
      await work();
    } finally {
      await Promise.all(running.splice(0).map((worker) => worker.stop()));
    }
  }

  /** An organization with a limit, its lines and its keys. */
  async function createOrganization(dailyCallMinutes: number) {
    const { approved } = builtInAccounts;
    const { id } = await asOperator<OrganizationDetail>(front.url, 'POST', '/organizations', {
      name: 'Riverside Dental',
      daily_call_minutes: dailyCallMinutes,
    });
    const line = async (mode: 'live' | 'test') => {
      const connection = await front.callkite.organizations.connectCarrier(
        { organizationId: id, mode },
        {
          accountId: approved.sid,
          secret: approved.authToken,
          callsPerSecond: 50,
        },
      );
      const from = approved.phoneNumbers[2 + organizations] ?? '';
      organizations += 1;
      await front.callkite.organizations.connectNumber({ organizationId: id, mode }, connection.id, from);
      const { key } = await front.callkite.organizations.createApiKey(id, { mode, name: mode });
      return { from, headers: { authorization: `Bearer ${key}` } };
    };
    const workflow = await front.callkite.workflows.create(
      { organizationId: id, mode: 'live' },
      {
        name: 'Reminder',
        definition: {
          objective: 'Remind the recipient of the appointment on Tuesday at 3 pm.',
          steps: [{ title: 'Confirm', instruction: 'Ask whether Tuesday at 3 pm still suits them.' }],
        },
      },
    );
    const [live, test] = [await line('live'), await line('test')];
    const place = (to: string, { headers } = live) =>
      front.request('POST', '/call', { workflow_id: workflow.id, recipient_phone: to }, headers);
    const calls = async ({ headers } = live) => {
      const listed = await front.request('GET', '/calls?limit=100', undefined, headers);
      return ((await listed.json()) as CallList).calls;
    };
    return {
      id,
      live,
      test,
      place,
      calls,
      get: () => asOperator<OrganizationDetail>(front.url, 'GET', `/organizations/${id}`),
      ended: (line = live) =>
        eventually(
          'the end of all calls',
          async () => {
            const found = await calls(line);
            return found.every(({ call_summary }) => call_summary !== null) ? found : null;
          },
          patienceMs,
        ),
      dialed: () => front.twilioEmulator.calls().filter(({ from }) => from === live.from),
    };
  }

  const spent = ({ reason }: CallResource) => reason === 'spending_limit';

  it('that race for the last minutes never dial beyond them, and the next day opens again', async () => {
    const limit = 5;
    const organization = await createOrganization(limit);
    for (let index = 0; index < 14; index += 1) {
      expect((await organization.place(fictionalNumber(400 + index))).status).toBe(200);
    }
    await withWorkers(2, async () => {
      const calls = await organization.ended();
      expect(calls).toHaveLength(14);
      expect(organization.dialed()).toHaveLength(limit);
      const refused = calls.filter(spent);
      expect(refused).toHaveLength(14 - limit);
      for (const call of refused) {
        expect(call).toMatchObject({ call_status: 'not_picked_up', provider_status: 'failed' });
      }
      expect(await organization.get()).toMatchObject({
        daily_call_minutes: limit,
        call_minutes_today: limit,
      });
      const alarms = (percent: number) =>
        events.filter(
          (event) =>
            event.type === 'spending.reached' &&
            event.organizationId === organization.id &&
            event.percent === percent,
        );
      await eventually('the alarm', () => alarms(100).length > 0);
      expect(alarms(100)).toMatchObject([{ usedMinutes: limit, limitMinutes: limit }]);
      expect(alarms(80).length).toBeLessThanOrEqual(1);

      const late = await organization.place(fictionalNumber(420));
      expect(late.status).toBe(429);
      expect(late.headers.get('callkite-error-code')).toBe('spending_limit');
      const retryAfterMs = Number(late.headers.get('retry-after')) * 1000;
      expect(Math.abs(retryAfterMs - (dayMs - (Date.now() % dayMs)))).toBeLessThan(5_000);
      expect(await late.json()).toEqual({ error: expect.stringContaining('call minutes') });

      expect((await organization.place(fictionalNumber(421), organization.test)).status).toBe(200);
      expect(await organization.ended(organization.test)).toMatchObject([{ call_status: 'success' }]);
      expect((await organization.get()).call_minutes_today).toBe(limit);

      await letADayGoBy(organization.id);
      expect((await organization.get()).call_minutes_today).toBe(0);
      expect((await organization.place(fictionalNumber(420))).status).toBe(200);
      expect((await organization.ended())[0]).toMatchObject({ call_status: 'success', reason: null });
      expect((await organization.get()).call_minutes_today).toBe(1);
    });
  });

  it('raise one alarm when calls suddenly go where none ever went', async () => {
    const organization = await createOrganization(1_000);
    const alarms = () =>
      events.flatMap((event) =>
        event.type === 'velocity.reached' && event.organizationId === organization.id
          ? [{ prefix: event.prefix, dials: event.dials }]
          : [],
      );
    const placeAll = async (first: number, count: number) => {
      for (let index = first; index < first + count; index += 1) {
        expect((await organization.place(fictionalNumber(index))).status).toBe(200);
      }
    };
    await withWorkers(2, async () => {
      await placeAll(1_000, 10);
      await organization.ended();
      await letAnHourGoBy(organization.id);
      await placeAll(1_010, 15);
      await organization.ended();
      expect(alarms()).toEqual([]);
      await placeAll(1_100, 24);
      await organization.ended();
      expect(alarms()).toEqual([{ prefix: fictionalNumber(1_100).slice(0, -4), dials: 20 }]);
    });
  });

  it('leave a call that talks alone, and tell why another was not placed', async () => {
    goesOn = new Promise((resolve) => {
      letGo = resolve;
    });
    const organization = await createOrganization(1);
    expect((await organization.place(keepsTalking)).status).toBe(200);
    const prompted = await front.request(
      'POST',
      '/call-prompt',
      {
        prompt: 'Ask whether they are open on Monday.',
        recipient_phone: fictionalNumber(430),
        callback_url: receiver.url,
      },
      organization.live.headers,
    );
    expect(prompted.status).toBe(200);
    const { call_id: callId } = (await prompted.json()) as { call_id: string };
    await withWorkers(1, async () => {
      const request = await eventually('the callback', () => receiver.requests[0], patienceMs);
      const payload = JSON.parse(request.body) as CallbackPayload;
      expect(payload).toMatchObject({
        call_id: callId,
        call_status: 'not_picked_up',
        provider_status: 'failed',
        call_summary: expect.stringContaining('call minutes of the day'),
        messages: [],
      });
      await eventually('an answer', async () =>
        (await organization.calls()).some(({ state }) => state === 'in_progress'),
      );
      await asOperator(front.url, 'PATCH', `/organizations/${organization.id}`, { name: 'Riverside' });
      const stillSpent = await organization.place(fictionalNumber(431));
      expect(stillSpent.headers.get('callkite-error-code')).toBe('spending_limit');
      letGo();
      const [ended, talked] = await organization.ended();
      expect(ended).toMatchObject({ call_id: callId, reason: 'spending_limit' });
      expect(talked).toMatchObject({
        phone_number_to: keepsTalking,
        call_status: 'success',
        reason: null,
      });
      const detail = await front.request(
        'GET',
        `/calls/${talked?.call_id}`,
        undefined,
        organization.live.headers,
      );
      const { messages } = (await detail.json()) as CallDetail;
      expect(messages.map(({ content }) => content)).toContain(lastWords);
      expect(organization.dialed()).toHaveLength(1);
    });
  });
});

it('a transfer beyond the limit is refused, and the agent takes a message', { timeout: 90_000 }, async () => {
  const stage = await startTransferStage();
  try {
    const { url, organizationId } = stage.embedded;
    await asOperator(url, 'PATCH', `/organizations/${organizationId}`, { daily_call_minutes: 1 });
    const { call, legs, transfer } = await stage.run({
      phone_number: people.pressesOne,
      fallback_numbers: [people.saysYes],
    });
    expect(legs).toEqual([]);
    expect(outcomesOf(transfer)).toEqual([
      [people.pressesOne, 'static', 'not_allowed'],
      [people.saysYes, 'fallback', 'not_allowed'],
    ]);
    expect(transfer).toMatchObject({ outcome: 'not_allowed', message });
    expect(call).toMatchObject({ call_status: 'success', reason: null });
  } finally {
    await stage.stop();
  }
});
