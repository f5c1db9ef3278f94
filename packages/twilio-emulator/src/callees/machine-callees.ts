import { type CalleeLine, defineCallee } from './callee.ts';
import { cooperate, jordan } from './cooperation.ts';

const GREETING = 'Hello, you have reached Jordan Avery. Please leave a message after the tone.';
const LONG_GREETING =
  'Hello and welcome to the offices of Example Company. Our offices are open from nine in the morning until five in ' +
  'the afternoon, from Monday to Friday, except on holidays. If you know the extension of the person you want to ' +
  'reach, please dial it at any time. For directions to our offices, please visit our website. For anything else, ' +
  'please stay on the line, and leave a message with your name, your number, and the best time to call you back, ' +
  'and one of our friendly staff will return your call as soon as possible. Thank you for calling Example Company.';

const FULL =
  'The mailbox you are trying to reach is full and cannot accept any messages at this time. Goodbye.';
const FAX = 'You have reached a fax machine. To send a fax, press start now.';
const SCREENING =
  'Hi, the person you are calling is using a screening service. Please say your name and why you are calling.';
const LOOKING = 'Thank you. Please stay on the line while I see if this person is available.';
const LOOKING_MS = 6000;
const RECORDING_MS = 180_000;

const MENU =
  'Thank you for calling Example Company. For our opening hours, press 1. For reception, press 2. To hear this again, press 3.';
const MENU_TRIES = 3;
const PUT_THROUGH_MS = 6000;

/** Records until 5 s of silence, as a mailbox does, and hangs up. */
async function recordMessage(line: CalleeLine): Promise<void> {
  while ((await line.heard({ withinMs: 5000 })) !== undefined);
  await line.hangUp();
}

const deeperMenu = (level: number) =>
  `For department ${level}, press 1. For more departments, press 2. For all other inquiries, press 3.`;

/** Asks who calls and why, and goes to look. */
async function screen(line: CalleeLine): Promise<void> {
  await line.agentSpeaks();
  await line.say(SCREENING);
  await line.heard();
  await line.say(LOOKING);
  await line.wait(LOOKING_MS);
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
    name: 'voicemail taken for a person',
    description:
      'Voicemail that detection takes for a person: a greeting in two parts, and a patient recording',
    numbers: ['+12025550124'],
    converse: async (line) => {
      await line.agentSpeaks();
      await line.say('Hi, this is Jordan.');
      await line.wait(800);
      await line.say('I cannot come to the phone right now, so please leave a message after the beep.');
      await line.beep();
      while ((await line.heard({ withinMs: RECORDING_MS })) !== undefined);
      await line.hangUp();
    },
  }),
  defineCallee({
    name: 'full mailbox',
    description: 'Says that the mailbox is full, and hangs up a while later',
    numbers: ['+12025550125'],
    answeredBy: 'unknown',
    converse: async (line) => {
      await line.agentSpeaks();
      await line.say(FULL);
      await line.wait(RECORDING_MS);
      await line.hangUp();
    },
  }),
  defineCallee({
    name: 'screened',
    description: 'An assistant asks for name and reason, goes to look, and fetches a person who cooperates',
    numbers: ['+12025550126'],
    answeredBy: 'unknown',
    converse: async (line) => {
      await screen(line);
      await line.say('Hello, this is Jordan, who is this?');
      await cooperate(line, jordan);
    },
  }),
  defineCallee({
    name: 'screened out',
    description: 'The same assistant, and nobody comes to the phone',
    numbers: ['+12025550127'],
    answeredBy: 'unknown',
    converse: async (line) => {
      await screen(line);
      await line.say('Thank you for your patience. Nobody can talk to you now. Goodbye.');
      await line.hangUp();
    },
  }),
  defineCallee({
    name: 'fax by words',
    description: 'A fax machine that says so, and that detection does not know',
    numbers: ['+12025550128'],
    answeredBy: 'unknown',
    converse: async (line) => {
      await line.agentSpeaks();
      await line.say(FAX);
      await line.wait(RECORDING_MS);
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
  defineCallee({
    name: 'deep menu',
    description: 'Menus behind menus, that lead to nobody',
    numbers: ['+12025550143'],
    answeredBy: 'unknown',
    converse: async (line) => {
      await line.agentSpeaks();
      for (let level = 1; ; level += 1) {
        await line.say(deeperMenu(level));
        await line.keyPressed({ withinMs: 15_000 });
      }
    },
  }),
];
