import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually, freePort } from '../embedded.ts';

const main = fileURLToPath(new URL('../../apps/server/dist/main.js', import.meta.url));

/** One process of the reference server, which may be started again after every end. */
export class ServerNode {
  readonly #targets: Set<number>;
  readonly #environment: Record<string, string>;
  #child: ChildProcess | undefined;
  #port = 0;

  /** @param targets the ports of a balancer, which gets requests to the process while it runs */
  constructor(targets: Set<number>, environment: Record<string, string>) {
    this.#targets = targets;
    this.#environment = environment;
  }

  get running(): boolean {
    return this.#targets.has(this.#port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#port = await freePort();
    const environment = { PATH: process.env.PATH ?? '', ...this.#environment, PORT: String(this.#port) };
    const child = spawn(process.execPath, [main], {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#child = child;
    await eventually(
      'the start of a node',
      async () =>
        child.exitCode === null &&
        (await fetch(`${this.url}/readyz`).then(
          (response) => response.ok,
          () => false,
        )),
      30_000,
    );
    this.#targets.add(this.#port);
  }

  /** It stands still until it is thawed; its connections stay open, and new ones go elsewhere. */
  freeze(): void {
    this.#targets.delete(this.#port);
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
    this.#targets.add(this.#port);
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Asks it to stop. @returns its exit code */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    this.#targets.delete(this.#port);
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    child.kill(signal);
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }
}
