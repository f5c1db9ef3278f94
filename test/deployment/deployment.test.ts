import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { eventually, freePort } from '../embedded.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFile(path.join(root, file), 'utf8');
const dockerfile = await read('Dockerfile');
const environment = await read('.env.example');
const knownSettings = new Set(
  environment.match(/^#?[A-Z][A-Z0-9_]+(?==)/gm)?.map((name) => name.replace('#', '')),
);

/** Stands for the root of the images: a stage has no more than its own folders below it. */
const image = await mkdtemp(path.join(tmpdir(), 'callkite-image-'));
await chmod(image, 0o755);
afterAll(() => rm(image, { recursive: true, force: true }));

/** The command with the folders of the image in place of those at the root of a real one. */
const below = (command: string) => command.replace(/(?<![\w./-])\/(?=(src|app|data)\b)/g, `${image}/`);

async function run(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('/bin/sh', ['-ec', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors] = [text(child.stdout), text(child.stderr)];
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`RUN ${command} ended with ${code}: ${await output}${await errors}`);
}

/** What a pattern of .dockerignore leaves out. */
const ignored = (await read('.dockerignore'))
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.replaceAll('.', '\\.').replaceAll('*', '[^/]*').replaceAll('[^/]*[^/]*/', '(.*/)?'))
  .map((pattern) => new RegExp(`^${pattern}(/|$)`));
const isIgnored = (file: string) => ignored.some((pattern) => pattern.test(path.relative(root, file)));
/** What a build makes anew from the sources; taken over here so that it finds nothing to do. */
const isBuilt = (file: string) => /^(packages|apps)\/[^/]+\/dist(\/|$)/.test(path.relative(root, file));

interface Stage {
  cwd: string;
  env: NodeJS.ProcessEnv;
  user: string;
  healthcheck: string[];
  command: string[];
}

const argumentsOf = (instruction: Instruction) => instruction.getArguments().map((each) => each.getValue());
const jsonOf = (instruction: Instruction) =>
  (instruction as JSONInstruction).getJSONStrings().map((each) => each.getJSONValue());

/** Does what a builder would do with the Dockerfile, in folders of this machine. @returns the last stage */
async function build(): Promise<Stage> {
  let stage: Stage | null = null;
  const prefix = path.join(image, 'global');
  for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) {
    const keyword = instruction.getKeyword();
    const given = argumentsOf(instruction);
    if (keyword === 'FROM') {
      const env = { ...process.env, npm_config_prefix: prefix, PATH: `${prefix}/bin:${process.env.PATH}` };
      stage = { cwd: image, env, user: 'root', healthcheck: [], command: [] };
      continue;
    }
    if (!stage) throw new Error('the Dockerfile begins with FROM');
    switch (keyword) {
      case 'WORKDIR':
        stage.cwd = below(given[0] ?? '');
        await mkdir(stage.cwd, { recursive: true });
        break;
      case 'ENV':
        for (const pair of given) {
          const [name = '', value = ''] = pair.split(/=(.*)/s);
          stage.env[name] = below(value);
        }
        break;
      case 'COPY': {
        const [from = '', to = ''] = given.filter((each) => !each.startsWith('--'));
        const isContext = !/--from=/.test(
          instruction.toString() + dockerfile.split('\n')[instruction.getRange().start.line],
        );
        const source = isContext ? path.join(root, from) : below(from);
        const filter = isContext ? (file: string) => isBuilt(file) || !isIgnored(file) : () => true;
        const target = path.resolve(stage.cwd, below(to));
        if (source !== target)
          await cp(source, target, {
            recursive: true,
            filter,
            verbatimSymlinks: true,
            preserveTimestamps: true,
          });
        break;
      }
      case 'RUN':
        // There is no user of this name here, as a rule; the data is given to the one that runs the server.
        await run(
          below(given.join(' ')).replace('chown node:node', `chown ${uid}:${uid}`),
          stage.cwd,
          stage.env,
        );
        break;
      case 'USER':
        stage.user = given[0] ?? '';
        break;
      case 'HEALTHCHECK':
        stage.healthcheck = JSON.parse(
          dockerfile.slice(dockerfile.indexOf('["node", "-e"')).split('\n')[0] ?? '',
        );
        break;
      case 'CMD':
        stage.command = jsonOf(instruction);
        break;
      case 'VOLUME':
      case 'EXPOSE':
      case 'STOPSIGNAL':
        break;
      default:
        throw new Error(`this test does not know what ${keyword} does`);
    }
  }
  if (!stage) throw new Error('the Dockerfile has no stage');
  return stage;
}

const isRoot = process.getuid?.() === 0;
/** `nobody`, where this is root. */
const uid = isRoot ? 65_534 : (process.getuid?.() ?? 0);

describe('Dockerfile', () => {
  it('has nothing that a linter minds', () => {
    expect(validate(dockerfile).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual(
      [],
    );
  });

  it('makes a server that starts as its CMD says, without being root, and is healthy', async () => {
    const stage = await build();
    expect(stage.user).toBe('node');
    const port = await freePort();
    const env = {
      ...stage.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      PUBLIC_URL: 'https://calls.example.com',
      CALLKITE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      CALLKITE_OPERATOR_TOKEN: 'operator-token-of-the-image',
      OPENAI_API_KEY: 'none',
    };
    const [command = '', ...rest] = stage.command;
    const child = spawn(command, rest, {
      cwd: stage.cwd,
      env,
      ...(isRoot && { uid, gid: uid }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors] = [text(child.stdout), text(child.stderr)];
    const closed = once(child, 'close');
    try {
      const isUp = () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      await eventually(
        'the start',
        async () => {
          if (child.exitCode !== null) throw new Error(`it ended: ${await output}${await errors}`);
          return isUp();
        },
        120_000,
      );
      const [checker = '', ...check] = stage.healthcheck;
      const healthcheck = spawn(checker, check, { cwd: stage.cwd, env, stdio: 'ignore' });
      expect((await once(healthcheck, 'close'))[0]).toBe(0);
      const sick = spawn(checker, check, {
        env: { ...env, PORT: String(await freePort()) },
        stdio: 'ignore',
      });
      expect((await once(sick, 'close'))[0]).toBe(1);
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe(String(uid));
      const widget = await fetch(`http://127.0.0.1:${port}/widget/v1/widget.js`);
      expect(widget.status).toBe(200);
    } finally {
      child.kill('SIGTERM');
      await closed;
    }
    expect(child.exitCode, await errors).toBe(0);
  }, 400_000);

  it('leaves secrets, tests and what was built elsewhere out of the context', () => {
    for (const file of [
      '.env',
      'apps/server/.env',
      '.callkite/secret',
      'node_modules/x',
      'test/embedded.ts',
      '.git/config',
      'packages/core/dist/index.js',
      'packages/core/src/http/node.test.ts',
    ])
      expect(isIgnored(path.join(root, file)), file).toBe(true);
    for (const file of [
      'package.json',
      'pnpm-lock.yaml',
      '.env.example',
      'packages/core/src/index.ts',
      'apps/widget/vite.config.ts',
    ])
      expect(isIgnored(path.join(root, file)), file).toBe(false);
  });
});

describe('compose.yaml', () => {
  interface Service {
    readonly image?: string;
    readonly build?: string;
    readonly ports?: readonly string[];
    readonly healthcheck?: object;
    readonly environment?: Readonly<Record<string, string>>;
    readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
    readonly volumes?: readonly string[];
    readonly configs?: readonly { readonly source: string }[];
  }
  interface Compose {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, null>>;
    readonly configs: Readonly<Record<string, { readonly content: string }>>;
  }

  it('runs the server with a database behind a proxy that alone can be reached', async () => {
    const { services, volumes, configs } = parse(await read('compose.yaml')) as Compose;
    expect(Object.keys(services)).toEqual(['callkite', 'postgres', 'caddy']);
    for (const [name, service] of Object.entries(services)) {
      expect(Boolean(service.image) !== Boolean(service.build), name).toBe(true);
      expect(service.ports !== undefined, name).toBe(name === 'caddy');
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const checked =
          services[other]?.healthcheck ?? (services[other]?.build && /^HEALTHCHECK/m.test(dockerfile));
        expect(checked, other).toBeTruthy();
        expect(condition).toBe('service_healthy');
      }
      for (const volume of service.volumes ?? [])
        expect(Object.keys(volumes)).toContain(volume.split(':')[0]);
      for (const { source } of service.configs ?? [])
        expect(configs[source]?.content).toContain('callkite:3000');
    }
    const settings = Object.keys(services.callkite?.environment ?? {});
    expect(settings.filter((name) => !knownSettings.has(name))).toEqual([]);
  });

  it('starts with no value missing and none made up', async () => {
    const variables = [...(await read('compose.yaml')).matchAll(/\$\{(\w+)([^}]*)\}/g)];
    expect(variables.length).toBeGreaterThan(0);
    for (const [, name, rest] of variables) expect(rest, name).toMatch(/^:\?./);
  });
});

describe('callkite.service', () => {
  it('starts what the Dockerfile starts, with settings there are', async () => {
    const unit = await read('apps/server/callkite.service');
    const command = /^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '[]';
    expect(/^ExecStart=\/usr\/bin\/(.*)$/m.exec(unit)?.[1]).toBe((JSON.parse(command) as string[]).join(' '));
    const names = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(
      ([, pairs = '']) => pairs.match(/\w+(?==)/g) ?? [],
    );
    expect(names.filter((name) => !knownSettings.has(name))).toEqual([]);
  });
});

describe('OPERATIONS.md', () => {
  it('says of every metric when to look into it, and names only settings there are', async () => {
    const page = await read('apps/server/OPERATIONS.md');
    const metrics = (await read('apps/server/src/metrics.ts')).match(/(?<=')callkite_\w+(?=')/g) ?? [];
    const rows = [...page.matchAll(/^\| `(callkite_\w+)`/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual([...new Set(metrics)].sort());
    const settings = page.match(/\b(CALLKITE_[A-Z_]+|[A-Z]+_URL)\b/g) ?? [];
    expect(settings.filter((name) => !knownSettings.has(name))).toEqual([]);
  });
});
