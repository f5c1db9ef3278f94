import { loadSettings, type Settings } from './env.ts';
import { createProgress, type Progress } from './progress.ts';
import { reasonNotStarted } from './start-problems.ts';
import { createTerminal } from './terminal.ts';

const terminal = createTerminal(process.stdout);
/** A sentence stays on one line where it is collected. */
const complaints = createTerminal(process.stderr, Number.POSITIVE_INFINITY);

/** Prints why the server does not run, and ends. */
function fail(message: string): never {
  for (const line of message.split('\n')) complaints.printText(line, complaints.paint.bad);
  process.exit(1);
}

async function main(): Promise<void> {
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
  const isNewKey = command === 'new-key';
  // A key may be read from the output.
  const progress = isNewKey ? createProgress('text', 2) : progressFor(settings);
  // Before the rest is loaded, which takes a moment.
  progress.step(isNewKey ? 'Looking for the organization' : 'Starting Callkite');
  try {
    if (isNewKey) {
      const { newKey } = await import('./new-key.ts');
      await newKey(settings, terminal, words, progress);
      process.exit(0);
    }
    if (command !== undefined) {
      throw new Error(`There is no command “${command}”: write new-key, or nothing to start the server.`);
    }
    const { startServer } = await import('./server.ts');
    stop = (await startServer(settings, terminal, progress)).stop;
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
