import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';
import { type Credential, callkiteRun, type RunOptions, searchWorkflows } from './n8n-contexts.ts';
import { listen, serve } from './server-for-tests.ts';

let server: Embedded;
let credential: Credential;
let executions = 100;

beforeAll(async () => {
  server = await startEmbedded();
  credential = { apiKey: server.liveKey, baseUrl: `${server.url}/` };
});
afterAll(() => server.stop());

const run = (parameters: RunOptions['parameters'], options: Partial<RunOptions> = {}) => {
  executions += 1;
  return callkiteRun({ credential, executionId: String(executions), ...options, parameters });
};
const call = (operation: string, parameters: Record<string, unknown> = {}) => ({
  resource: 'call',
  operation,
  additionalFields: {},
  filters: {},
  ...parameters,
});
const workflow = (value: string) => ({ __rl: true, mode: 'list', value });
const place = (recipientPhone: string, additionalFields: Record<string, unknown> = {}) =>
  call('place', { recipientPhone, workflowId: workflow(server.workflowId), additionalFields });
const placeFromPrompt = (recipientPhone: string, parameters: Record<string, unknown> = {}) =>
  call('placeFromPrompt', {
    recipientPhone,
    prompt: 'Ask Jordan whether Tuesday at 3 pm suits.',
    ...parameters,
  });

/** What the phone network saw for this number. */
const rings = (number: string) => server.twilioEmulator.calls().filter(({ to }) => to === number).length;
const dialed = (number: string) => eventually(`a call to ${number}`, () => rings(number) > 0);
/** Every accepted call is over, so that no ring can still come. */
const allOver = () =>
  eventually('the end of all calls', async () => {
    const { calls } = (await (await server.request('GET', '/calls?limit=100')).json()) as {
      calls: { state: string }[];
    };
    return calls.every(({ state }) => state === 'completed');
  });
const failureOf = async (running: Promise<unknown>) =>
  running.then(
    () => expect.unreachable('it should have failed'),
    (failure: { message: string; description: string; httpCode?: string; context: { itemIndex?: number } }) =>
      failure,
  );

describe('Call: Place', () => {
  it('places a call with what it was given', async () => {
    const [item] = await run(
      place('+12025550140', {
        recipient_name: 'Jordan Avery',
        recipient_email: 'jordan@example.com',
        recipient_context: { appointment: 'Tuesday at 3 pm' },
      }),
    ).try();
    expect(item).toMatchObject({ json: { success: true }, pairedItem: { item: 0 } });
    await dialed('+12025550140');
    const { calls } = (await (await server.request('GET', '/calls?to=%2B12025550140')).json()) as {
      calls: unknown[];
    };
    expect(calls).toMatchObject([
      {
        call_id: item?.json.call_id,
        workflow_id: server.workflowId,
        recipient_name: 'Jordan Avery',
        recipient_email: 'jordan@example.com',
        recipient_context: '{"appointment":"Tuesday at 3 pm"}',
      },
    ]);
  });

  it('rings once per item however often it is tried, also without what n8n remembers of the try before', async () => {
    const numbers = ['+12025550141', '+12025550142'];
    const parameters = (itemIndex: number) => place(numbers[itemIndex] ?? '');
    const options = { items: numbers.map((number) => ({ number })), executionId: 'retried' };
    const first = run(parameters, options);
    const placed = await first.try();
    expect(placed[0]?.json.call_id).toMatch(/^call_/);
    expect(await first.try()).toEqual(placed);
    expect(await run(parameters, options).try()).toEqual(placed);
    await allOver();
    expect(numbers.map(rings)).toEqual([1, 1]);
  });

  it('repeats no item that went well when another one fails', async () => {
    const failing = run((itemIndex) => place(itemIndex === 0 ? '+12025550143' : '12025550143'), {
      items: [{}, {}],
    });
    for (let tries = 0; tries < 3; tries += 1) {
      expect((await failureOf(failing.try())).context.itemIndex).toBe(1);
    }
    await allOver();
    expect(rings('+12025550143')).toBe(1);
  });

  it('rings again in another execution', async () => {
    await run(place('+12025550144')).try();
    await run(place('+12025550144')).try();
    await eventually('the second ring', () => rings('+12025550144') === 2);
  });

  it('uses the idempotency key it is given', async () => {
    await run(place('+12025550145', { idempotency_key: 'appointment 7' })).try();
    await run(place('+12025550145', { idempotency_key: 'appointment 7' })).try();
    await allOver();
    expect(rings('+12025550145')).toBe(1);
  });

  it('lets an agent call several people in one run, and nobody twice', async () => {
    const tool = { asTool: true, executionId: 'agent' };
    for (const number of ['+12025550146', '+12025550147', '+12025550146'])
      await run(place(number), tool).try();
    await allOver();
    expect(['+12025550146', '+12025550147'].map(rings)).toEqual([1, 1]);
  });
});

describe('what the server refuses', () => {
  it('reaches the user in its own words, with the field, the item and what to do next', async () => {
    const failure = await failureOf(
      run(place('+12025550148', { recipient_email: 'jordan' }), { items: [{}] }).try(),
    );
    expect(failure).toMatchObject({
      message: 'Validation failed',
      httpCode: '400',
      context: { itemIndex: 0 },
    });
    expect(failure.description).toMatch(/^recipient_email: .+<br>Correct these fields/);
  });

  it.each([
    ['a number without +', () => place('12025550100'), '400', 'with + and country code'],
    [
      'an unknown workflow',
      () => ({ ...place('+12025550100'), workflowId: workflow('wf_none') }),
      '404',
      'Check the ID',
    ],
    ['an unknown call', () => call('get', { callId: 'call_none' }), '404', 'Check the ID'],
  ])('says what to do about %s', async (_what, parameters, httpCode, nextStep) => {
    const failure = await failureOf(run(parameters()).try());
    expect(failure).toMatchObject({ httpCode, description: expect.stringContaining(nextStep) });
  });

  it('names the credential when the key is wrong, and the base URL when it leads elsewhere', async () => {
    const wrongKey = await failureOf(
      run(call('get', { callId: 'call_1' }), { credential: { ...credential, apiKey: 'ck_live_no' } }).try(),
    );
    expect(wrongKey).toMatchObject({ httpCode: '401', description: expect.stringContaining('API Key') });
    const page = await listen((_request, response) => response.end('<h1>Welcome</h1>'));
    const wrongServer = await failureOf(
      run(place('+12025550100'), { credential: { ...credential, baseUrl: page.url } }).try(),
    );
    await page.close();
    expect(wrongServer).toMatchObject({ message: expect.stringContaining('not a Callkite server') });
  });

  it('becomes an item beside the others with Continue On Fail', async () => {
    const items = await run((itemIndex) => place(itemIndex === 0 ? 'nobody' : '+12025550149'), {
      items: [{}, {}],
      continueOnFail: true,
    }).try();
    expect(items).toMatchObject([
      { json: { error: expect.stringContaining('E.164') }, pairedItem: { item: 0 } },
      { json: { success: true }, pairedItem: { item: 1 } },
    ]);
  });

  it('asks for a field that an expression left empty', async () => {
    const failure = await failureOf(run(place('')).try());
    expect(failure).toMatchObject({ message: 'Recipient Phone is empty', context: { itemIndex: 0 } });
  });
});

describe('429', () => {
  /** The real server behind something that first answers with 429. */
  async function behindLimit(refusals: number, retryAfter: string) {
    let left = refusals;
    const limited = await listen(async (request, response) => {
      if (left > 0) {
        left -= 1;
        response.writeHead(429, {
          'content-type': 'application/json',
          'retry-after': retryAfter,
          'callkite-error-code': 'rate_limited',
        });
        response.end('{"error":"Too many requests"}');
        return;
      }
      const answer = await fetch(`${server.url}${request.url}`, {
        headers: { authorization: String(request.headers.authorization) },
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    return { ...limited, left: () => left };
  }
  const list = { resource: 'workflow', operation: 'getMany', returnAll: true };

  it('is waited out as Retry-After says', async () => {
    const limited = await behindLimit(1, '1');
    const startedAt = Date.now();
    const items = await run(list, { credential: { ...credential, baseUrl: limited.url } }).try();
    await limited.close();
    expect(items).toEqual([
      { json: { id: server.workflowId, name: 'Appointment reminder' }, pairedItem: { item: 0 } },
    ]);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1000);
  });

  it.each([
    ['three times at most', 10, '0', 6],
    ['not at all when it would take too long', 10, '600', 9],
  ])('is waited out %s', async (_what, refusals, retryAfter, left) => {
    const limited = await behindLimit(refusals, retryAfter);
    const failure = await failureOf(run(list, { credential: { ...credential, baseUrl: limited.url } }).try());
    await limited.close();
    expect(failure).toMatchObject({
      httpCode: '429',
      description: expect.stringContaining('Loop Over Items'),
    });
    expect(limited.left()).toBe(left);
  });
});

describe('Call: Place From Prompt', () => {
  it('places a call and has the result posted to the address it is given', async () => {
    const received: { authorization: string | undefined; body: string }[] = [];
    const receiver = await serve(async ({ headers, body }) => {
      received.push({ authorization: headers.authorization, body: String(body) });
      return { status: 200, body: null };
    });
    const [item] = await run(
      placeFromPrompt('+12025550150', {
        additionalFields: { callback_url: `${receiver.url}/results`, callback_secret: 'only we know' },
      }),
    ).try();
    const { authorization, body } = await eventually('the callback', () => received[0]);
    await receiver.close();
    expect(authorization).toBe('Bearer only we know');
    expect(JSON.parse(body)).toMatchObject({ call_id: item?.json.call_id, call_status: 'success' });
  });

  it('waits for the result, which resumes the execution through its own address', async () => {
    const outcomes: unknown[] = [];
    const n8n = await serve(async ({ headers, body }) => {
      const result = await waiting.resume(headers, JSON.parse(String(body)));
      outcomes.push(result);
      return result;
    });
    const waiting = run(placeFromPrompt('+12025550102', { waitForResult: true, waitLimitMinutes: 5 }), {
      items: [{ row: 7 }],
      resumeUrl: `${n8n.url}/webhook-waiting/1?signature=abc`,
    });
    const [item] = await waiting.try();
    const callId = item?.json.call_id;
    expect(waiting.waitTill()?.getTime()).toBeGreaterThan(Date.now() + 4 * 60_000);
    // What n8n continues with when the limit passes.
    expect(waiting.items[0]?.json).toMatchObject({ row: 7, call_id: callId, result_received: false });

    expect(await eventually('the result', () => outcomes[0])).toMatchObject({
      status: 200,
      items: [
        { call_id: callId, call_status: 'success', provider_status: 'completed', result_received: true },
      ],
    });
    await n8n.close();
  });

  it('is resumed by nobody else, and by no other call', async () => {
    const secrets: string[] = [];
    const n8n = await serve(async ({ headers }) => {
      secrets.push(String(headers.authorization));
      return { status: 200, body: null };
    });
    const waiting = run(placeFromPrompt('+12025550111', { waitForResult: true, waitLimitMinutes: 5 }), {
      resumeUrl: n8n.url,
    });
    const [item] = await waiting.try();
    const authorization = await eventually('the callback', () => secrets[0]);
    await n8n.close();
    const result = { call_id: item?.json.call_id, call_status: 'not_picked_up' };
    expect(await waiting.resume({}, result)).toMatchObject({ status: 401, items: [] });
    expect(await waiting.resume({ authorization: 'Bearer guess' }, result)).toMatchObject({ status: 401 });
    expect(await waiting.resume({ authorization }, { ...result, call_id: 'call_before' })).toMatchObject({
      status: 409,
      items: [],
    });
    expect(await waiting.resume({ authorization }, result)).toMatchObject({ status: 200, items: [result] });
  });

  it.each([
    ['several items', { items: [{}, {}] }, {}, 'one item per run'],
    ['an agent', { asTool: true }, {}, 'agent cannot wait'],
    ['no limit', {}, { waitLimitMinutes: 0 }, 'between 1 and 10080'],
    [
      'a callback of its own',
      {},
      { additionalFields: { callback_url: 'https://example.com' } },
      'cannot be combined',
    ],
  ])('does not wait with %s', async (_what, options, parameters, message) => {
    const failure = await failureOf(
      run(
        placeFromPrompt('+12025550151', { waitForResult: true, waitLimitMinutes: 5, ...parameters }),
        options,
      ).try(),
    );
    expect(failure.message).toContain(message);
    expect(rings('+12025550151')).toBe(0);
  });
});

describe('looking at calls', () => {
  it('gets a call with its result', async () => {
    const [placed] = await run(placeFromPrompt('+12025550110')).try();
    const callId = placed?.json.call_id;
    const got = await eventually('the end of the call', async () => {
      const [item] = await run(call('get', { callId })).try();
      return item?.json.state === 'completed' && item.json.call_summary ? item.json : null;
    });
    expect(got).toMatchObject({ call_status: 'not_picked_up', provider_status: 'no-answer', messages: [] });
  });

  it('lists calls up to a limit, or all over several pages, with filters', async () => {
    for (let index = 0; index < 3; index += 1) await run(place('+12025550152')).try();
    const list = (parameters: Record<string, unknown>) =>
      run(call('getMany', { returnAll: false, limit: 50, ...parameters })).try();
    expect(await list({ limit: 2 })).toHaveLength(2);
    expect(await list({ filters: { to: '+12025550152', workflow_id: server.workflowId } })).toHaveLength(3);
    for (let index = 0; index < 100; index += 1) {
      await server.request('POST', '/call', {
        recipient_phone: '+12025550153',
        workflow_id: server.workflowId,
      });
    }
    const all = await list({ returnAll: true });
    expect(all.length).toBeGreaterThan(103);
    expect(new Set(all.map(({ json }) => json.call_id)).size).toBe(all.length);
    expect(await list({ limit: 101 })).toHaveLength(101);
  });

  it('takes dates as n8n gives them', async () => {
    const list = (filters: Record<string, unknown>) =>
      run(call('getMany', { returnAll: false, limit: 1, filters })).try();
    const local = (hours: number) =>
      new Date(Date.now() + hours * 3_600_000)
        .toLocaleString('sv', { timeZone: 'America/New_York' })
        .replace(' ', 'T');
    expect(await list({ created_after: local(-1) })).toHaveLength(1);
    expect(await list({ created_after: local(1) })).toHaveLength(0);
    expect(await list({ created_before: new Date(Date.now() - 3_600_000).toISOString() })).toHaveLength(0);
    expect((await failureOf(list({ created_after: 'soon' }))).message).toBe('soon is not a date and time');
  });

  it('cancels a call', async () => {
    const [placed] = await run(placeFromPrompt('+12025550101')).try();
    const callId = placed?.json.call_id;
    const [item] = await run(call('cancel', { callId })).try();
    expect(item?.json).toMatchObject({ call_id: callId, cancel_requested: true });
  });
});

describe('Workflow', () => {
  it('gets one and many', async () => {
    const [item] = await run({
      resource: 'workflow',
      operation: 'get',
      workflowId: workflow(server.workflowId),
    }).try();
    expect(item?.json).toMatchObject({
      id: server.workflowId,
      version: 1,
      definition: { language: 'en-US' },
    });
  });

  it('is searched by name and by id', async () => {
    const found = { results: [{ name: 'Appointment reminder', value: server.workflowId }] };
    expect(await searchWorkflows(credential, 'REMINDER')).toEqual(found);
    expect(await searchWorkflows(credential, server.workflowId)).toEqual(found);
    expect(await searchWorkflows(credential, 'no such name')).toEqual({ results: [] });
  });

  it('is not offered where it was made for a single prompt', async () => {
    const prompt = { prompt: 'Ask whether the bakery is open', recipient_phone: '+12025550102' };
    expect((await server.request('POST', '/call-prompt', prompt)).status).toBe(200);
    const all = (await (await server.request('GET', '/workflows')).json()) as { workflows: { id: string }[] };
    const { results } = await searchWorkflows(credential, '');
    expect(results.length).toBeGreaterThan(0);
    expect(all.workflows.length).toBeGreaterThan(results.length);
  });
});

it('is told to choose again when the operation is not known', async () => {
  const failure = await failureOf(run({ resource: 'call', operation: 'hangUp' }).try());
  expect(failure.description).toContain('Choose Resource and Operation again');
});
