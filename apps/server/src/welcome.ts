import type { Settings } from './env.ts';
import type { FirstStart } from './first-start.ts';
import type { Terminal } from './terminal.ts';

/** What this server runs on, in words. */
export function factsOf({
  twilio,
  openai,
  databaseUrl,
  dataDirectory,
}: Pick<Settings, 'twilio' | 'openai' | 'databaseUrl' | 'dataDirectory'>): readonly {
  readonly name: string;
  readonly value: string;
}[] {
  const carrier = twilio?.apiBaseUrl ? `Twilio at ${twilio.apiBaseUrl}` : 'Twilio';
  return [
    { name: 'Phone network', value: twilio ? carrier : 'emulated: no real phone can ring' },
    {
      name: 'Model',
      value: openai ? (openai.baseUrl ?? 'OpenAI') : 'emulated: follows rules, knows nothing',
    },
    { name: 'Storage', value: databaseUrl ? 'Postgres' : `embedded database in ${dataDirectory}` },
  ];
}

/** Says where the server is reached and what it runs on. */
export function greet(settings: Settings, { print, paint }: Terminal): void {
  const { loopbackUrl, production } = settings;
  const rows = [
    { name: 'API reference', value: `${loopbackUrl}/docs` },
    ...(production ? [] : [{ name: 'Widget', value: `${loopbackUrl}/widget/demo` }]),
    ...factsOf(settings),
  ];
  print(`${paint.good('Callkite listens on')} ${paint.strong(loopbackUrl)}`);
  for (const { name, value } of rows) print(`  ${paint.quiet(name.padEnd(13))}  ${value}`);
  print('');
}

/** Hands over what the first start made. The keys stand alone on their lines, to be found by eye and by script. */
export function introduce(first: FirstStart, settings: Settings, terminal: Terminal): void {
  const { print } = terminal;
  terminal.printText(
    `First start: created the organization “${first.organizationName}” with a sample workflow and these keys. They are shown only this once; “npx -y pnpm@10 new-key” creates another. Calls made with the test key never leave the emulated network.`,
  );
  print('');
  print(`API key (live): ${first.keys.live}`);
  print(`API key (test): ${first.keys.test}`);
  print(`Publishable key: ${first.publishableKey}`);
  print('');
  print('Place a call:');
  print('');
  const key = settings.twilio === null ? first.keys.live : first.keys.test;
  const body = {
    prompt: 'Ask whether the restaurant has a table for two tonight at 7 pm',
    recipient_phone: '+12025550102',
  };
  // One line, however long: it is there to be copied.
  print(
    `curl ${settings.loopbackUrl}/call-prompt -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
  );
  print('');
}
