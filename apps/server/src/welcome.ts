import type { Settings } from './env.ts';
import type { FirstStart } from './first-start.ts';

type Print = (line: string) => void;

/** Tells what this server runs on. */
export function greet(settings: Settings, print: Print): void {
  const { loopbackUrl, twilio, openai, databaseUrl, dataDirectory } = settings;
  print(`Callkite listens on ${loopbackUrl}`);
  print(`  API reference  ${loopbackUrl}/docs`);
  if (!settings.production) print(`  Widget         ${loopbackUrl}/widget/demo`);
  print(
    `  Phone network  ${twilio ? `Twilio${twilio.apiBaseUrl ? ` at ${twilio.apiBaseUrl}` : ''}` : 'emulated: no real phone can ring'}`,
  );
  print(
    `  Model          ${openai ? (openai.baseUrl ?? 'OpenAI') : 'emulated: follows rules, knows nothing'}`,
  );
  print(`  Storage        ${databaseUrl ? 'Postgres' : `embedded database in ${dataDirectory}`}`);
  print('');
}

/** Hands over what the first start made. The keys stand alone on their lines, to be found by eye and by script. */
export function introduce(first: FirstStart, settings: Settings, print: Print): void {
  print(
    `First start: made the organization “${first.organizationName}” with a sample workflow and these keys.`,
  );
  print('They are shown this once. Calls made with the test key never leave the emulated network.');
  print('');
  print(`API key (live): ${first.keys.live}`);
  print(`API key (test): ${first.keys.test}`);
  print(`Publishable key: ${first.publishableKey}`);
  print('');
  print('Have a call placed:');
  print('');
  const key = settings.twilio === null ? first.keys.live : first.keys.test;
  const body = {
    prompt: 'Ask whether the restaurant has a table for two tonight at 7 pm',
    recipient_phone: '+12025550102',
  };
  print(
    `curl ${settings.loopbackUrl}/call-prompt -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
  );
  print('');
}
