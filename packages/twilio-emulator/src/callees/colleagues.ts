import { type CalleeLine, defineCallee } from './callee.ts';

/** Somebody who picks up waits so long to be told what it is about. */
const patienceMs = 20_000;

/** Listens to what a call is about, then does something about it and stays on the line. */
function whenAsked(react: (line: CalleeLine) => Promise<void>): (line: CalleeLine) => Promise<void> {
  return async (line) => {
    await line.heard({ withinMs: patienceMs });
    await react(line);
    await line.silence();
  };
}

/** People whom calls are transferred to: each is told of a call, and takes it or not. */
export const colleagues = [
  defineCallee({
    name: 'colleague who presses 1',
    description: 'Takes a call that is offered with the key 1',
    numbers: ['+12025550160'],
    converse: whenAsked((line) => line.press('1')),
  }),
  defineCallee({
    name: 'colleague who says yes',
    description: 'Takes a call that is offered in words',
    numbers: ['+12025550161'],
    converse: whenAsked((line) => line.say('Yes, put them through.')),
  }),
  defineCallee({
    name: 'colleague who presses 2',
    description: 'Refuses a call that is offered with the key 2',
    numbers: ['+12025550162'],
    converse: whenAsked((line) => line.press('2')),
  }),
  defineCallee({
    name: 'colleague who says no',
    description: 'Refuses a call that is offered in words',
    numbers: ['+12025550163'],
    converse: whenAsked((line) => line.say('No, not now.')),
  }),
  defineCallee({
    name: 'colleague who asks back',
    description: 'Asks what this is when a call is offered, and takes it when asked again',
    numbers: ['+12025550164'],
    converse: async (line) => {
      await line.heard({ withinMs: patienceMs });
      await line.say('Sorry, what is this?');
      await line.heard({ withinMs: patienceMs });
      await line.say('Okay, sure.');
      await line.silence();
    },
  }),
  defineCallee({
    name: 'colleague who is elsewhere',
    description: 'Picks up and says nothing',
    numbers: ['+12025550165'],
    converse: (line) => line.silence(),
  }),
];
