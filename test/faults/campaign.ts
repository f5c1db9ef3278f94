import { randomBytes } from 'node:crypto';
import { type CallRecord, createCallkite } from '@callkite/core';
import { openAi } from '@callkite/openai';
import { startOpenAiEmulator } from '@callkite/openai-emulator';
import { postgres } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import { builtInAccounts, type EmulatorOptions, startTwilioEmulator } from '@callkite/twilio-emulator';
import pg from 'pg';
import { eventually } from '../embedded.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { startBalancer } from './balancer.ts';
import { fictionalNumber } from './fictional-number.ts';
import { type Received, startReceiver } from './receiver.ts';
import { ServerNode } from './server-node.ts';

export interface CampaignOptions {
  calls: number;
  /** Server processes that share the database. */
  nodes: number;
  /** Mean time between two kills; 0 kills nobody. */
  killEveryMs: number;
  /** Requests for calls, per second. */
  requestsPerSecond: number;
  callsPerSecond: number;
  /** What the emulated carrier does wrong. */
  faults: NonNullable<EmulatorOptions['faults']>;
  /** Share of webhook answers that are 500. */
  failingReceiver: number;
  seed: number;
  /** After the last request was accepted. */
  patienceMs: number;
  log(line: string): void;
}

/** What the campaign found; empty lists are what is hoped for. */
export interface CampaignReport {
  accepted: number;
  kills: number;
  /** Create requests the carrier took and did not answer properly. */
  ambiguousCreates: number;
  rangTwice: string[];
  /** Calls accepted with a 200 that never ended. */
  neverEnded: string[];
  /** Calls whose result contradicts the carrier's own record, which knows nothing of agents. */
  wrongResult: string[];
  /** Requests repeated with one idempotency key that made two calls. */
  duplicatedAcceptance: string[];
  withoutWebhook: string[];
  /** Copies of one webhook that differ in their bytes. */
  differingCopies: string[];
  callbackTwice: string[];
  /** Most starts allowed by the dispatcher in any one second. */
  mostStartsInASecond: number;
  outcomes: Record<string, number>;
  seconds: number;
}

const operatorToken = 'operator-token-of-the-campaign';

/** Real server processes on one Postgres, killed at random under load, against a carrier that lies; the carrier's log judges. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const startedAt = Date.now();
  const random = seededRandom(options.seed);
  const database = await startPostgres();
  // Not one of the network that a server brings: of those it lets go when it is given a carrier.
  const account = { ...builtInAccounts.approved, sid: `AC${'7'.repeat(32)}`, callsPerSecond: 1_000 };
  const carrier = await startTwilioEmulator({
    accounts: [account],
    speed: 40,
    allowInsecureLoopback: true,
    faults: options.faults,
    seed: options.seed,
    transcripts: false,
  });
  const model = await startOpenAiEmulator();
  const receiver = await startReceiver(options.failingReceiver);
  const balancer = await startBalancer();
  const secretKey = randomBytes(32).toString('base64');

  const control = createCallkite({
    storage: postgres({ connectionString: database.url }),
    telephony: twilio({ publicUrl: balancer.url, apiBaseUrl: carrier.url, allowInsecure: true }),
    languageModel: openAi({ apiKey: 'emulated', baseURL: model.url }),
    publicUrl: balancer.url,
    secretKey,
    allowPrivateCallbacks: true,
    runWorkers: false,
  });
  await control.start();
  const { key, organizationId, workflowId } = await furnish(control, account, options, receiver.url);

  const nodes: ServerNode[] = [];
  for (let index = 0; index < options.nodes; index += 1) {
    nodes.push(
      new ServerNode(balancer.targets, {
        DATABASE_URL: database.url,
        PUBLIC_URL: balancer.url,
        TWILIO_API_BASE_URL: carrier.url,
        OPENAI_BASE_URL: model.url,
        OPENAI_API_KEY: 'emulated',
        CALLKITE_SECRET_KEY: secretKey,
        CALLKITE_OPERATOR_TOKEN: operatorToken,
        CALLKITE_ALLOW_PRIVATE_CALLBACKS: '1',
        CALLKITE_CONFIRMATION_SECONDS: '20',
        CALLKITE_DEMO: '0',
        REQUESTS_PER_MINUTE: '1000000',
        CALLKITE_DAILY_CALL_MINUTES: 'unlimited',
        LOG_LEVEL: 'error',
      }),
    );
  }
  await Promise.all(nodes.map((node) => node.start()));

  let kills = 0;
  let killing = options.killEveryMs > 0;
  const killer = (async () => {
    while (killing) {
      await sleep(options.killEveryMs * (0.5 + random()));
      if (!killing) break;
      const victim = nodes[Math.floor(random() * nodes.length)];
      if (!victim?.running) continue;
      kills += 1;
      await victim.kill();
      void victim.start();
    }
  })();

  const accepted = new Map<string, string>();
  const duplicatedAcceptance: string[] = [];
  const requests: Promise<void>[] = [];
  for (let index = 0; index < options.calls; index += 1) {
    requests.push(request(index));
    await sleep(1000 / options.requestsPerSecond);
  }
  await Promise.all(requests);
  options.log(`${accepted.size} calls accepted, ${kills} kills so far`);

  async function request(index: number): Promise<void> {
    const to = fictionalNumber(index);
    const byPrompt = index % 2 === 1;
    const idempotencyKey = `campaign-${index}`;
    const body = byPrompt
      ? {
          prompt: 'Ask whether the table for two at eight is still wanted.',
          recipient_phone: to,
          callback_url: `${receiver.url}/callback`,
          idempotency_key: idempotencyKey,
        }
      : { workflow_id: workflowId, recipient_phone: to, idempotency_key: idempotencyKey };
    for (;;) {
      try {
        const response = await fetch(`${balancer.url}${byPrompt ? '/call-prompt' : '/call'}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(10_000),
        });
        const answer = await response.text();
        if (response.status === 200) {
          const earlier = accepted.get(to);
          if (earlier !== undefined && earlier !== answer) duplicatedAcceptance.push(idempotencyKey);
          accepted.set(to, answer);
          // A nervous client repeats a request that was answered.
          if (earlier !== undefined || random() > 0.2) return;
        } else if (response.status < 500) {
          throw new Error(`unexpected ${response.status}: ${answer}`);
        }
      } catch (error) {
        if (error instanceof Error && error.message.startsWith('unexpected')) throw error;
      }
      await sleep(100);
    }
  }

  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined);
  const openCalls = async () =>
    Number(
      (await pool.query("select count(*) from callkite.calls where state <> 'completed'")).rows[0]?.count,
    );
  const openWork = async () =>
    Number((await pool.query('select count(*) from callkite.jobs where buried_at is null')).rows[0]?.count);
  await eventually('the end of every call', async () => (await openCalls()) === 0, options.patienceMs).catch(
    (error: unknown) => options.log(String(error)),
  );
  killing = false;
  await killer;
  await eventually('the end of all work', async () => (await openWork()) === 0, 90_000).catch(
    (error: unknown) => options.log(String(error)),
  );

  const calls = await allCalls(control, organizationId);
  const starts = (await pool.query('select intent_at from callkite.attempts order by intent_at')).rows.map(
    (row: { intent_at: Date }) => row.intent_at.getTime(),
  );
  const report: CampaignReport = {
    accepted: accepted.size,
    kills,
    ...judge(calls, carrier.calls(), receiver.received),
    duplicatedAcceptance,
    mostStartsInASecond: mostWithin(starts, 1000),
    seconds: Math.round((Date.now() - startedAt) / 1000),
  };
  for (const to of accepted.keys()) {
    if (!calls.some((call) => call.to === to)) report.neverEnded.push(`${to} is not on record`);
  }

  await Promise.all(nodes.map((node) => node.kill()));
  await pool.end();
  await control.stop({ drainMs: 0 });
  await balancer.close();
  await receiver.close();
  await carrier.close();
  await model.close();
  await database.stop();
  return report;
}

async function furnish(
  control: ReturnType<typeof createCallkite>,
  account: { sid: string; authToken: string; phoneNumbers: readonly string[] },
  options: CampaignOptions,
  receiverUrl: string,
) {
  const organization = await control.organizations.create({ name: 'Riverside Dental' });
  const connection = await control.organizations.connectCarrier(
    { organizationId: organization.id, mode: 'live' },
    {
      accountId: account.sid,
      secret: account.authToken,
      callsPerSecond: options.callsPerSecond,
    },
  );
  const [number] = account.phoneNumbers;
  if (!number) throw new Error('the account has no number');
  await control.organizations.connectNumber(
    { organizationId: organization.id, mode: 'live' },
    connection.id,
    number,
  );
  const { integration } = await control.webhooks.createIntegration(
    { organizationId: organization.id, mode: 'live' },
    {
      name: 'results',
      url: `${receiverUrl}/webhook`,
    },
  );
  const workflow = await control.workflows.create(
    { organizationId: organization.id, mode: 'live' },
    {
      name: 'Reminder',
      definition: {
        objective: 'Remind the recipient of the appointment on Tuesday at 3 pm.',
        steps: [{ title: 'Confirm', instruction: 'Ask whether Tuesday at 3 pm still suits them.' }],
        metadata: { webhooks: [integration.id] },
      },
    },
  );
  const { key } = await control.organizations.createApiKey(organization.id, {
    mode: 'live',
    name: 'campaign',
  });
  return { key, organizationId: organization.id, workflowId: workflow.id };
}

type CarrierRecord = ReturnType<Awaited<ReturnType<typeof startTwilioEmulator>>['calls']>[number];

function judge(
  calls: readonly CallRecord[],
  carrierCalls: readonly CarrierRecord[],
  received: readonly Received[],
) {
  const carrierCallsTo = groupBy(
    carrierCalls.filter((record) => record.sid !== undefined),
    (record) => record.to,
  );
  const receivedFor = groupBy(received, (notification) => notification.callId);
  const outcomes: Record<string, number> = {};
  const found = {
    ambiguousCreates: carrierCalls.filter(
      (record) => record.sid !== undefined && record.outcome.status !== 201,
    ).length,
    rangTwice: [] as string[],
    neverEnded: [] as string[],
    wrongResult: [] as string[],
    withoutWebhook: [] as string[],
    differingCopies: [] as string[],
    callbackTwice: [] as string[],
    outcomes,
  };
  for (const [to, records] of carrierCallsTo) {
    if (records.filter((record) => record.timeline.ringingAt !== undefined).length > 1)
      found.rangTwice.push(to);
  }
  for (const call of calls) {
    if (!call.outcome) {
      found.neverEnded.push(`${call.id} is ${call.state}`);
      continue;
    }
    const { callStatus, providerStatus } = call.outcome;
    const name = `${callStatus}/${providerStatus}${call.reason ? ` (${call.reason})` : ''}`;
    outcomes[name] = (outcomes[name] ?? 0) + 1;
    const [record] = carrierCallsTo.get(call.to) ?? [];
    // To the carrier, a call whose agent was lost with its server, or never came, is like any other.
    const isWithoutAgent = call.reason === 'connection_lost' || call.reason === 'agent_unavailable';
    const isUnfinished = isWithoutAgent && callStatus === 'not_picked_up' && record?.status === 'completed';
    const expected = record && !isUnfinished ? record.status : 'failed';
    // Nobody cancels anything in a campaign.
    if (providerStatus !== expected || providerStatus === 'canceled') {
      found.wrongResult.push(`${call.id}: ${name}, at the carrier ${record?.status ?? 'not placed'}`);
    }
    const notifications = receivedFor.get(call.id) ?? [];
    if (call.origin === 'workflow') {
      if (notifications.length === 0) found.withoutWebhook.push(call.id);
      if (new Set(notifications.map(({ id, digest }) => `${id} ${digest}`)).size > 1) {
        found.differingCopies.push(call.id);
      }
    } else if (notifications.length > 1) {
      found.callbackTwice.push(call.id);
    }
  }
  return found;
}

async function allCalls(
  control: ReturnType<typeof createCallkite>,
  organizationId: string,
): Promise<CallRecord[]> {
  const calls: CallRecord[] = [];
  const caller = { organizationId, mode: 'live', keyId: 'campaign' } as const;
  let cursor: string | null = null;
  do {
    const page = await control.calls.list(caller, {}, { limit: 100, cursor });
    calls.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return calls;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function mostWithin(sortedTimes: readonly number[], windowMs: number): number {
  let most = 0;
  let first = 0;
  for (const [index, time] of sortedTimes.entries()) {
    while (time - (sortedTimes[first] ?? time) >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
