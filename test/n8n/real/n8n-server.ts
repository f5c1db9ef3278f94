import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, freePort } from '../../embedded.ts';
import { packNodes } from '../packed-nodes.ts';
import { installN8n } from './installations.ts';

export interface N8nServer {
  readonly url: string;
  /** Folder of the installation, for what comes with n8n. */
  readonly installation: string;
  /** What it printed so far. */
  output(): string;
  /** Resolves when it is not just starting again. */
  ready(): Promise<void>;
  /** Stops the process and starts another one on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether n8n answers for real: while it starts, it knows no addresses yet, and then says 200 to each of them. */
async function isUp(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/rest/settings`).catch(() => null);
  return answer?.headers.get('content-type')?.includes('json') ?? false;
}

/** A real n8n with empty data and the packed nodes, installed as by its own user interface. */
export async function startN8n(options: { publicUrl: string; port: number }): Promise<N8nServer> {
  const installation = installN8n();
  const userFolder = mkdtempSync(path.join(tmpdir(), 'callkite-real-n8n-'));
  const nodesFolder = path.join(userFolder, '.n8n/nodes');
  const packageFolder = path.join(nodesFolder, 'node_modules/n8n-nodes-callkite');
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(path.join(nodesFolder, 'package.json'), '{"name":"installed-nodes","private":true}');
  execFileSync('tar', ['-xzf', packNodes(userFolder), '-C', packageFolder, '--strip-components=1']);

  const url = `http://127.0.0.1:${options.port}`;
  const brokerPort = await freePort();
  const chunks: string[] = [];
  let running: ChildProcess | undefined;

  async function start() {
    const n8n = spawn(
      'nice',
      [process.execPath, path.join(installation, 'node_modules/n8n/bin/n8n'), 'start'],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: process.env.PATH,
          HOME: userFolder,
          N8N_USER_FOLDER: userFolder,
          N8N_PORT: String(options.port),
          N8N_LISTEN_ADDRESS: '127.0.0.1',
          N8N_RUNNERS_BROKER_PORT: String(brokerPort),
          WEBHOOK_URL: `${options.publicUrl}/`,
          N8N_ENCRYPTION_KEY: 'only for these tests',
          GENERIC_TIMEZONE: 'America/New_York',
          N8N_SECURE_COOKIE: 'false',
          N8N_DIAGNOSTICS_ENABLED: 'false',
          N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
          N8N_TEMPLATES_ENABLED: 'false',
          N8N_PERSONALIZATION_ENABLED: 'false',
          N8N_HIRING_BANNER_ENABLED: 'false',
          N8N_DYNAMIC_BANNERS_ENABLED: 'false',
          EXTERNAL_FRONTEND_HOOKS_URLS: '',
        },
      },
    );
    running = n8n;
    n8n.stdout.on('data', (chunk) => chunks.push(String(chunk)));
    n8n.stderr.on('data', (chunk) => chunks.push(String(chunk)));
    const ready = async () => {
      if (n8n.exitCode !== null) throw new Error(`n8n ended with ${n8n.exitCode}:\n${chunks.join('')}`);
      return isUp(url);
    };
    await eventually('the start of n8n', ready, 240_000);
  }

  async function end() {
    const ended = running;
    if (!ended || ended.exitCode !== null) return;
    const exit = new Promise((resolve) => ended.once('exit', resolve));
    ended.kill('SIGTERM');
    const force = setTimeout(() => ended.kill('SIGKILL'), 20_000);
    await exit;
    clearTimeout(force);
  }

  let ready = start();
  await ready;
  return {
    url,
    installation,
    output: () => chunks.join(''),
    ready: () => ready,
    async restart() {
      ready = end().then(start);
      await ready;
    },
    async stop() {
      await end();
      rmSync(userFolder, { recursive: true, force: true });
    },
  };
}
