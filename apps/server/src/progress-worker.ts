import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const { format, fd } = workerData as { format: 'text' | 'json'; fd: number };
const sayAgainMs = 5_000;
let timer: NodeJS.Timeout | undefined;

/** Receives what is being done, or `null` when it is done. */
parentPort?.on('message', (text: string | null) => {
  clearInterval(timer);
  if (text === null) {
    parentPort?.close();
    return;
  }
  const startedAt = performance.now();
  say(`${text} …`);
  timer = setInterval(() => {
    say(`${text} … ${Math.round((performance.now() - startedAt) / 1000)} s`);
  }, sayAgainMs);
});

function say(msg: string): void {
  const line = format === 'text' ? msg : JSON.stringify({ level: 30, time: Date.now(), msg });
  try {
    writeSync(fd, `${line}\n`);
  } catch {
    // A pipe that is full or closed.
  }
}
