import { defineTool } from '@callkite/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { eventually } from '../embedded.ts';
import { callee, type Site } from './world.ts';
import { worldOfTests } from './world-of-tests.ts';

const findParking = defineTool({
  name: 'find_parking',
  description: 'Tells where the person can park.',
  input: z.object({ vehicle: z.enum(['car', 'bicycle']).nullable() }),
  handler: () => ({ place: 'behind the house' }),
});
const tests = worldOfTests({ tools: [findParking] });

const said = (site: Site, text: string | RegExp) =>
  eventually(`“${text}” in the transcript`, async () => {
    const lines = await site.lines();
    return lines.find((line) => (typeof text === 'string' ? line === text : text.test(line)));
  });
/** Types, and waits until the agent has answered. */
async function converse(site: Site, text: string): Promise<void> {
  const before = (await site.lines()).length;
  await site.type(text);
  await said(site, text);
  await eventually('an answer', async () => {
    const lines = await site.lines();
    return lines.length > before + 1 && lines.at(-1) !== text;
  });
}
/** What is used of elements in the page. */
interface Focusable {
  matches(selector: string): boolean;
}

/** Holds what is shown against what the server has on record. */
async function expectWhatWasSaid(site: Site): Promise<void> {
  const callId = await site.page.evaluate('document.querySelector("callkite-widget").callId');
  const call = await eventually('the end of the call', async () => {
    const found = (await (await tests.world.embedded.request('GET', `/calls/${callId}`)).json()) as {
      state: string;
      messages: { content: string }[];
    };
    return found.state === 'completed' && found;
  });
  expect((await site.lines()).map((line) => line.trim())).toEqual(
    call.messages.map(({ content }) => content),
  );
}

describe('a page of another origin with a strict policy', () => {
  it('loads one file before it is touched, and nothing from elsewhere ever', async () => {
    const site = await tests.visit();
    await site.launcher.waitFor();
    const fromServer = () => site.requests.filter((url) => url.startsWith(tests.world.url));
    expect(fromServer()).toEqual([`${tests.world.url}/widget/v1/widget.js`]);
    await site.enter();
    await site.type('Hello');
    await said(site, /Tuesday/);
    const known = [new URL(tests.world.url).host, new URL(site.page.url()).host];
    expect(site.requests.filter((url) => !known.includes(new URL(url).host))).toEqual([]);
    expect(site.requests.filter((url) => !/^(https?|wss?):/.test(url))).toEqual([]);
    expect(site.complaints).toEqual([]);
  });

  it('is told in its own terms, by events that bubble out of the element', async () => {
    const site = await tests.visit();
    await site.enter();
    await converse(site, 'Hello');
    await site.button('End').click();
    await site.reaches('ended');
    const names = (await site.events()).map(({ name }) => name).filter((name) => name !== 'transcript');
    expect(names).toEqual([
      ...['ready', 'open', 'consent', 'before-call', 'status', 'status', 'call-start', 'status', 'call-end'],
    ]);
    const [end] = await site.told('call-end');
    expect(end).toMatchObject({ id: expect.stringMatching(/^call_/), reason: 'visitor' });
    expect(await site.told('transcript')).toContainEqual(
      expect.objectContaining({ role: 'user', text: 'Hello', final: true }),
    );
  });

  it('may have nothing but the script', async () => {
    const site = await tests.visit({ byScript: true });
    await site.enter();
    await site.button('Start chat').click();
    await said(site, /Tuesday/);
    expect(site.complaints).toEqual([]);
  });

  it('can keep a call from beginning, and start one by itself', async () => {
    const site = await tests.visit({ attributes: 'consent="off" voice="off"' });
    const start = (prevented: boolean) =>
      site.page.evaluate(`(() => {
        const widget = document.querySelector('callkite-widget');
        addEventListener('callkite:before-call', (event) => ${prevented} && event.preventDefault(), { once: true });
        return widget.startCall({ text: 'I come from the page' });
      })()`);
    expect(await start(true)).toBeNull();
    expect(await site.status()).toBe('ready');
    expect(await start(false)).toMatch(/^call_/);
    await said(site, 'I come from the page');
  });
});

describe('talking and typing', () => {
  it.each([
    ['none', 'microphone_missing'],
    ['refused', 'microphone_denied'],
  ] as const)('goes on in writing when the microphone is %s', async (microphone, code) => {
    const site = await tests.visit({ microphone });
    await site.enter();
    await site.button('Start call').click();
    await site.reaches('live');
    expect(await site.told('error')).toMatchObject([{ code }]);
    await site.page.getByRole('alert').getByText('you can type here', { exact: false }).waitFor();
    await said(site, /Tuesday/);
    await converse(site, 'Yes, that suits me');
    await site.shoot(`microphone-${microphone}`);
    expect(site.complaints).toEqual([]);
  });

  it('says that the site keeps the microphone off', async () => {
    const site = await tests.visit({
      microphone: 'granted',
      headers: { 'permissions-policy': 'microphone=()' },
    });
    await site.enter();
    await site.button('Start call').click();
    await site.reaches('live');
    expect(await site.told('error')).toMatchObject([{ code: 'microphone_blocked_by_site' }]);
    await converse(site, 'Yes, that suits me');
  });

  it('never asks for the microphone with voice="off"', async () => {
    const site = await tests.visit({ microphone: 'granted', attributes: 'voice="off"' });
    await site.page.evaluate(
      `navigator.mediaDevices.getUserMedia = () => { throw new Error('asked for the microphone') }`,
    );
    await site.enter();
    await site.button('Start chat').click();
    await site.reaches('live');
    await converse(site, 'Yes, that suits me');
    expect(await site.told('error')).toEqual([]);
  });

  it('says first, and cannot be kept from saying, that a machine answers', async () => {
    const site = await tests.visit({ attributes: 'voice="off"' });
    await site.page.evaluate(`document.querySelector('callkite-widget').strings = { disclosure: ' ' }`);
    await site.enter();
    await site.type('Hello');
    const log = site.page.getByRole('log');
    await eventually('the disclosure', async () =>
      (await log.locator('p').first().textContent())?.startsWith('You are talking with an AI assistant.'),
    );
  });

  it('does not begin without the consent that the page asks for, and keeps what is typed', async () => {
    const site = await tests.visit();
    await site.launcher.click();
    await site.type('Hello');
    await site.page.getByRole('alert').getByText('Please check the box first.').waitFor();
    expect(await site.status()).toBe('ready');
    const box = site.page.getByRole('checkbox');
    await eventually('the focus at the box', () =>
      box.evaluate((element: Focusable) => element.matches(':focus')),
    );
    await box.check();
    await site.page.getByRole('textbox').press('Enter');
    await said(site, 'Hello');
  });

  it('lets one call of a page be open at a time', async () => {
    const site = await tests.visit({ second: 'placement="bottom-left"' });
    await site.enter();
    await converse(site, 'Hello');
    await site.button('Close').click();
    const second = site.page.locator('callkite-widget').nth(1);
    await second.locator('button.launcher').click();
    await second.getByRole('checkbox').check();
    await second.getByRole('button', { name: 'Start call' }).click();
    await second.getByRole('alert').getByText('Another call is already open on this page.').waitFor();
    expect(await site.status()).toBe('live');
    expect((await site.told('call-start')).length).toBe(1);
  });

  it('goes on with a new call after one that ended', async () => {
    const site = await tests.visit({ attributes: 'voice="off"' });
    await site.enter();
    await converse(site, 'Hello');
    await site.button('End').click();
    await site.button('Start a new call').click();
    await site.reaches('live');
    await eventually('an empty conversation', async () => !(await site.lines()).includes('Hello'));
    expect((await site.told('call-start')).length).toBe(2);
  });
});

describe('a connection that breaks', () => {
  it('is taken up again without doubled or missing lines', async () => {
    const site = await tests.visit();
    await site.enter();
    await converse(site, 'Can you repeat that?');
    for (const text of ['Please repeat that', 'Say it once more, please: repeat it']) {
      tests.world.cutSockets();
      await site.type(text);
      await said(site, text);
      await site.reaches('live');
    }
    await converse(site, 'Can you repeat it again?');
    await site.button('End').click();
    await expectWhatWasSaid(site);
    for (const text of [
      'Can you repeat that?',
      'Please repeat that',
      'Say it once more, please: repeat it',
    ]) {
      expect((await site.lines()).filter((line) => line === text)).toEqual([text]);
    }
    const statuses = (await site.told('status')).map((detail) => detail.status);
    expect(statuses).toEqual(['connecting', 'live', 'reconnecting', 'live', 'reconnecting', 'live', 'ended']);
    expect((await site.told('call-start')).length).toBe(1);
  });

  it('is taken up again by the page after a reload', async () => {
    const site = await tests.visit();
    await site.enter();
    await converse(site, 'Hello');
    await said(site, /Tuesday at 3 pm/);
    const before = await site.lines();
    await site.page.reload();
    await site.reaches('live');
    await site.launcher.click();
    expect(await site.lines()).toEqual(before);
    await converse(site, 'Can you repeat it again?');
    expect((await site.lines()).slice(0, before.length)).toEqual(before);
    await site.shoot('after-reload');
    await site.button('End').click();
    await expectWhatWasSaid(site);
  });

  it('is told of in a sentence with a way on when no call can begin', async () => {
    const site = await tests.visit({ attributes: 'voice="off"' });
    await site.page.route('**/widget/sessions', (route) => route.abort());
    await site.enter();
    await site.button('Start chat').click();
    await site.page.getByRole('alert').getByText("We couldn't connect.").waitFor();
    await site.page.unroute('**/widget/sessions');
    await site.button('Try again').click();
    await site.reaches('live');
  });

  it.each([
    ['rate_limited', 429, 'There are too many calls right now.'],
    ['workflow_disabled', 403, 'The assistant is switched off at the moment.'],
    ['origin_not_allowed', 403, "The assistant isn't set up for this website."],
    ['internal', 500, 'Something went wrong on our end.'],
  ])('tells of %s in a sentence', async (code, answer, sentence) => {
    const site = await tests.visit({ attributes: 'voice="off"' });
    await site.page.route('**/widget/sessions', (route) =>
      route.fulfill({
        status: answer,
        headers: { 'access-control-allow-origin': '*' },
        json: { error: 'No', code },
      }),
    );
    await site.enter();
    await site.button('Start chat').click();
    await site.page.getByRole('alert').getByText(sentence, { exact: false }).waitFor();
  });
});

describe('a page that steers it', () => {
  /** Calls a method of the element. */
  const element = (site: Site, code: string) =>
    site.page.evaluate(`document.querySelector('callkite-widget').${code}`);

  it('ends a call for a reason of its own, which stays with the call', async () => {
    const site = await tests.visit({ attributes: 'voice="off"' });
    await site.enter();
    await converse(site, 'Hello');
    await element(site, `endCall('  The order was placed. ${'x'.repeat(300)}')`);
    await site.reaches('ended');
    const [end] = await site.told('call-end');
    expect(end).toMatchObject({ reason: expect.stringMatching(/^The order was placed\. x+$/) });
    expect(String(end?.reason)).toHaveLength(200);
    await site.page.getByText('You ended the call.').waitFor();
    await eventually('the reason on record', async () => {
      const call = await tests.world.embedded.request('GET', `/calls/${end?.id}`);
      const { recipient_context: context } = (await call.json()) as { recipient_context: string | null };
      return context?.includes('The order was placed.');
    });
  });

  it('is told of the tools of the server that the agent uses', async () => {
    const { embedded, key, workflowId } = tests.world;
    const { callkite, organizationId } = embedded;
    const { id: workflow } = await callkite.workflows.create(
      { organizationId, mode: 'live' },
      {
        name: 'Parking',
        definition: {
          objective: 'Tell the visitor how to get there.',
          steps: [{ title: 'Help', instruction: 'Use find_parking and tell them where to park.' }],
          tools: ['find_parking'],
        },
      },
    );
    await callkite.publishableKeys.update(organizationId, key.id, { workflowIds: [workflowId, workflow] });
    const site = await tests.visit({ workflow, attributes: 'voice="off"' });
    await site.enter();
    await site.button('Start chat').click();
    await said(site, /behind the house/);
    expect(await site.told('tool')).toEqual([{ name: 'find_parking', args: { vehicle: null } }]);
  });

  it('puts a call on hold and goes on, and can type meanwhile', async () => {
    const site = await tests.visit({ attributes: 'voice="off"' });
    const sent: string[] = [];
    site.page.on('websocket', (socket) => {
      socket.on('framesent', ({ payload }) => {
        if (typeof payload === 'string') sent.push(payload);
      });
    });
    await site.enter();
    await converse(site, 'Hello');
    await element(site, 'pause()');
    await site.page.getByText('On hold').waitFor();
    await converse(site, 'Can you repeat that?');
    await site.button('Resume').click();
    await site.page.getByText('On hold').waitFor({ state: 'detached' });
    expect(sent.filter((message) => message.includes('"pause"')).slice(-2)).toEqual([
      '{"type":"pause","on":true}',
      '{"type":"pause","on":false}',
    ]);
  });

  it('says what was agreed to in the language of the page, also when it starts the call itself', async () => {
    const site = await tests.visit({ language: 'de', attributes: 'voice="off" consent="notice"' });
    await site.launcher.waitFor();
    const callId = await element(site, 'startCall()');
    await site.reaches('live');
    const call = await tests.world.embedded.request('GET', `/calls/${callId}`);
    expect(await call.json()).toMatchObject({
      visit: { consent: { text: expect.stringMatching(/KI-Assistent/) } },
    });
  });

  it('keeps its button when the words for the panel cannot be had', async () => {
    const site = await tests.visit();
    await site.page.route('**/en-*.js', (route) => route.abort());
    await site.launcher.click();
    await eventually('an error', async () => (await site.told('error')).length > 0);
    expect(await site.told('error')).toMatchObject([{ code: 'network' }]);
    expect(await site.page.locator('.panel').count()).toBe(0);
    expect(await site.launcher.count()).toBe(1);
    expect(await element(site, 'open')).toBe(false);
  });
});

describe('a call-back', () => {
  it('goes to a finished phone call, with what was agreed to kept', async () => {
    const site = await tests.visit();
    await site.launcher.click();
    await site.page.getByRole('tab', { name: 'Call me back' }).click();
    await site.page.getByLabel('Country').selectOption('US');
    await site.page.getByLabel('Phone number').fill('(202) 555-0102');
    await site.page.getByLabel('Name').fill('Ada');
    const agreed = await site.page.locator('label.consent span').textContent();
    await site.page.getByRole('checkbox').check();
    await site.button('Call me').click();
    await site.page.getByText('The call is over.').waitFor({ timeout: 60_000 });
    await site.shoot('called-back');
    const [requested] = await site.told('callback-requested');
    const callId = String(requested?.id);
    const call = (await (await tests.world.embedded.request('GET', `/calls/${callId}`)).json()) as Record<
      string,
      unknown
    >;
    expect(agreed).toBe(
      'I agree to be called at this number by an AI assistant that speaks with an artificial voice.',
    );
    expect(call).toMatchObject({
      state: 'completed',
      phone_number_to: callee,
      recipient_name: 'Ada',
      visit: {
        kind: 'callback',
        origin: new URL(site.page.url()).origin,
        page: site.page.url(),
        consent: { text: agreed, version: '1', time: expect.any(String) },
      },
    });
    expect(tests.world.embedded.twilioEmulator.calls().filter(({ to }) => to === callee)).toHaveLength(1);
    expect(site.complaints).toEqual([]);
  });

  it('comes at the time that was chosen, and says when that is', async () => {
    const site = await tests.visit({ attributes: 'mode="callback"', timezoneId: 'America/New_York' });
    await site.launcher.click();
    await site.page.getByLabel('Phone number').fill('2025550103');
    const tomorrow = new Date(Date.now() + 24 * 3_600_000);
    const day = tomorrow.toLocaleDateString('sv', { timeZone: 'America/New_York' });
    await site.page.getByLabel('When should we call?').selectOption('1');
    await site.page.getByLabel('At what time?').selectOption('10:30 AM');
    await site.page.getByRole('checkbox').check();
    await site.shoot('call-back-at-a-time');
    await site.button('Call me').click();
    await site.page.getByText(/^We will call .*\+1\s\(202\)\s555.0103.* on .* 10:30\sAM E[SD]T/).waitFor();
    await site.shoot('call-back-scheduled');
    const [requested] = await site.told('callback-requested');
    const call = await tests.world.embedded.request('GET', `/calls/${requested?.id}`);
    expect(await call.json()).toMatchObject({ state: 'queued' });
    const [body] = site.posted.filter(({ when }) => when !== undefined);
    const asked = new Date(String(body?.when)).toLocaleString('sv', { timeZone: 'America/New_York' });
    expect(asked).toBe(`${day} 10:30:00`);
  });

  it('can be asked for by the page, at a time of seven days at most', async () => {
    const site = await tests.visit();
    const ask = (when: string) =>
      site.page.evaluate(`document.querySelector('callkite-widget').requestCallback({
        phone: '+12025550104', when: ${when}, consent: { text: 'I agree' } }).catch(({ code }) => code)`);
    expect(await ask('new Date(Date.now() + 3600_000)')).toMatch(/^call_/);
    expect(await ask("'2020-01-01T10:00:00Z'")).toBe('time_invalid');
    expect(await ask("'soon'")).toBe('time_invalid');
    expect(await ask('new Date(Date.now() + 8 * 24 * 3600_000)')).toBe('time_invalid');
    expect(await site.told('error')).toMatchObject(Array(3).fill({ code: 'time_invalid' }));
  });

  it('says at the field that a time has passed', async () => {
    const site = await tests.visit({ attributes: 'mode="callback"' });
    await site.launcher.click();
    await site.page.getByLabel('Phone number').fill('2025550105');
    await site.page.getByLabel('When should we call?').selectOption('1');
    const field = site.page.getByLabel('At what time?');
    await field.selectOption({ index: 0 });
    // The form was left open until the time had come.
    await field.evaluate((select: { selectedOptions: { value: string }[] }) => {
      for (const option of select.selectedOptions) option.value = '2020-01-01T10:00:00Z';
    });
    await site.page.getByRole('checkbox').check();
    await site.button('Call me').click();
    await site.page.getByRole('alert').getByText('within the next seven days').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
  });

  it.each([
    ['12', "That doesn't look like a phone number."],
    ['+49 30 901820', "We can't call this number."],
    ['', 'Please enter your phone number.'],
  ])('does not take “%s”, and says so at the field', async (phone, sentence) => {
    const site = await tests.visit();
    await site.launcher.click();
    await site.page.getByRole('tab', { name: 'Call me back' }).click();
    const countries = site.page.getByLabel('Country').locator('option');
    await expect.poll(() => countries.allTextContents()).toEqual(['United States (+1)']);
    const field = site.page.getByLabel('Phone number');
    await field.fill(phone);
    await site.page.getByRole('checkbox').check();
    await site.button('Call me').click();
    await site.page.getByRole('alert').getByText(sentence, { exact: false }).waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.inputValue()).toBe(phone);
  });

  it('is not asked for without consent', async () => {
    const site = await tests.visit({ attributes: 'mode="callback"' });
    await site.launcher.click();
    await site.page.getByLabel('Phone number').fill('2025550102');
    await site.button('Call me').click();
    await site.page.getByRole('alert').getByText('Please check the box first.').waitFor();
    expect(site.requests.some((url) => url.includes('/widget/callbacks'))).toBe(false);
  });
});
