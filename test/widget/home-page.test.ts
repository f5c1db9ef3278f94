import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { callkiteMiddleware } from '@callkite/express';
import type { AxeResults } from 'axe-core';
import express from 'express';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../apps/server/src/env.ts';
import { home, isFromThisMachine } from '../../apps/server/src/home.ts';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://calls.example.com',
  CALLKITE_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  OPENAI_API_KEY: 'sk-example',
};

let embedded: Embedded;
let browser: Browser;
const servers: Server[] = [];

beforeAll(async () => {
  embedded = await startEmbedded();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const placed = await embedded.request('POST', '/call', {
    recipient_phone: '+12025550102',
    workflow_id: embedded.workflowId,
  });
  expect(placed.status).toBe(200);
  await eventually('the end of the call', () => embedded.events.find(({ type }) => type === 'call.finished'));
}, 120_000);

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await browser?.close();
  await embedded?.stop();
});

async function served(environment: Record<string, string> = {}, hasStarted = true): Promise<string> {
  const app = express();
  const settings = readSettings(environment);
  app.use(home({ callkite: embedded.callkite, settings, hasStarted: () => hasStarted }));
  app.use(callkiteMiddleware(embedded.callkite));
  const server = createServer(app).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ['light', 1200],
  ['dark', 1200],
  ['light', 375],
  ['dark', 375],
] as const)('shows state, links and last calls, %s, %i pixels wide', async (colorScheme, width) => {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('requestfailed', (request) => problems.push(request.url()));
  await page.goto(await served());
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Callkite is running');
  const text = await page.locator('main').textContent();
  expect(text).toContain('emulated: no real phone can ring');
  expect(text).toContain('+1202***0102');
  expect(text).toContain('success, completed');
  expect(await page.content()).not.toContain('12025550102');
  for (const name of ['API reference', 'Widget', 'OpenAPI document']) {
    expect(await page.getByRole('link', { name }).isVisible(), name).toBe(true);
  }
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  expect(await page.evaluate('getComputedStyle(document.querySelector("main")).maxWidth')).not.toBe('none');
  await context.close();
  expect(problems).toEqual([]);
});

it('has nothing that keeps anybody from reading it', async () => {
  // Without the page's policy, which would not let the checker in.
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  await page.goto(await served());
  await page.addScriptTag({ content: axe });
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  await context.close();
  expect(violations.map(({ id }) => id)).toEqual([]);
});

it('goes on to the API reference', async () => {
  const page = await browser.newPage();
  await page.goto(await served());
  await page.getByRole('link', { name: 'API reference' }).click();
  await page.waitForURL('**/docs');
  await page.close();
});

describe('who may see the last calls', () => {
  const body = async (url: string, headers: Record<string, string> = {}) =>
    (await fetch(url, { headers })).text();

  it('is a browser on this machine, and nobody behind a proxy', async () => {
    const url = await served();
    expect(await body(url)).toContain('Last calls');
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host']) {
      expect(await body(url, { [name]: '203.0.113.7' }), name).not.toMatch(/Last calls|Runs on/);
    }
  });

  it.each([
    ['127.0.0.1', '127.0.0.1:3000', true],
    ['::ffff:127.0.0.1', 'localhost:3000', true],
    ['::1', '[::1]:3000', true],
    ['127.0.0.1', 'evil.example:3000', false],
    ['127.0.0.1', '127.0.0.1.evil.example', false],
    ['127.0.0.1', '', false],
    ['192.0.2.7', '127.0.0.1:3000', false],
    ['', 'localhost', false],
  ])('from %s under the name %s: %s', (remoteAddress, host, isLocal) => {
    expect(isFromThisMachine({ headers: { host }, socket: { remoteAddress } })).toBe(isLocal);
  });

  it('is nobody in production, with a database of its own, or on a real network', async () => {
    const real = { PUBLIC_URL: 'https://calls.example.com', OPENAI_API_KEY: 'sk-example' };
    const database = { ...production, DATABASE_URL: 'postgres://callkite@127.0.0.1/callkite' };
    for (const environment of [production, real, database]) {
      expect(await body(await served(environment))).not.toContain('Last calls');
    }
    expect(await body(await served(production))).not.toMatch(/Widget|Runs on/);
  });
});

it('says that the server is starting', async () => {
  const answer = await fetch(await served({}, false));
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain('Callkite is starting');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
});
