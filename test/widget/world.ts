import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AgentTool, Callkite, PublishableKey } from '@callkite/core';
import { attachSockets, callkiteMiddleware } from '@callkite/core/node';
import express from 'express';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { widgetDemo } from '../../apps/server/src/widget-demo.ts';
import { widgetFiles } from '../../apps/server/src/widget-files.ts';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const screenshots = path.join(root, 'artifacts/widget');
export const callee = '+12025550102';

/** Builds the widget into a folder of its own. */
export async function buildWidget(): Promise<{ directory: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(path.join(tmpdir(), 'callkite-widget-'));
  const vite = path.join(root, 'node_modules/vite/bin/vite.js');
  const widget = path.join(root, 'apps/widget');
  await promisify(execFile)(process.execPath, [
    vite,
    'build',
    widget,
    ...['--outDir', directory, '--emptyOutDir', '--logLevel', 'warn'],
  ]);
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

export interface PageOptions extends BrowserContextOptions {
  /** Attributes of the element besides key and workflow. */
  attributes?: string;
  /** What the element starts. @default the world's workflow */
  workflow?: string;
  /** The page has a script with attributes, and no element. @default false */
  byScript?: boolean;
  /** The page has this script, a module, and nothing of ours. */
  module?: string;
  /** Attributes of a second one. @default there is none */
  second?: string;
  /** Of the page. @default 'en' */
  language?: string;
  /** Headers of the page on top of its content security policy. */
  headers?: Record<string, string>;
  /** Runs in the page before anything else. */
  initScript?: string;
  /** `none`: the machine has none. `refused`: there is one, and the browser says no. @default 'refused' */
  microphone?: 'none' | 'refused' | 'granted';
}

/** A page with the widget on it, in a browser context of its own. */
export interface Site {
  readonly page: Page;
  readonly launcher: Locator;
  /** What the page logged besides information. */
  readonly complaints: string[];
  /** URLs that were asked for, sockets included. */
  readonly requests: string[];
  /** What was posted, as JSON. */
  readonly posted: Record<string, unknown>[];
  button(name: string): Locator;
  /** Of the first widget. */
  status(): Promise<string>;
  /** Waits for a status. */
  reaches(status: string): Promise<unknown>;
  /** Events of the widgets: their names and details. */
  events(): Promise<{ name: string; detail: Record<string, unknown> }[]>;
  /** The details of those with this name. */
  told(name: string): Promise<Record<string, unknown>[]>;
  /** The lines of the conversation, as they are shown. */
  lines(): Promise<string[]>;
  /** Opens the panel and agrees. */
  enter(): Promise<void>;
  type(text: string): Promise<void>;
  shoot(name: string): Promise<void>;
  close(): Promise<void>;
}

/** The server with everything embedded, a site of another origin that has the widget, and browsers. */
export interface World {
  readonly embedded: Embedded;
  readonly workflowId: string;
  /** Of the server. */
  readonly url: string;
  /** What the pages use. */
  readonly key: PublishableKey;
  open(options?: PageOptions): Promise<Site>;
  /** The page that shows the widget. @param initScript runs in it before anything else */
  openDemo(initScript?: string): Promise<Site>;
  /** Cuts every socket that is open. */
  cutSockets(): void;
  stop(): Promise<void>;
}

const chromiumPath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const flags = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
];

/**
 * @param options.browserFlags on top, for the browser with a microphone; `opening`: what the agent begins with;
 *   `speed`: how much faster than life; `tools`: what workflows may name
 */
export async function startWorld(
  options: { browserFlags?: string[]; opening?: string; speed?: number; tools?: AgentTool[] } = {},
): Promise<World> {
  mkdirSync(screenshots, { recursive: true });
  const built = await buildWidget();
  const sockets = new Set<Duplex>();
  const embedded = await startEmbedded({
    ...(options.speed !== undefined && { speed: options.speed }),
    mount: (callkite, port) => mount(callkite, port, built.directory, sockets),
    callkite: {
      webCalls: { perAddressAndMinute: 1000, perKeyAndMinute: 1000 },
      tools: options.tools ?? [],
    },
  });
  const { callkite, organizationId, url } = embedded;
  const { id: workflowId } = await callkite.workflows.create(
    { organizationId, mode: 'live' },
    {
      name: 'Visit',
      definition: {
        agent: { name: 'Robin', onBehalfOf: 'Example Dental' },
        ...(options.opening !== undefined && { opening: options.opening }),
        objective: 'Find out whether Tuesday at 3 pm suits the visitor for a check-up.',
        steps: [
          { title: 'Ask', instruction: 'Ask whether Tuesday at 3 pm suits them.' },
          { title: 'Close', instruction: 'Thank them and say goodbye.' },
        ],
        voicemail: { message: 'This is a reminder of your appointment on Tuesday at 3 pm.' },
      },
    },
  );
  const files = new Map<string, { body: string; headers: Record<string, string> }>();
  const site = createServer((request, response) => {
    const found = files.get(request.url ?? '');
    response.writeHead(found ? 200 : 204, found?.headers);
    response.end(found?.body);
  });
  const origin = `http://localhost:${await listen(site)}`;
  const { key } = await callkite.publishableKeys.create(organizationId, {
    mode: 'live',
    name: 'Site of the tests',
    allowedOrigins: [origin],
    workflowIds: [workflowId],
    callbackCountries: ['US'],
    dailyCalls: 10_000,
  });
  const launch = (more: string[]) =>
    chromium.launch({ executablePath: chromiumPath, args: [...flags, ...more] });
  const withMicrophone = await launch([
    '--use-fake-device-for-media-stream',
    ...(options.browserFlags ?? []),
  ]);
  const without = await launch([]);

  const policy = (scripts: string) =>
    [
      "default-src 'none'",
      `script-src ${scripts}`,
      `connect-src ${url} ${url.replace('http', 'ws')}`,
      "img-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; ');

  async function open(page: PageOptions = {}): Promise<Site> {
    const {
      attributes = '',
      workflow = workflowId,
      byScript = false,
      module,
      second,
      language = 'en',
      headers = {},
      microphone = 'refused',
      initScript = '',
      ...context
    } = page;
    const element = (more: string) =>
      `<callkite-widget public-key="${key.key}" workflow="${workflow}" ${more}></callkite-widget>`;
    const elements = byScript ? '' : element(attributes) + (second === undefined ? '' : element(second));
    const attributesOfScript = byScript
      ? `data-public-key="${key.key}" data-workflow="${workflow}" data-voice="off"`
      : '';
    const address = `/page-${files.size}`;
    const script = module === undefined ? `${url}/widget/v1/widget.js` : `${address}.js`;
    if (module !== undefined) {
      files.set(script, { headers: { 'content-type': 'text/javascript; charset=utf-8' }, body: module });
    }
    files.set(address, {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy(module === undefined ? url : `'self' ${url}`),
        ...headers,
      },
      body: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>A site</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<script type="module" src="${script}" ${attributesOfScript}></script></head>
<body><main><h1>A site</h1><p>With a <a href="#here">link</a>.</p>${module === undefined ? elements : ''}</main></body></html>`,
    });
    const browser = microphone === 'none' ? without : withMicrophone;
    return openSite(browser, `${origin}${address}`, initScript, {
      viewport: { width: 1000, height: 760 },
      ...context,
      ...(microphone === 'granted' && { permissions: ['microphone'] }),
    });
  }

  return {
    embedded,
    workflowId,
    url,
    key,
    open,
    openDemo: (initScript = '') =>
      openSite(withMicrophone, `${url}/widget/demo`, initScript, { viewport: { width: 1200, height: 800 } }),
    cutSockets() {
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      await Promise.all([withMicrophone.close(), without.close()]);
      await embedded.stop();
      site.close();
      await built.remove();
    },
  };
}

async function openSite(
  browser: Browser,
  url: string,
  initScript: string,
  options: BrowserContextOptions,
): Promise<Site> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  const posted: Record<string, unknown>[] = [];
  page.on('request', (request) => {
    requests.push(request.url());
    if (request.method() === 'POST') posted.push(request.postDataJSON());
  });
  page.on('websocket', (socket) => requests.push(socket.url()));
  await page.addInitScript(noteEvents + initScript);
  await page.goto(url);
  const launcher = page.locator('button.launcher').first();
  const status = () => page.evaluate('document.querySelector("callkite-widget").status') as Promise<string>;
  const events = () => page.evaluate('window.noted') as ReturnType<Site['events']>;
  const composer = page.getByRole('textbox', { name: 'Type a message' }).first();
  return {
    page,
    launcher,
    complaints,
    requests,
    posted,
    button: (name) => page.getByRole('button', { name, exact: true }),
    status,
    reaches: (expected) => eventually(`the status ${expected}`, async () => (await status()) === expected),
    events,
    told: async (name) => (await events()).filter((event) => event.name === name).map(({ detail }) => detail),
    lines: () =>
      page
        .locator('.message:not(.interim)')
        .evaluateAll((lines) => lines.map((line) => line.lastChild?.textContent ?? '')),
    async enter() {
      await launcher.click();
      await page.getByRole('checkbox').check();
    },
    async type(text) {
      await composer.fill(text);
      await composer.press('Enter');
    },
    async shoot(name) {
      const file = path.join(screenshots, `${name}.png`);
      await page.screenshot({ path: file, animations: 'disabled' });
      console.log(`Screenshot: ${path.relative(root, file)}`);
    },
    close: () => context.close(),
  };
}

/** Runs in the page, before anything else. */
const noteEvents = `
  window.noted = [];
  for (const name of ['ready', 'open', 'close', 'consent', 'before-call', 'call-start', 'status', 'transcript', 'tool',
    'mute', 'error', 'call-end', 'callback-requested']) {
    addEventListener('callkite:' + name, ({ detail }) => window.noted.push({ name, detail }));
  }
`;

async function mount(callkite: Callkite, port: number, directory: string, sockets: Set<Duplex>) {
  const web = express();
  const files = widgetFiles({ directory });
  web.use('/widget', files.handler);
  web.use('/widget', widgetDemo({ callkite, files, urls: [`http://127.0.0.1:${port}`] }));
  web.use(callkiteMiddleware(callkite));
  const server = createServer(web);
  const detach = attachSockets(server, callkite);
  server.on('upgrade', (_request, socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await listen(server, port);
  return {
    async close() {
      detach();
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
