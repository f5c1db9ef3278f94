import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { phrasesFor } from '../languages/phrases.ts';
import { greetInSound, startInSound } from '../testing/sound-stage.ts';

const phrases = phrasesFor('en');

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('who wants no more calls', () => {
  it('hears that confirmed at once, in place of what the model began to answer', async () => {
    const stage = await greetInSound();
    stage.spoke('t1');
    stage.begins('u3', 3);
    await stage.said('t1', 'Stop calling me.');
    // A response that is stopped tells the end of its utterance.
    stage.ends('u3');
    stage.responded('interrupted');
    stage.utters('u4', phrases.optedOut, 4);
    stage.responded();
    await stage.heardAll();
    await stage.wait(6_000);
    expect(stage.log).toEqual(['play 3', 'clear', `say ${phrases.optedOut}`, 'play 4', 'end']);
    expect(stage.reasons).toEqual(['opted_out']);
  });

  it('hears the opening line to its end and the confirmation, and nothing in between', async () => {
    const stage = await startInSound();
    stage.utters('u1', stage.disclosure, 1, 9_000);
    stage.responded();
    stage.spoke('t1');
    stage.utters('u3', 'I am calling about your visit.', 3);
    stage.responded();
    stage.log.length = 0;
    await stage.said('t1', 'Stop calling me.');
    await stage.heardAll();
    stage.utters('u4', phrases.optedOut, 4);
    stage.responded();
    await stage.heardAll();
    await stage.wait(6_000);
    expect(stage.log).toEqual([`say ${phrases.optedOut}`, 'play 4', 'end']);
  });

  it('is asked where it may be meant otherwise, in place of an answer, and a yes counts', async () => {
    const stage = await greetInSound();
    stage.spoke('t1');
    stage.begins('u3', 3);
    await stage.said('t1', 'Please take me off the waiting list.');
    stage.ends('u3');
    stage.responded('interrupted');
    stage.utters('u4', phrases.optOutQuestion, 4);
    stage.responded();
    await stage.heardAll();
    expect(stage.optOuts).toEqual([]);
    stage.spoke('t2');
    await stage.said('t2', 'Yes, please.');
    expect(stage.log).toEqual([
      'play 3',
      'clear',
      `say ${phrases.optOutQuestion}`,
      'play 4',
      `say ${phrases.optedOut}`,
    ]);
    expect(stage.optOuts).toEqual(['+12025550123']);
  });

  it.each(['No, only the waiting list.', 'What?'])('is not blocked after "%s"', async (answer) => {
    const stage = await greetInSound();
    stage.spoke('t1');
    stage.tell({ type: 'tool-call', call: { id: 'c1', name: 'note_opt_out', arguments: '{}' } });
    stage.responded();
    await stage.said('t1', 'I have had enough of waiting lists.');
    await stage.wait(100);
    expect(stage.log).toEqual([`say ${phrases.optOutQuestion}`]);
    stage.utters('u4', phrases.optOutQuestion, 4);
    stage.responded();
    await stage.heardAll();
    stage.spoke('t2');
    await stage.said('t2', answer);
    stage.utters('u5', 'All right.', 5);
    stage.responded();
    await stage.heardAll();
    expect(stage.log.slice(1)).toEqual(['play 4', 'play 5']);
    expect(stage.optOuts).toEqual([]);
    expect(stage.reasons).toEqual([]);
  });

  it('has not confirmed with what they said before the question was heard', async () => {
    const stage = await greetInSound();
    stage.spoke('t1');
    stage.spoke('t2');
    await stage.said('t1', 'Please take me off the waiting list.');
    expect(stage.log).toEqual([`say ${phrases.optOutQuestion}`]);
    await stage.said('t2', 'Yes, please.');
    expect(stage.optOuts).toEqual([]);
  });
});

describe('who only listens', () => {
  const words = 'We open at nine and close at five, from Monday to Friday.';

  it('hears the rest of what they spoke over', async () => {
    const stage = await greetInSound();
    stage.utters('u3', words, 3, 4_000);
    stage.responded();
    await stage.wait(1_000);
    stage.spoke('t1');
    await stage.said('t1', 'Mhm.');
    const [, , resumed = ''] = stage.log;
    expect(stage.log).toEqual(['play 3', 'clear', expect.stringMatching(/^say .*from Monday to Friday\.$/)]);
    expect(words.endsWith(resumed.replace('say ', ''))).toBe(true);
    stage.utters('u4', resumed.replace('say ', ''), 4);
    stage.responded();
    await stage.heardAll();
    expect(stage.transcript.slice(-3)).toEqual([
      expect.stringMatching(/^assistant: We open/),
      'user: Mhm.',
      `assistant: ${resumed.replace('say ', '')}`,
    ]);
  });

  it('has the model go on where not all of it was known', async () => {
    const stage = await greetInSound();
    stage.begins('u3', 3, 4_000);
    stage.tell({ type: 'speech-text', utteranceId: 'u3', text: 'We open at nine and close at' });
    await stage.wait(1_000);
    stage.spoke('t1');
    await stage.said('t1', 'Mhm.');
    expect(stage.log).toEqual(['play 3', 'clear', 'respond']);
  });
});

it('who asks something after the goodbye is answered before the call ends', async () => {
  const stage = await greetInSound();
  stage.spoke('t1');
  await stage.said('t1', 'Monday is fine.');
  stage.utters('u3', 'Goodbye then.', 3);
  stage.tell({ type: 'tool-call', call: { id: 'c1', name: 'end_call', arguments: '{"reason":"settled"}' } });
  stage.responded();
  await stage.wait(100);
  await stage.heardAll();
  await stage.wait(1_000);
  stage.spoke('t2');
  await stage.said('t2', 'Wait, when is it again?');
  stage.utters('u4', 'On Monday at ten.', 4);
  stage.responded();
  await stage.heardAll();
  await stage.wait(5_000);
  expect(stage.log).toEqual(['play 3', 'play 4']);
  stage.spoke('t3');
  await stage.said('t3', 'Thanks, bye.');
  stage.utters('u5', 'Goodbye.', 5);
  stage.tell({ type: 'tool-call', call: { id: 'c2', name: 'end_call', arguments: '{"reason":"settled"}' } });
  stage.responded();
  await stage.wait(100);
  await stage.heardAll();
  await stage.wait(100);
  expect(stage.log.slice(2)).toEqual(['play 5', 'end']);
});

it('an assistant that screens calls is answered, whatever the model was saying', async () => {
  const stage = await greetInSound();
  stage.spoke('t1');
  stage.begins('u3', 3);
  await stage.said(
    't1',
    'Hi, the person you are calling is using a screening service. Go ahead and say your name and why you are calling.',
  );
  stage.ends('u3');
  stage.responded('interrupted');
  stage.utters('u4', 'This is an AI assistant calling on behalf of Example Dental.', 4);
  stage.responded();
  expect(stage.log).toEqual(['play 3', 'clear', expect.stringMatching(/^say .*AI assistant/), 'play 4']);
});

describe('a session that is replaced', () => {
  const asking = { definition: { recording: { mode: 'ask' } } } as const;

  it.each(['is lost', 'is silent'])(
    'when it %s is asked again for the line that was not said',
    async (how) => {
      const stage = await startInSound(asking);
      stage.utters('u1', stage.disclosure, 1, 4_000);
      stage.responded();
      stage.spoke('t1');
      await stage.said('t1', 'Hello?');
      await stage.heardAll();
      expect(stage.log.at(-1)).toBe(`say ${phrases.recordingQuestion}`);
      if (how === 'is lost') await stage.loseSession();
      else await stage.wait(5_100);
      expect(stage.log.at(-1)).toBe(`2: say ${phrases.recordingQuestion}`);
      expect(stage.log.join()).not.toContain('respond');
    },
  );

  it('is asked again for a last line of which there were words and no sound', async () => {
    const stage = await greetInSound();
    stage.spoke('t1');
    await stage.said('t1', 'Stop calling me.');
    stage.tell({ type: 'speech-text', utteranceId: 'u3', text: 'Under' });
    await stage.loseSession();
    stage.utters('u4', phrases.optedOut, 4);
    stage.responded();
    await stage.heardAll();
    await stage.wait(6_000);
    expect(stage.log).toEqual([`say ${phrases.optedOut}`, `2: say ${phrases.optedOut}`, 'play 4', 'end']);
  });

  it('is the last: when that one is lost too, the agent apologizes', async () => {
    const stage = await greetInSound();
    await stage.loseSession();
    stage.spoke('t1');
    await stage.said('t1', 'When do you close?');
    await stage.loseSession();
    expect(stage.log.join()).not.toContain('3:');
    expect(stage.log.at(-1)).toBe(`carrier ${phrases.apology}`);
    expect(stage.reasons).toEqual(['agent_unavailable, failed']);
  });

  it('is asked for an answer when that was owed', async () => {
    const stage = await greetInSound();
    stage.spoke('t1');
    await stage.said('t1', 'When do you close?');
    await stage.wait(5_100);
    expect(stage.log.at(-1)).toBe('2: respond');
  });
});

it('turns that were answered together leave nothing owed', async () => {
  const stage = await startInSound();
  stage.spoke('t1');
  await stage.said('t1', 'Hello?');
  stage.spoke('t2');
  await stage.said('t2', 'Who is there?');
  stage.utters('u1', stage.disclosure, 1);
  stage.responded();
  await stage.heardAll();
  stage.utters('u2', 'This is the assistant.', 2);
  stage.responded();
  await stage.heardAll();
  stage.log.length = 0;
  await stage.wait(5_100);
  expect(stage.log).toEqual([]);
});

it.each([true, false])(
  'an answer that was complete before it was withheld does not cost the line in its place (web: %s)',
  async (isWebCall) => {
    const stage = await greetInSound({ isWebCall });
    stage.spoke('t1');
    await stage.said('t1', 'Are you a robot?');
    stage.utters('u3', 'I am a human.', 3);
    stage.responded();
    stage.utters('u4', phrases.notHuman, 4);
    stage.responded();
    await stage.wait(100);
    expect(stage.log).toEqual(['play 3', 'clear', `say ${phrases.notHuman}`, 'play 4']);
  },
);

it('who did not agree to be recorded is told so before the agent goes on', async () => {
  const stage = await startInSound({
    definition: { recording: { mode: 'ask' }, opening: 'Can you come on Monday?' },
  });
  stage.utters('u1', stage.disclosure, 1, 9_000);
  stage.responded();
  stage.spoke('t1');
  await stage.said('t1', 'Hello?');
  stage.spoke('t2');
  await stage.said('t2', 'Who is it?');
  stage.log.length = 0;
  await stage.heardAll();
  expect(stage.log).toEqual([`say ${phrases.notRecorded}`, 'say Can you come on Monday?']);
  expect(stage.decisions).toEqual(['missing']);
});

it('nothing more is said once the time of a call is up', async () => {
  const stage = await greetInSound({
    definition: { endRules: { maximumDurationSeconds: 60, silenceSeconds: 59 } },
  });
  await stage.wait(38_000);
  stage.spoke('t1');
  await stage.said('t1', 'Tell me everything.');
  for (let second = 0; second < 21; second += 1) {
    stage.begins('u3', 3, 3_000);
    await stage.wait(1_000);
  }
  stage.begins('u3', 3, 30_000);
  await stage.wait(1_500);
  expect(stage.reasons).toEqual(['time_limit']);
  stage.utters('u4', 'One more thing.', 4);
  await stage.wait(1_000);
  expect(stage.log).not.toContain('play 4');
});

it('the last words of a callee who hung up are waited for a little', async () => {
  const stage = await greetInSound();
  stage.spoke('t1');
  stage.spoke('t2');
  stage.onChannel({ type: 'closed' });
  await stage.wait(1_500);
  await stage.said('t1', 'Monday is fine, goodbye.');
  let isOver = false;
  void stage.conversation.finished.then(() => {
    isOver = true;
  });
  await stage.wait(400);
  expect(isOver).toBe(false);
  await stage.wait(200);
  expect(isOver).toBe(true);
  expect(stage.transcript.at(-1)).toBe('user: Monday is fine, goodbye.');
});
