import { parseArgs } from 'node:util';
import type { Account } from './accounts.ts';
import { readConfigurationFile } from './configuration-file.ts';
import { startTwilioEmulator, type TwilioEmulator } from './emulator.ts';

const usage = `Usage: twilio-emulator [options]

  --port <number>            TCP port, 0 for any (default 4010)
  --host <address>           address to listen on (default 127.0.0.1)
  --speed <factor>           how much faster than life calls run (default 1)
  --config <file.json>       accounts, callees, faults and the options above; see the README
  --allow-insecure-loopback  also accept http: and ws: addresses of this machine
  --help                     show this text`;

const DEFAULT_PORT = 4010;

/**
 * Starts the emulator as the command line asks, and prints where it listens.
 *
 * @param args what follows the command
 * @returns undefined when only help was asked for
 * @throws Error for a flag or a configuration file that is not valid
 */
export async function runCommand(args: string[]): Promise<TwilioEmulator | undefined> {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      speed: { type: 'string' },
      config: { type: 'string' },
      'allow-insecure-loopback': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(usage);
    return undefined;
  }
  const fromFile = values.config === undefined ? {} : await readConfigurationFile(values.config);
  const emulator = await startTwilioEmulator({
    ...fromFile,
    port: values.port === undefined ? (fromFile.port ?? DEFAULT_PORT) : number('port', values.port),
    host: values.host ?? fromFile.host,
    speed: values.speed === undefined ? fromFile.speed : number('speed', values.speed),
    allowInsecureLoopback: values['allow-insecure-loopback'] ?? fromFile.allowInsecureLoopback,
  });
  console.log(`Twilio emulator listening on ${emulator.url}`);
  console.log(`The truth about calls: ${emulator.url}/_emulator/calls\n`);
  console.table(emulator.accounts.map(accountRow));
  return emulator;
}

function number(flag: string, text: string): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value)) throw new Error(`--${flag} takes a number, not '${text}'`);
  return value;
}

function accountRow(account: Account): Record<string, string | number> {
  const [first = 'none', ...others] = account.phoneNumbers;
  return {
    name: account.name,
    'account SID': account.sid,
    'auth token': account.authToken,
    'calls per second': account.callsPerSecond,
    'calls at once': account.concurrentCalls ?? 'no limit',
    numbers: others.length === 0 ? first : `${first} … ${others.at(-1)}`,
  };
}
