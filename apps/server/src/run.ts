import { loadSettings, type Settings } from './env.ts';
import { nodeProblem } from './node-version.ts';
import { createProgress, type Progress } from './progress.ts';
import { reasonNotStarted } from './start-problems.ts';
import { createTerminal } from './terminal.ts';

const terminal = createTerminal(process.stdout);
const complaints = createTerminal(process.stderr);

/** Prints why the server does not run, and ends. */
function fail(message: string): never {
  for (const line of message.split('\n')) complaints.print(complaints.paint.bad(line));
  process.exit(1);
}

async function main(): Promise<void> {
  const problem = nodeProblem(process.versions.node);
  if (problem !== null) fail(problem);
  let stop: (() => Promise<void>) | undefined;
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) {
        complaints.printText(
          'Stopped immediately. Calls that were live continue in another process or after the next start.',
        );
        process.exit(130);
      }
      stopping = true;
      // What an unfinished start leaves behind, the next one completes.
      if (stop === undefined) process.exit(0);
      complaints.printText('Stopping when live calls have ended. A second signal stops immediately.');
      stop().then(
        () => process.exit(0),
        (error: unknown) => fail(`The server did not stop cleanly: ${String(error)}`),
      );
    });
  }

  const settings = loadSettings();
  const [command, ...words] = process.argv.slice(2);
  if (command === 'new-key') {
    const { newKey } = await import('./new-key.ts');
    await newKey(settings, terminal, words).catch(explained(settings));
    process.exit(0);
  }
  const progress = progressFor(settings);
  // Before the rest is loaded, which takes a moment.
  progress.step('Starting Callkite');
  try {
    const { startServer } = await import('./server.ts');
    const server = await startServer(settings, terminal, progress);
    stop = server.stop;
  } catch (error) {
    await explained(settings)(error);
  } finally {
    progress.end();
  }
}

const explained = (settings: Settings) => async (error: unknown) => {
  throw new Error(await reasonNotStarted(error, settings), { cause: error });
};

/** Production writes JSON until it listens, if anything. */
function progressFor({ production, logLevel }: Settings): Progress {
  const isLogged = ['info', 'debug', 'trace'].includes(logLevel);
  if (production && !isLogged) return { step() {}, end() {} };
  return production ? createProgress('json', 2) : createProgress('text', 1);
}

main().catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
