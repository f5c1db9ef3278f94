import { defineCallee } from './callee.ts';
import { agentSpeaksFirst, cooperate, jordan, sayGoodbye } from './cooperation.ts';

/** People who pick up and go along with the call, each in a different way. */
export const cooperativeCallees = [
  defineCallee({
    name: 'cooperative',
    description: 'Picks up after 1.5 s and answers every question sensibly',
    numbers: ['+12025550100'],
    converse: (line) => cooperate(line, jordan),
  }),
  defineCallee({
    name: 'slow to pick up',
    description: 'Lets the phone ring for 12 s, then cooperates',
    numbers: ['+12025550101'],
    pickUp: { afterMs: 12_000 },
    converse: (line) => cooperate(line, jordan),
  }),
  defineCallee({
    name: 'terse',
    description: 'Cooperates in as few words as possible',
    numbers: ['+12025550102'],
    converse: (line) =>
      cooperate(line, {
        ...jordan,
        answers: {
          'anything-else': 'No.',
          'how-are-you': 'Fine.',
          'yes-or-no': 'Yes.',
          identity: 'Yes.',
          name: jordan.name,
          email: jordan.email,
          rating: 'Eight.',
          count: 'Two.',
          statement: 'Okay.',
          goodbye: 'Bye.',
        },
      }),
  }),
  defineCallee({
    name: 'talkative',
    description: 'Cooperates, and tells a story with the first answer',
    numbers: ['+12025550103'],
    converse: async (line) => {
      await agentSpeaksFirst(line);
      await line.say(
        'Oh, how nice of you to call. I was just watering the plants, they suffer so much in this weather. ' +
          'My neighbour says I should buy new ones, but I like the old ones. Anyway, yes, go ahead, please.',
      );
      await cooperate(line, {
        ...jordan,
        answers: {
          'yes-or-no': 'Yes, of course, that is absolutely fine with me, thank you very much for asking.',
          'how-are-you': 'I am very well, thank you, a little tired from the garden, but I cannot complain.',
        },
      });
    },
  }),
  defineCallee({
    name: 'forthcoming',
    description: 'Gives name, e-mail and phone number without being asked, then cooperates',
    numbers: ['+12025550104'],
    converse: async (line) => {
      await agentSpeaksFirst(line);
      await line.say(
        `Yes, hello. My name is ${jordan.name}, my e-mail is ${jordan.email}, and my number is ${jordan.phoneNumber}.`,
      );
      await cooperate(line, jordan);
    },
  }),
  defineCallee({
    name: 'reschedules',
    description: 'Cannot make any appointment that is offered and asks for Thursday at 3 pm instead',
    numbers: ['+12025550105'],
    converse: async (line) => {
      await agentSpeaksFirst(line);
      await line.say('Sorry, that does not suit me. Could we move it to Thursday at 3 pm instead?');
      await cooperate(line, { ...jordan, answers: { time: 'Thursday at 3 pm works for me.' } });
    },
  }),
  defineCallee({
    name: 'asks who calls',
    description: 'Asks who is calling and why, then cooperates',
    numbers: ['+12025550106'],
    converse: async (line) => {
      await agentSpeaksFirst(line);
      await line.say('Who is calling, please, and what is this about?');
      await cooperate(line, jordan);
    },
  }),
  defineCallee({
    name: 'not interested',
    description: 'Declines politely and says goodbye',
    numbers: ['+12025550107'],
    converse: async (line) => {
      await agentSpeaksFirst(line);
      await line.say('No, thank you, I am not interested.');
      await line.heard({ withinMs: 5000 });
      await sayGoodbye(line);
    },
  }),
  defineCallee({
    name: 'wrong person',
    description: 'Says that the person asked for cannot be reached at this number',
    numbers: ['+12025550108'],
    converse: async (line) => {
      await agentSpeaksFirst(line);
      await line.say('You have the wrong number. Nobody of that name lives here.');
      await line.heard({ withinMs: 5000 });
      await sayGoodbye(line);
    },
  }),
  defineCallee({
    name: 'hard of hearing',
    description: 'Asks the agent to repeat itself once, then cooperates',
    numbers: ['+12025550109'],
    converse: async (line) => {
      await agentSpeaksFirst(line);
      await line.say('Sorry, I did not catch that. Could you say it again?');
      await cooperate(line, jordan);
    },
  }),
];

/** Everybody at a fictional number without a script of its own: a short conversation, for many calls at once. */
export const anyoneElse = defineCallee({
  name: 'anyone else',
  description: 'Cooperates briefly: agrees, thanks, says goodbye and hangs up',
  numbers: [/^\+1[2-9]\d{2}55501\d{2}$/, '+15005550006'],
  pickUp: { afterMs: 800 },
  converse: async (line) => {
    await agentSpeaksFirst(line);
    await line.say('Yes, that is fine.');
    await line.heard({ withinMs: 10_000 });
    await line.say('Thank you. Goodbye.');
    await line.heard({ withinMs: 3000 });
    await line.hangUp();
  },
});
