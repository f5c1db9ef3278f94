import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { describe, expect, it } from 'vitest';
import { eventually } from '../embedded.ts';
import type { PageOptions, Site } from './world.ts';
import { worldOfTests } from './world-of-tests.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const tests = worldOfTests();

async function visit(options?: PageOptions): Promise<Site> {
  const site = await tests.visit(options);
  await site.launcher.or(site.page.locator('.panel')).first().waitFor();
  return site;
}

const callbackTab = (site: Site) => site.page.getByRole('tab', { name: 'Call me back' }).click();

async function live(site: Site): Promise<void> {
  await site.enter();
  await site.type('Can you repeat that?');
  await eventually('an answer', async () => (await site.lines()).length >= 3);
}

/** What of the widget or the page has the focus: a label, or what is in it. */
const focused = (site: Site) =>
  site.page.evaluate(`(() => {
    let at = document.activeElement;
    while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
    return at.getAttribute('aria-label') || at.id || at.name || at.className || at.textContent.trim();
  })()`);
/** Waits for everything that was asked for to be drawn. */
const focusIs = (site: Site, expected: RegExp) =>
  eventually(`the focus at ${expected}`, async () => expected.test(String(await focused(site))));

/** Every state of the widget, and how one gets there. */
const states: [string, PageOptions, (site: Site) => Promise<unknown>][] = [
  ['closed', {}, async () => undefined],
  ['ready', {}, (site) => site.launcher.click()],
  [
    'ready-text',
    { attributes: 'voice="off" consent="notice" terms-url="#t" privacy-url="#p"' },
    (site) => site.launcher.click(),
  ],
  [
    'consent-missing',
    {},
    async (site) => {
      await site.launcher.click();
      await site.button('Start call').click();
      await site.page.getByRole('alert').waitFor();
    },
  ],
  ['live', {}, live],
  [
    'microphone-refused',
    {},
    async (site) => {
      await site.enter();
      await site.button('Start call').click();
      await site.reaches('live');
      await eventually('the greeting', async () => (await site.lines()).length >= 2);
    },
  ],
  [
    'reconnecting',
    {},
    async (site) => {
      await live(site);
      await site.page.context().setOffline(true);
      await site.reaches('reconnecting');
    },
  ],
  [
    'ended',
    {},
    async (site) => {
      await live(site);
      await site.button('End').click();
      await site.reaches('ended');
    },
  ],
  [
    'no-connection',
    { attributes: 'voice="off"' },
    async (site) => {
      await site.page.route('**/widget/sessions', (route) => route.abort());
      await site.enter();
      await site.button('Start chat').click();
      await site.page.getByRole('alert').waitFor();
    },
  ],
  [
    'call-back',
    {},
    async (site) => {
      await site.launcher.click();
      await callbackTab(site);
      await site.page.getByLabel('Phone number').waitFor();
    },
  ],
  [
    'call-back-errors',
    {},
    async (site) => {
      await site.launcher.click();
      await callbackTab(site);
      await site.button('Call me').click();
      await site.page.getByRole('alert').first().waitFor();
    },
  ],
  [
    'call-back-requested',
    {},
    async (site) => {
      await site.launcher.click();
      await callbackTab(site);
      await site.page.getByLabel('Phone number').fill('2025550102');
      await site.page.getByRole('checkbox').check();
      await site.button('Call me').click();
      await site.button('Request another call').waitFor();
    },
  ],
  [
    'call-back-later',
    { attributes: 'mode="callback"' },
    async (site) => {
      await site.launcher.click();
      await site.page.getByLabel('When should we call?').selectOption('1');
      await site.page.getByLabel('At what time?').waitFor();
    },
  ],
  ['inline', { attributes: 'inline' }, (site) => site.page.locator('.welcome').waitFor()],
];

async function violations(site: Site): Promise<string[]> {
  await site.page.evaluate(axe);
  const results = (await site.page.evaluate('axe.run()')) as AxeResults;
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

it.each(states)('has nothing for axe to find when %s, in light and in dark', async (name, options, reach) => {
  const site = await visit({ ...options, reducedMotion: 'reduce' });
  await reach(site);
  for (const colorScheme of ['light', 'dark'] as const) {
    await site.page.emulateMedia({ colorScheme });
    await site.shoot(`${name}-${colorScheme}`);
    expect(await violations(site)).toEqual([]);
  }
});

describe('by keyboard', () => {
  it('opens, agrees, types, ends and closes, and never loses the focus', async () => {
    const site = await visit({ attributes: 'voice="off"' });
    const { keyboard } = site.page;
    await keyboard.press('Tab');
    await focusIs(site, /^link$/);
    await keyboard.press('Tab');
    await focusIs(site, /launcher/);
    await keyboard.press('Enter');
    await focusIs(site, /panel/);
    await keyboard.press('Tab');
    await focusIs(site, /^Close$/);
    await keyboard.press('Tab');
    await focusIs(site, /^tab-talk$/);
    await keyboard.press('ArrowRight');
    await focusIs(site, /^tab-callback$/);
    await site.page.getByLabel('Phone number').waitFor();
    await keyboard.press('ArrowRight');
    await focusIs(site, /^tab-talk$/);
    await keyboard.press('Tab');
    await focusIs(site, /^consent$/);
    await keyboard.press('Space');
    await keyboard.press('Tab');
    await focusIs(site, /button primary/);
    await keyboard.press('Tab');
    await focusIs(site, /^Type a message$/);
    await keyboard.type('Can you repeat that?');
    await keyboard.press('Enter');
    await site.reaches('live');
    await focusIs(site, /^Type a message$/);
    await keyboard.press('Shift+Tab');
    await focusIs(site, /button small end/);
    await keyboard.press('Enter');
    await site.reaches('ended');
    await focusIs(site, /panel/);
    await keyboard.press('Escape');
    await focusIs(site, /launcher/);
    expect(await site.page.locator('.panel').count()).toBe(0);
  });

  it('takes the word and does not send it when Enter ends a composition', async () => {
    const site = await visit({ attributes: 'voice="off"' });
    await site.enter();
    const field = site.page.getByRole('textbox', { name: 'Type a message' });
    await field.fill('にほん');
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(await field.inputValue()).toBe('にほん');
    expect(await site.status()).toBe('ready');
  });
});

describe('what visitors have set', () => {
  it.each([
    ['a phone of 320 pixels', 'narrow', { viewport: { width: 320, height: 560 } }],
    ['a zoom of 200 %', 'zoomed', { viewport: { width: 500, height: 380 }, deviceScaleFactor: 2 }],
  ] as const)('fits %s', async (_what, name, options) => {
    const site = await visit(options);
    await live(site);
    const { width, height } = options.viewport;
    const box = await site.page.locator('.panel').boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
    expect(await site.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    for (const part of await site.page.locator('.panel button, .panel textarea').all()) {
      const inside = await part.boundingBox();
      expect((inside?.x ?? 0) + (inside?.width ?? 0)).toBeLessThanOrEqual(width);
      expect((inside?.y ?? 0) + (inside?.height ?? 0)).toBeLessThanOrEqual(height);
    }
    await site.shoot(name);
  });

  it('moves nothing when motion is to be reduced', async () => {
    const site = await visit({ reducedMotion: 'reduce' });
    await live(site);
    const moving = await site.page.evaluate(`document.getAnimations().length`);
    expect(moving).toBe(0);
  });

  it('keeps its outlines in forced colors', async () => {
    const site = await visit({ forcedColors: 'active' });
    await live(site);
    await site.shoot('forced-colors');
    expect(await violations(site)).toEqual([]);
  });

  it.each([
    ['de', 'ltr', 'Sprechen Sie mit uns', 'Gespräch beginnen'],
    ['es', 'ltr', 'Hable con nosotros', 'Iniciar llamada'],
    ['fr-CA', 'ltr', 'Parlez-nous', 'Démarrer l’appel'],
    ['pt-BR', 'ltr', 'Fale conosco', 'Iniciar chamada'],
    ['ar', 'rtl', 'تحدّث إلينا', 'ابدأ المكالمة'],
    ['ja', 'ltr', 'Talk to us', 'Start call'],
  ])('speaks %s, written %s', async (language, direction, greeting, start) => {
    const site = await visit({ language });
    await site.page.getByRole('button', { name: greeting }).click();
    await site.button(start).waitFor();
    expect(await site.page.locator('section').getAttribute('dir')).toBe(direction);
    await site.shoot(`language-${language}`);
    expect(await violations(site)).toEqual([]);
  });

  it('takes the words of the page in place of its own', async () => {
    const site = await visit();
    await site.page.evaluate(
      `document.querySelector('callkite-widget').strings = { launcher: 'Ask Robin', start: 'Go' }`,
    );
    await site.button('Ask Robin').click();
    await site.button('Go').waitFor();
  });
});
