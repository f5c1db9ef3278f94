#!/usr/bin/env node
import { runCommand } from './command.ts';

runCommand(process.argv.slice(2)).then(
  (emulator) => {
    const stop = () => void emulator?.close();
    if (emulator) process.once('SIGTERM', stop).once('SIGINT', stop);
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
