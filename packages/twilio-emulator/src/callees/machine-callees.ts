import { type CalleeLine, defineCallee } from './callee.ts';
import { cooperate, jordan } from './cooperation.ts';

const GREETING = 'Hello, you have reached Jordan Avery. Please leave a message after the tone.';
const LONG_GREETING =
  'Hello and welcome to the offices of Example Company. Our offices are open from nine in the morning until five in ' +
  'the afternoon, from Monday to Friday, except on holidays. If you know the extension of the person you want to ' +
  'reach, please dial it at any time. For directions to our offices, please visit our website. For anything else, ' +
  'please stay on the line, and leave a message with your name, your number, and the best time to call you back, ' +
  'and one of our friendly staff will return your call as soon as possible. Thank you for calling Example Company.';

const MENU =
  'Thank you for calling Example Company. For our opening hours, press 1. For reception, press 2. To hear this again, press 3.';
const MENU_TRIES = 3;
const PUT_THROUGH_MS = 6000;

/** Records until 5 s of silence, as a mailbox does, and hangs up. */
async function recordMessage(line: CalleeLine): Promise<void> {
  while ((await line.heard({ withinMs: 5000 })) !== undefined);
  await line.hangUp();
}

/** Machines that pick up. */
export const machineCallees = [
  defineCallee({
    name: 'voicemail',
    description: 'Voicemail: a greeting of 5 s, a beep, and a recording that stops at silence',
    numbers: ['+12025550120'],
    answeredBy: { greeting: GREETING, beep: true },
    converse: recordMessage,
  }),
  defineCallee({
    name: 'machine without beep',
    description: 'A greeting of 5 s and no beep (machine_end_silence)',
    numbers: ['+12025550121'],
    answeredBy: { greeting: GREETING, beep: false },
    converse: recordMessage,
  }),
  defineCallee({
    name: 'long greeting',
    description: 'A greeting longer than the default detection timeout (machine_end_other)',
    numbers: ['+12025550122'],
    answeredBy: { greeting: LONG_GREETING, beep: true },
    converse: recordMessage,
  }),
  defineCallee({
    name: 'fax',
    description: 'A fax machine',
    numbers: ['+12025550123'],
    answeredBy: 'fax',
    converse: async (line) => {
      await line.wait(20_000);
      await line.hangUp();
    },
  }),
  defineCallee({
    name: 'phone menu',
    description: 'A recorded menu: key 2 leads to a reception that cooperates',
    numbers: ['+12025550140'],
    answeredBy: 'unknown',
    converse: async (line) => {
      for (let tries = 0; tries < MENU_TRIES; tries += 1) {
        await line.say(MENU);
        const key = await line.keyPressed({ withinMs: 8000 });
        if (key === '2') {
          await line.wait(PUT_THROUGH_MS);
          // What was said until now, the menu has heard.
          await line.heard({ withinMs: 1 });
          await line.say('Reception, this is Jordan speaking.');
          return cooperate(line, jordan);
        }
        if (key === '1') await line.say('We are open from nine to five, from Monday to Friday.');
        else await line.say('That is not a valid choice.');
      }
      await line.say('Goodbye.');
      await line.hangUp();
    },
  }),
];
