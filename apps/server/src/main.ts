import { loadSettings, type Settings } from './env.ts';
import { startServer } from './server.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);
const complain = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const settings = loadSettings();
  const server = await startServer(settings, print).catch((error: unknown) => {
    throw new Error(reasonNotStarted(error, settings), { cause: error });
  });
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) {
        complain(
          'Stopped at once. Calls that were live go on with another process, or after the next start.',
        );
        process.exit(130);
      }
      stopping = true;
      complain('Stopping once live calls have ended; a second signal stops at once.');
      server.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          complain(`The server did not stop cleanly: ${String(error)}`);
          process.exit(1);
        },
      );
    });
  }
}

/** One sentence that says what to do, for what goes wrong most. */
function reasonNotStarted(error: unknown, settings: Settings): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${settings.port} on ${settings.host} is in use: stop the program that listens there, or set PORT to another port.`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EEXIST':
      return `The data directory ${settings.dataDirectory} cannot be written: make it writable, or set CALLKITE_DATA_DIR to another directory.`;
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

main().catch((error: unknown) => {
  complain(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
