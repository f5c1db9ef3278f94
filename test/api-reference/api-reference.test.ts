import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../embedded.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  /** Deep link to it. */
  readonly hash: string;
}

const screenshots = fileURLToPath(new URL('../../artifacts/api-reference', import.meta.url));
const flags = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const desktop = { width: 1280, height: 900 };

let embedded: Embedded;
let browser: Browser;
let operations: Operation[];

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  embedded = await startEmbedded();
  operations = await describedOperations(embedded.url);
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: flags,
  });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await embedded?.stop();
});

async function describedOperations(url: string): Promise<Operation[]> {
  const response = await fetch(`${url}/openapi.json`);
  const { paths } = (await response.json()) as {
    paths: Record<string, Record<string, { operationId: string; summary: string; tags: [string] }>>;
  };
  return Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(
      ([
        method,
        {
          operationId,
          summary,
          tags: [tag],
        },
      ]) => {
        const section = tag.toLowerCase().replaceAll(' ', '-');
        return { operationId, summary, hash: `#tag/${section}/${method.toUpperCase()}${route}` };
      },
    ),
  );
}

/** Opens the page, with a note of everything it complains of and of every server it asks. */
async function openReference(options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (request.url().startsWith('http')) origins.add(new URL(request.url()).origin);
  });
  await page.goto(`${embedded.url}/docs`);
  await page.getByRole('heading', { name: 'Callkite API' }).waitFor();
  const show = async ({ hash, summary }: Operation) => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.getByRole('heading', { name: summary, exact: true }).first().waitFor();
  };
  return { page, complaints, origins, show, close: () => context.close() };
}

const shoot = (page: Page, name: string) =>
  page.screenshot({ path: path.join(screenshots, `${name}.png`), animations: 'disabled' });

const operation = (id: string) => {
  const found = operations.find(({ operationId }) => operationId === id);
  if (!found) throw new Error(`there is no operation ${id}`);
  return found;
};

it.each<[string, BrowserContextOptions]>([
  ['light', { viewport: desktop, colorScheme: 'light' }],
  ['dark', { viewport: desktop, colorScheme: 'dark' }],
  ['narrow', { viewport: { width: 375, height: 800 } }],
])(
  'shows every operation without a complaint: %s',
  async (name, options) => {
    const { page, complaints, origins, show, close } = await openReference(options);
    expect(operations.length).toBeGreaterThan(50);
    const tooWide: string[] = [];
    for (const each of operations) {
      await show(each);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      // One pixel is what rounding makes of widths that are no whole numbers.
      if (overflow > 1) tooWide.push(`${each.operationId}: ${overflow} px`);
    }
    expect(tooWide).toEqual([]);
    expect(await page.evaluate("document.body.classList.contains('dark-mode')")).toBe(name === 'dark');
    expect(complaints).toEqual([]);
    expect([...origins]).toEqual([embedded.url]);
    await show(operation('triggerCall'));
    await shoot(page, name);
    await close();
  },
  300_000,
);

it('sends a request and shows the answer', async () => {
  const { callkite, organizationId, testKey } = embedded;
  const steps = [{ title: 'Ask', instruction: 'Ask whether Tuesday suits them.' }];
  const definition = { objective: 'Ask whether Tuesday suits.', steps };
  await callkite.workflows.create({ organizationId, mode: 'test' }, { name: 'Seen on the page', definition });
  const { page, complaints, origins, show, close } = await openReference({ viewport: desktop });
  await show(operation('listWorkflows'));
  await page.getByRole('button', { name: /^Test Request\s*\(get \/workflows\)$/i }).click();
  const client = page.getByRole('dialog');
  await client.getByPlaceholder('Token').fill(testKey);
  await client.getByRole('button', { name: /^Send get request/i }).click();
  await client.getByText('Seen on the page').first().waitFor();
  await shoot(page, 'request');
  expect(complaints).toEqual([]);
  expect([...origins]).toEqual([embedded.url]);
  await close();
}, 120_000);

it('finds an operation, and shows how curl and our client call it', async () => {
  const { page, complaints, show, close } = await openReference({ viewport: desktop });
  await page.getByRole('search').first().click();
  await page.getByRole('combobox', { name: 'Enter search query' }).fill('erase');
  await page
    .getByRole('option', { name: /Erase what was said/ })
    .first()
    .waitFor();
  await shoot(page, 'search');
  await page.keyboard.press('Escape');

  const place = operation('triggerCall');
  await show(place);
  const samples = page
    .locator('section')
    .filter({
      has: page.getByRole('heading', { name: place.summary, exact: true }),
    })
    .last();
  await samples.getByText(`curl ${embedded.url}/call`).waitFor();
  await samples.getByRole('button', { name: 'Shell Curl' }).click();
  await page.getByRole('option', { name: '@callkite/client' }).click();
  await samples.getByText('client.calls.trigger').waitFor();
  await shoot(page, 'client-sample');
  expect(complaints).toEqual([]);
  await close();
}, 120_000);
