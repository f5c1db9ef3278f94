import { defineCallee } from './callee.ts';
import { agentSpeaksFirst, cooperate, jordan } from './cooperation.ts';

/** People who pick up and make the conversation hard. */
export const difficultCallees = [
  defineCallee({
    name: 'hangs up midway',
    description: 'Answers once, then hangs up while the agent speaks',
    numbers: ['+12025550130'],
    converse: async (line) => {
      await agentSpeaksFirst(line);
      await line.say('Yes?');
      await line.interrupt('I have to go.', { afterMs: 700 });
      await line.hangUp();
    },
  }),
  defineCallee({
    name: 'hangs up at once',
    description: 'Picks up, says nothing, and hangs up after 1 s',
    numbers: ['+12025550131'],
    converse: async (line) => {
      await line.wait(1000);
      await line.hangUp();
    },
  }),
  defineCallee({
    name: 'interrupts',
    description: 'Cuts the agent off in its first and second sentences, then cooperates',
    numbers: ['+12025550132'],
    converse: async (line) => {
      await line.interrupt('Wait, wait, who is this?', { afterMs: 1200 });
      await line.interrupt('And what do you want from me?', { afterMs: 1200 });
      await cooperate(line, jordan);
    },
  }),
  defineCallee({
    name: 'silent',
    description: 'Picks up and never makes a sound',
    numbers: ['+12025550133'],
    answeredBy: 'unknown',
    converse: (line) => line.silence(),
  }),
  defineCallee({
    name: 'wants no calls',
    description: 'Asks not to be called again, and hangs up after the answer',
    numbers: ['+12025550134'],
    converse: async (line) => {
      await agentSpeaksFirst(line);
      await line.say('Please stop calling me. Take me off your list.');
      await line.heard({ withinMs: 8000 });
      await line.hangUp();
    },
  }),
  defineCallee({
    name: 'presses keys',
    description: 'Answers with the keys 1, 2 and #, then cooperates',
    numbers: ['+12025550135'],
    converse: async (line) => {
      await agentSpeaksFirst(line);
      for (const key of ['1', '2', '#']) await line.press(key);
      await cooperate(line, jordan);
    },
  }),
  defineCallee({
    name: 'picks up late',
    description: 'The greeting of a mailbox has begun when a person picks up, who cooperates',
    numbers: ['+12025550137'],
    answeredBy: 'unknown',
    converse: async (line) => {
      await line.agentSpeaks();
      await line.say('Hello, you have reached the voicemail of Jordan Avery. Please leave');
      await line.say('Hello? Sorry, I am here. Who is this?');
      await cooperate(line, jordan);
    },
  }),
  defineCallee({
    name: 'answers at length',
    description: 'Answers with a long sentence, then cooperates',
    numbers: ['+12025550138'],
    converse: async (line) => {
      await line.agentSpeaks();
      await line.say(
        'Good afternoon, this is the front desk of Example Company, we are rather busy here today but I will do what I ' +
          'can for you, so go ahead and tell me what it is that you need.',
      );
      await cooperate(line, jordan);
    },
  }),
  defineCallee({
    name: 'taken for a machine',
    description: 'Says "Yep.", which the carrier takes for a machine (machine_end_silence), then cooperates',
    numbers: ['+12025550139'],
    answeredBy: { mistakenFor: 'machine_end_silence' },
    converse: async (line) => {
      await line.agentSpeaks();
      await line.say('Yep.');
      await cooperate(line, jordan);
    },
  }),
  defineCallee({
    name: 'suspects a robot',
    description: 'Asks whether it talks to a robot, then cooperates',
    numbers: ['+12025550136'],
    converse: async (line) => {
      await agentSpeaksFirst(line);
      await line.say('Wait a second. Are you a robot?');
      await cooperate(line, jordan);
    },
  }),
];
