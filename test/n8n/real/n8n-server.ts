import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, freePort } from '../../embedded.ts';
import { packNodes } from '../packed-nodes.ts';
import { n8nUnderTest } from './installations.ts';

export interface N8nServer {
  readonly url: string;
  /** Folder of the installation, for what comes with n8n. */
  readonly installation: string;
  /** Ends the process, as asked or without asking, and starts another one on the same data. */
  restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  stop(): Promise<void>;
}

/**
 * What n8n prints when it has started. It answers requests before, and refuses or loses some of them: it knows no
 * addresses yet, or still goes through the executions that its last process left unfinished. The waiting ones are
 * among them, and are `crashed` for a moment.
 */
const startedMessage = 'Editor is now accessible';
/** Above the 30 s after which n8n itself gives up on ending in good order. */
const longestEndMs = 60_000;

/** A real n8n with empty data and the packed nodes, installed as by its own user interface. */
export async function startN8n(options: { publicUrl: string; port: number }): Promise<N8nServer> {
  const { folder: installation, node } = n8nUnderTest();
  const userFolder = mkdtempSync(path.join(tmpdir(), 'callkite-real-n8n-'));
  const nodesFolder = path.join(userFolder, '.n8n/nodes');
  const packageFolder = path.join(nodesFolder, 'node_modules/n8n-nodes-callkite');
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(path.join(nodesFolder, 'package.json'), '{"name":"installed-nodes","private":true}');
  execFileSync('tar', ['-xzf', packNodes(userFolder), '-C', packageFolder, '--strip-components=1']);

  const url = `http://127.0.0.1:${options.port}`;
  const brokerPort = await freePort();
  let running: ChildProcess | undefined;

  async function start() {
    let printed = '';
    const n8n = spawn('nice', [node, path.join(installation, 'node_modules/n8n/bin/n8n'), 'start'], {
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
    });
    running = n8n;
    for (const stream of [n8n.stdout, n8n.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        printed += text;
      });
    }
    const hasStarted = () => {
      if (n8n.exitCode !== null) throw new Error(`n8n ended with ${n8n.exitCode}:\n${printed}`);
      return printed.includes(startedMessage);
    };
    await eventually('the start of n8n', hasStarted, 240_000);
  }

  /** Returns whether n8n ended in good order. */
  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<boolean> {
    const ended = running;
    if (!ended || ended.exitCode !== null) return true;
    const exit = once(ended, 'exit');
    ended.kill(signal);
    const force = setTimeout(() => ended.kill('SIGKILL'), longestEndMs);
    const [code] = await exit;
    clearTimeout(force);
    return code === 0;
  }

  await start();
  return {
    url,
    installation,
    async restart(signal) {
      const inGoodOrder = await end(signal);
      if (inGoodOrder !== (signal === 'SIGTERM'))
        throw new Error(`n8n did not end as ${signal} should end it`);
      await start();
    },
    async stop() {
      await end('SIGTERM');
      rmSync(userFolder, { recursive: true, force: true });
    },
  };
}
