import { expect, it } from 'vitest';
import { setUpVisitorDemo } from '../../apps/server/src/visitor-demo.ts';
import { eventually } from '../embedded.ts';
import type { Site } from './world.ts';
import { worldOfTests } from './world-of-tests.ts';

const tests = worldOfTests();

/** Runs in the page: a recognizer as browsers have it, that hears what the test says. */
const recognizer = `
  window.recognizers = [];
  window.SpeechRecognition = class {
    constructor() { window.recognizers.push(this); }
    start() { this.isOn = true; }
    abort() { this.isOn = false; this.onend?.(); }
    hear(text, isFinal) {
      this.onresult({ resultIndex: 0, results: [Object.assign([{ transcript: text }], { isFinal })] });
    }
  };
`;
/** Runs in the page: it has none. */
const noRecognizer = 'delete window.webkitSpeechRecognition; delete window.SpeechRecognition;';

const hear = (site: Site, text: string, isFinal: boolean) =>
  site.page.evaluate(
    `window.recognizers.filter(({ isOn }) => isOn).at(-1).hear(${JSON.stringify(text)}, ${isFinal})`,
  );

const answered = (site: Site, text: RegExp) =>
  eventually(`an answer like ${text}`, async () => text.test((await site.lines()).at(-1) ?? ''));

it('has a workflow of its own for visitors, whatever workflow is the newest', async () => {
  const { callkite, organizationId } = tests.world.embedded;
  const site = await tests.visitDemo(noRecognizer);
  await callkite.workflows.create(
    { organizationId, mode: 'live' },
    {
      name: 'The newest',
      definition: { objective: 'Sell them a boat.', opening: 'Do you want a boat?' },
    },
  );
  await site.page.reload();
  await site.enter();
  await site.button('Start chat').click();
  await answered(site, /How can I help\?$/);
  for (const [question, answer] of [
    ['When are you open?', /Monday to Friday from 8 am to 6 pm/],
    ['How much is a check-up?', /\$80/],
    ['Where are you?', /100 Example Avenue/],
    ['Who are you?', /Robin, an AI assistant at Example Dental/],
    ['Can I make an appointment?', /^Of course\. .*which day and time/],
    ['Tuesday at 3 pm', /Thank you, Tuesday at 3 pm\. .*your name/],
    ['Ada Lovelace', /made a note of that.*anything else/],
    ['No, thank you', /goodbye/],
  ] as const) {
    await site.type(question);
    await answered(site, answer);
  }
  await site.reaches('ended');
  await site.shoot('demo');
  expect(site.complaints).toEqual([]);
});

it('uses the key that was printed at the first start, also at another address', async () => {
  const { callkite } = tests.world.embedded;
  const { id } = await callkite.organizations.create({ name: 'Fresh' });
  const first = await setUpVisitorDemo(callkite, id, ['http://127.0.0.1:3000']);
  await callkite.publishableKeys.create(id, {
    mode: 'test',
    name: 'Another key',
    allowedOrigins: ['http://127.0.0.1:3000'],
    workflowIds: [first.workflowId],
  });
  const later = await setUpVisitorDemo(callkite, id, ['https://calls.example.com', 'http://127.0.0.1:3000']);
  expect(later).toEqual(first);
  const { items } = await callkite.publishableKeys.list(id, { limit: 10, cursor: null });
  expect(items.find(({ key }) => key === first.key)?.allowedOrigins).toEqual([
    'http://127.0.0.1:3000',
    'https://calls.example.com',
  ]);
  const site = await tests.visitDemo(noRecognizer);
  const shown = await site.page.locator('callkite-widget').getAttribute('public-key');
  expect(await site.page.locator('code').first().textContent()).toContain(`public-key="${shown}"`);
});

it('says what it understands, and offers typing alone where the browser recognizes no speech', async () => {
  const site = await tests.visitDemo(noRecognizer);
  await site.page.getByText('it cannot understand a human voice').waitFor();
  await site.page.getByText('use a browser with speech recognition').waitFor();
  await site.enter();
  expect(await site.button('Speak').isVisible()).toBe(false);
  await site.type('When are you open?');
  await answered(site, /Monday to Friday/);
  expect(site.complaints).toEqual([]);
});

it('answers somebody who speaks, by the recognition of the browser', async () => {
  const site = await tests.visitDemo(recognizer);
  await site.page.getByText('your browser turns what you say into text').waitFor();
  await site.launcher.click();
  await site.button('Speak').click();
  await site.page.getByRole('alert').getByText('check the box').waitFor();
  await site.page.getByRole('checkbox').check();
  await site.button('Speak').click();
  await answered(site, /How can I help\?$/);
  await hear(site, 'when are', false);
  await site.page.locator('#speech').getByText('when are').waitFor();
  await site.shoot('demo-speaking');
  await hear(site, 'when are you open', true);
  await answered(site, /Monday to Friday/);
  expect(await site.lines()).toContain('when are you open');
  await site.button('Stop listening').click();
  await site.button('Speak').waitFor();
  expect(await site.page.evaluate('window.recognizers.some(({ isOn }) => isOn)')).toBe(false);
});

it('goes on listening when the browser stops by itself, and says why it cannot', async () => {
  const site = await tests.visitDemo(recognizer);
  await site.enter();
  await site.button('Speak').click();
  await eventually('a recognizer', () => site.page.evaluate('window.recognizers.length === 1'));
  await site.page.evaluate('window.recognizers[0].onend()');
  await eventually('another', () => site.page.evaluate('window.recognizers.length === 2'));
  await site.page.evaluate("window.recognizers[1].onerror({ error: 'network' })");
  await site.page.getByText('cannot be reached. You can type instead.').waitFor();
  await site.button('Speak').waitFor();
  await site.type('Where are you?');
  await answered(site, /100 Example Avenue/);
});
