import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type N8nWorkflow, ownerLogin, type SavedWorkflow } from './n8n-api.ts';
import { startWorld, type World } from './world.ts';

const screenshots = fileURLToPath(new URL('../../../artifacts/n8n', import.meta.url));
let world: World;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  world = await startWorld();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  // Nothing outside of this machine is asked for anything.
  await page.route(
    (url) => url.hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  await page.goto(`${world.n8n.url}/signin`);
  await page.locator('input[type=email]').fill(ownerLogin.email);
  await page.locator('input[type=password]').fill(ownerLogin.password);
  await page.locator('button:has-text("Sign in")').click();
  await page.waitForURL((url) => !url.pathname.includes('signin'));
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});

async function saved(
  file: string,
  node: string,
  parameters: Record<string, unknown>,
): Promise<SavedWorkflow> {
  const url = new URL(`../../../examples/n8n/${file}`, import.meta.url);
  const workflow = JSON.parse(readFileSync(url, 'utf8')) as N8nWorkflow;
  return world.api.save({
    ...workflow,
    nodes: workflow.nodes.map((each) =>
      each.name === node
        ? { ...each, credentials: world.credentials, parameters: { ...each.parameters, ...parameters } }
        : each,
    ),
  });
}

async function open(workflow: SavedWorkflow, node?: string) {
  await page.goto(`${world.n8n.url}/workflow/${workflow.id}`);
  await page.locator('[data-test-id=canvas-node]').first().waitFor();
  await page.locator('[data-test-id=zoom-to-fit]').click();
  if (node === undefined) return;
  await page.locator(`[data-test-id=canvas-node][data-node-name="${node}"]`).dblclick();
  await page.locator('[data-test-id=node-parameters], [data-test-id=parameter-input]').first().waitFor();
}
const shoot = async (name: string) => {
  await page.waitForTimeout(1500);
  await page.screenshot({ path: path.join(screenshots, `${name}.png`) });
};
const label = (text: string) =>
  page.locator(`[data-test-id=input-label]:has-text("${text}"), label:has-text("${text}")`).first();

describe('the editor', () => {
  it('shows an example with the icons of the nodes', async () => {
    await open(
      await saved('completed-calls-to-crm.json', 'Call Completed', {
        workflowIds: [world.callkite.workflowId],
      }),
    );
    const icon = page.locator('[data-node-name="Call Completed"] img').first();
    expect(await icon.getAttribute('src')).toContain('n8n-nodes-callkite/dist/icons/callkite');
    await shoot('workflow');
  });

  it('shows the fields of Place with the workflow chosen from the list', async () => {
    const { workflowId } = world.callkite;
    const workflow = await saved('appointment-reminders.json', 'Place Reminder', {
      workflowId: { __rl: true, mode: 'list', value: workflowId, cachedResultName: 'Appointment reminder' },
    });
    await open(workflow, 'Place Reminder');
    for (const text of ['Resource', 'Operation', 'Workflow', 'Recipient Phone']) await label(text).waitFor();
    await shoot('place');
  });

  it('shows Wait for Result and its limit', async () => {
    await open(await saved('call-from-chat.json', 'Call and Wait', {}), 'Call and Wait');
    for (const text of ['Prompt', 'Wait for Result', 'Wait Limit (Minutes)']) await label(text).waitFor();
    await shoot('place-from-prompt');
  });

  it('shows the trigger with the workflows to choose from', async () => {
    const workflow = await saved('completed-calls-to-crm.json', 'Call Completed', {
      workflowIds: [world.callkite.workflowId],
      callStatuses: ['success', 'voicemail'],
    });
    await open(workflow, 'Call Completed');
    for (const text of ['Registration', 'Workflow Names or IDs', 'Call Statuses'])
      await label(text).waitFor();
    await page.locator('text=Appointment reminder').first().waitFor();
    await shoot('trigger');
  });
});
