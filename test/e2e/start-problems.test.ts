import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually, freePort } from '../embedded.ts';
import { startPostgres, type TestPostgres } from '../postgres/start-postgres.ts';
import { buildServer, hasStarted, patienceMs, type Running, runServer } from './server-program.ts';

const server = fileURLToPath(new URL('../../apps/server/', import.meta.url));
const main = path.join(server, 'dist/main.js');
const isRoot = process.getuid?.() === 0;
/** Root may write everything and listen everywhere, unless it is without these rights. */
const asUser = isRoot ? ['setpriv', '--bounding-set=-net_bind_service,-dac_override,-dac_read_search'] : [];
/** A disk of this size that goes with the command. Not every machine lets one be mounted. */
const onSmallDisk = (megabytes: number, folder: string, command: string) => [
  'unshare',
  ...(isRoot ? [] : ['--map-root-user']),
  ...['--mount', 'sh', '-c'],
  `mount -t tmpfs -o size=${megabytes}m tmpfs "${folder}" && ${command}`,
];
const canMount = spawnSync('sh', ['-c', `${quoted(onSmallDisk(1, '/mnt', 'true'))}`]).status === 0;

let workspace: string;
/** A database of the embedded kind, with the key of its first start. */
let tried: string;
let firstKey = '';
const environment = { PATH: process.env.PATH ?? '', CALLKITE_DEMO: '0', CALLKITE_DRAIN_SECONDS: '0' };

function quoted(command: readonly string[]): string {
  return command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

const running: ChildProcess[] = [];
function begin(settings: Record<string, string>): Running {
  const begun = runServer(workspace, settings);
  running.push(begun.child);
  return begun;
}

interface Ended {
  readonly code: number | null;
  readonly printed: string;
  readonly last: string;
}

async function run(settings: Record<string, string>, command = [process.execPath, main]): Promise<Ended> {
  const [program = '', ...parameters] = command;
  const child = spawn(program, parameters, {
    cwd: workspace,
    env: { ...environment, PORT: String(await freePort()), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = [text(child.stdout), text(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  const printed = (await output) + (await errors);
  return { code, printed, last: (await errors).trimEnd().split('\n').at(-1) ?? '' };
}

/** It ends with one sentence, and shows no code. */
async function refused(settings: Record<string, string>, command?: string[]): Promise<string> {
  const { code, printed, last } = await run(settings, command);
  expect(code, printed).toBe(1);
  expect(printed).not.toMatch(/^\s+at |Aborted|Error:/m);
  return last;
}

beforeAll(async () => {
  await buildServer();
  workspace = await mkdtemp(path.join(tmpdir(), 'callkite-start-'));
  tried = path.join(workspace, 'tried');
  const first = begin({ PORT: String(await freePort()), CALLKITE_DATA_DIR: tried });
  await hasStarted(first);
  firstKey = await eventually('the key', () => /^API key \(live\): (\S+)$/m.exec(first.printed())?.[1]);
  first.child.kill('SIGTERM');
  expect(await first.exitCode).toBe(0);
}, 2 * patienceMs);

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rm(workspace, { recursive: true, force: true }));

/** A copy of the database that was tried, and what became of it. */
async function copied(name: string, harm: (database: string) => Promise<unknown>): Promise<string> {
  const folder = path.join(workspace, name);
  await cp(tried, folder, { recursive: true });
  await harm(path.join(folder, 'database'));
  return folder;
}

describe('a start that cannot succeed says why, and what to do', { timeout: patienceMs }, () => {
  it('when Node is too old, before anything is built or read', async () => {
    const preload = path.join(workspace, 'old-node.cjs');
    await writeFile(preload, "Object.defineProperty(process.versions, 'node', { value: '18.20.4' });");
    for (const file of [main, path.join(server, 'start.mjs')]) {
      const { code, printed } = await run({}, [process.execPath, '--require', preload, file]);
      expect(code).toBe(1);
      expect(printed).toMatch(/^This is Node 18\.20\.4, and Callkite needs Node 20\.19 .*nodejs\.org.*\n$/);
    }
  });

  it('when the port is not for everybody', async () => {
    const first = await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').catch(() => '1024');
    // Containers may let everybody listen everywhere.
    if (Number(first) <= 80) return;
    const last = await refused({ CALLKITE_DATA_DIR: tried, PORT: '80' }, [...asUser, process.execPath, main]);
    expect(last).toMatch(/^Port 80 needs rights .*: set PORT to 1024 or higher/);
  });

  it('when the folder, or the database in it, is read-only', async () => {
    const folder = path.join(workspace, 'read-only');
    await mkdir(folder);
    await chmod(folder, 0o555);
    const database = await copied('read-only-database', (database) => chmod(database, 0o555));
    for (const CALLKITE_DATA_DIR of [folder, path.join(folder, 'below'), database]) {
      const last = await refused({ CALLKITE_DATA_DIR }, [...asUser, process.execPath, main]);
      expect(last).toBe(
        `The data directory ${CALLKITE_DATA_DIR} cannot be written: make it writable, or set CALLKITE_DATA_DIR to another directory.`,
      );
    }
    await chmod(path.join(database, 'database'), 0o755);
  });

  it('when the database is damaged, and leaves what is left of it alone', async () => {
    const harms: Record<string, (database: string) => Promise<unknown>> = {
      cut: (database) => truncate(path.join(database, 'global/pg_control'), 0),
      partial: (database) => rm(path.join(database, 'PG_VERSION')),
      torn: (database) => rm(path.join(database, 'base'), { recursive: true }),
    };
    for (const [name, harm] of Object.entries(harms)) {
      const folder = await copied(name, harm);
      const before = spawnSync('du', ['-a', '--apparent-size', `${folder}/database`], { encoding: 'utf8' });
      expect(await refused({ CALLKITE_DATA_DIR: folder })).toBe(
        `The embedded database in ${folder} is damaged and cannot be opened: put a backup of this directory in its place, or set CALLKITE_DATA_DIR to another directory to start anew there.`,
      );
      const after = spawnSync('du', ['-a', '--apparent-size', `${folder}/database`], { encoding: 'utf8' });
      if (name === 'partial') expect(after.stdout).toBe(before.stdout);
    }
  });

  it('when the secret key is lost, is another one, or is none', async () => {
    const other = 'The stored credentials were sealed with another secret key: set CALLKITE_SECRET_KEY to ';
    const lost = await copied('lost-key', (database) => rm(path.join(database, '../secret-key')));
    expect(await refused({ CALLKITE_DATA_DIR: lost })).toContain(other);
    const CALLKITE_SECRET_KEY = randomBytes(32).toString('base64');
    expect(await refused({ CALLKITE_DATA_DIR: lost, CALLKITE_SECRET_KEY: 'short' })).toMatch(
      /^ {2}- CALLKITE_SECRET_KEY must be 32 random bytes in base64: `openssl rand -base64 32` makes one$/,
    );
    await rm(path.join(lost, 'secret-key'));
    expect(await refused({ CALLKITE_DATA_DIR: lost, CALLKITE_SECRET_KEY })).toContain(other);
    await writeFile(path.join(lost, 'secret-key'), '');
    expect(await refused({ CALLKITE_DATA_DIR: lost })).toMatch(
      /^The file \S+secret-key holds no secret key: put back the one from your backup/,
    );
  });

  if (canMount) {
    it('when the disk is full, and leaves nothing on it that keeps it so', async () => {
      const disk = path.join(workspace, 'disk');
      await mkdir(disk);
      const program = quoted([process.execPath, main]);
      const creating = onSmallDisk(20, disk, `{ ${program}; code=$?; ls "${disk}/data"; exit $code; }`);
      const folder = path.join(disk, 'data');
      const full = `The disk that holds the data directory ${folder} is full: free some space, or set CALLKITE_DATA_DIR to a directory on another disk.`;
      const created = await run({ CALLKITE_DATA_DIR: folder }, creating);
      expect([created.code, created.last]).toEqual([1, full]);
      expect(created.printed).not.toContain('database.unfinished');

      // Nothing is free on it but a few blocks.
      const filled = `cp -a "${tried}" "${folder}" && { cat /dev/zero > "${disk}/rest"; ${program}; }`;
      expect(await refused({ CALLKITE_DATA_DIR: folder }, onSmallDisk(50, disk, filled))).toBe(full);
    });
  }
});

if (canMount) {
  it('a disk that fills up while the server runs makes it not ready, until there is room again', {
    timeout: patienceMs,
  }, async () => {
    const disk = path.join(workspace, 'running-disk');
    await mkdir(disk);
    const PORT = String(await freePort());
    const folder = path.join(disk, 'data');
    const program = quoted([process.execPath, main]);
    const [command = '', ...parameters] = onSmallDisk(
      60,
      disk,
      `cp -a "${tried}" "${folder}" && exec ${program}`,
    );
    const child = spawn(command, parameters, {
      cwd: workspace,
      env: { ...environment, PORT, CALLKITE_DATA_DIR: folder },
      stdio: 'ignore',
    });
    running.push(child);
    const readiness = () =>
      fetch(`http://127.0.0.1:${PORT}/readyz`).then(
        async (answer) => `${answer.status} ${await answer.text()}`,
        () => '',
      );
    await eventually('the start', async () => (await readiness()).startsWith('200'), patienceMs);
    const request = async () =>
      (
        await fetch(`http://127.0.0.1:${PORT}/call-prompt`, {
          method: 'POST',
          headers: { authorization: `Bearer ${firstKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ prompt: 'Say hello', recipient_phone: '+12025550112' }),
        })
      ).status;
    // The disk is mounted for the server alone.
    const rest = `/proc/${child.pid}/root${disk}/rest`;
    spawnSync('sh', ['-c', `cat /dev/zero > "${rest}"`]);
    await eventually('word of the full disk', async () => /^503 .*"storage":"full"/.test(await readiness()));
    await rm(rest);
    await eventually('readiness', async () => (await readiness()).startsWith('200'));
    expect(await request()).toBe(200);
  });
}

describe('Postgres that cannot be used', { timeout: patienceMs }, () => {
  let database: TestPostgres;
  const production = {
    PUBLIC_URL: 'http://127.0.0.1:3000',
    CALLKITE_SECRET_KEY: randomBytes(32).toString('base64'),
  };
  const refusedBy = (change: (url: URL) => void) => {
    const url = new URL(database.url);
    change(url);
    return refused({ ...production, DATABASE_URL: url.href });
  };

  beforeAll(async () => {
    database = await startPostgres();
  }, 60_000);
  afterAll(() => database.stop());

  it('is named with what to do about it', async () => {
    const place = `Postgres at ${new URL(database.url).host}`;
    expect(
      await refusedBy((url) => {
        url.pathname = '/nothing';
      }),
    ).toBe(
      `${place} has no database “nothing”: create it (createdb nothing), or correct the name in DATABASE_URL.`,
    );
    expect(
      await refusedBy((url) => {
        url.searchParams.set('sslmode', 'verify-full');
      }),
    ).toBe(`${place} offers no TLS: turn it on there, or leave sslmode out of DATABASE_URL.`);
    const port = await freePort();
    expect(
      await refusedBy((url) => {
        url.port = String(port);
      }),
    ).toMatch(/ does not answer: start it, or correct host and port in DATABASE_URL\.$/);
    // A server of the test's own asks for passwords; one that is lent may trust this machine.
    if (process.env.TEST_DATABASE_URL) return;
    expect(
      await refusedBy((url) => {
        url.password = 'wrong';
      }),
    ).toMatch(/ refuses the user “callkite”: correct the user name and password in DATABASE_URL\.$/);
  });

  it('has no organization yet, which new-key says', async () => {
    const { code, last } = await run({ ...production, DATABASE_URL: database.url }, [
      process.execPath,
      main,
      'new-key',
    ]);
    expect([code, last]).toEqual([
      1,
      'There is no organization yet: start the server once, and it shows the first keys.',
    ]);
  });
});

describe('new-key', { timeout: 2 * patienceMs }, () => {
  const newKey = (settings: Record<string, string>, ...words: string[]) =>
    run(settings, [process.execPath, main, 'new-key', ...words]);

  it('makes keys that work beside the first ones, and says what keeps it from doing so', async () => {
    const made = await newKey({ CALLKITE_DATA_DIR: tried });
    const test = await newKey({ CALLKITE_DATA_DIR: tried }, 'test');
    expect([made.code, test.code]).toEqual([0, 0]);
    expect(made.printed).toContain('shown only this once');
    const keys = [made, test].map(({ printed }) => /^API key \((?:live|test)\): (\S+)$/m.exec(printed)?.[1]);
    expect(keys).toEqual([expect.stringMatching(/^ck_live_/), expect.stringMatching(/^ck_test_/)]);

    const port = await freePort();
    const open = begin({ PORT: String(port), CALLKITE_DATA_DIR: tried });
    await hasStarted(open);
    for (const key of [firstKey, ...keys]) {
      const headers = { authorization: `Bearer ${key}` };
      expect((await fetch(`http://127.0.0.1:${port}/workflows`, { headers })).status).toBe(200);
    }
    const busy = await newKey({ CALLKITE_DATA_DIR: tried });
    expect([busy.code, busy.last]).toEqual([
      1,
      `The embedded database in ${tried} is in use: stop the server, write new-key again, and then start the server.`,
    ]);
    open.child.kill('SIGTERM');
    expect(await open.exitCode).toBe(0);

    const empty = await newKey({ CALLKITE_DATA_DIR: 'never-used' });
    expect([empty.code, empty.last]).toEqual([
      1,
      'There is no organization yet: start the server once, and it shows the first keys.',
    ]);
    expect(spawnSync('ls', [path.join(workspace, 'never-used')]).status).not.toBe(0);
    expect((await newKey({ CALLKITE_DATA_DIR: tried }, 'life')).last).toBe(
      'Write: new-key [live|test] [organization id]',
    );
  });
});

describe('in a terminal', { timeout: 2 * patienceMs }, () => {
  /** Runs the server where somebody looks and types. */
  function inTerminal(columns: number, settings: Record<string, string>) {
    const inside = `stty cols ${columns}; exec ${quoted([process.execPath, main])}`;
    const child = spawn('script', ['--quiet', '--return', '--command', inside, '/dev/null'], {
      cwd: workspace,
      env: { ...environment, TERM: 'xterm-256color', ...settings },
    });
    running.push(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (printed += String(chunk)));
    const code = once(child, 'close').then(([ended]) => ended as number | null);
    return { printed: () => printed, code, press: (keys: string) => child.stdin.write(keys) };
  }
  const color = '\u001B[';

  it('keeps to its width, is colored unless NO_COLOR is set, and ends on Ctrl-C', async () => {
    const PORT = String(await freePort());
    const plain = inTerminal(44, {
      PORT,
      CALLKITE_DATA_DIR: tried,
      NO_COLOR: '1',
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    await eventually('the start', () => plain.printed().includes('Storage'), patienceMs);
    await eventually('word about Redis', () =>
      /Redis at 127\.0\.0\.1:1 does not answer/.test(plain.printed()),
    );
    expect(plain.printed()).not.toMatch(/^\s+at /m);
    expect((await fetch(`http://127.0.0.1:${PORT}/readyz`)).status).toBe(200);

    const colored = inTerminal(44, { PORT, CALLKITE_DATA_DIR: path.join(workspace, 'elsewhere') });
    expect(await colored.code).toBe(1);
    expect(colored.printed()).toContain(color);
    const shown = stripVTControlCharacters(colored.printed()).split('\r\n');
    expect(shown.join(' ')).toContain(
      `Port ${PORT} on 127.0.0.1 is in use: stop the program that listens there`,
    );
    expect(shown.filter((line) => line.length > 44 && !line.includes(workspace))).toEqual([]);

    plain.press('\u0003');
    expect(await plain.code).toBe(0);
    expect(plain.printed()).not.toContain(color);
  });

  it('ends on Ctrl-C while it starts', async () => {
    const starting = inTerminal(80, {
      PORT: String(await freePort()),
      CALLKITE_DATA_DIR: path.join(workspace, 'begun'),
    });
    await eventually('the first line', () => starting.printed().includes('Starting Callkite …'), patienceMs);
    starting.press('\u0003');
    expect([0, 130]).toContain(await starting.code);
    expect(starting.printed()).not.toMatch(/^\s+at /m);
  });
});

it('says what it is doing while the embedded database recovers from kill -9', {
  timeout: 2 * patienceMs,
}, async () => {
  const folder = await copied('killed', async () => undefined);
  const settings = { CALLKITE_DATA_DIR: folder };
  const killed = begin({ ...settings, PORT: String(await freePort()) });
  await hasStarted(killed);
  killed.child.kill('SIGKILL');
  await killed.exitCode;
  const again = begin({ ...settings, PORT: String(await freePort()) });
  await hasStarted(again);
  expect(again.printed()).toMatch(
    /^Starting Callkite …\n(Starting Callkite … \d+ s\n)*Opening the embedded database in \S+ …\n/,
  );
  again.child.kill('SIGTERM');
  expect(await again.exitCode).toBe(0);
});
