import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Stage, stage, twiml } from '../testing/application.ts';
import { builtInCallees } from './built-in-callees.ts';

const SPEED = 20;
const from = '+12025550183';
const agentLines = [
  'Hello, this is an assistant calling from Example Clinic. Am I speaking with Jordan?',
  'Could you tell me your name, please?',
  'What is your e-mail address?',
  'Which day works for you, Tuesday at 3 pm or Friday at 9 am?',
  'Thank you very much. Goodbye.',
];

let on: Stage;
beforeEach(async () => {
  on = await stage({ speed: SPEED });
});
afterEach(() => on.close());

/** Calls a number with an agent that says its lines one after the other, whatever the answers. */
async function talkTo(to: string) {
  const { application, client } = on;
  const noun = `<ConversationRelay url="${application.socketUrl}/relay" dtmfDetection="true"/>`;
  application.answer('/twiml', () => twiml(`<Connect>${noun}</Connect>`));
  application.onSocket((relay) => {
    let next = 0;
    const speak = () => relay.send({ type: 'text', token: agentLines[next++] ?? 'Goodbye.', last: true });
    relay.socket.on('message', (data) => {
      const { type } = JSON.parse(data.toString());
      if (type === 'setup' || type === 'prompt') speak();
    });
  });
  const { sid } = await client.calls.create({ to, from, url: `${application.url}/twiml`, timeLimit: 60 });
  const record = await on.ended(sid);
  const said = record.transcript.filter((line) => line.speaker === 'callee').map((line) => line.text);
  const heard = record.transcript.filter((line) => line.speaker === 'agent');
  return { record, said, heard, messages: application.sockets[0]?.messages ?? [] };
}

describe('people who cooperate', () => {
  it('answer each question and let the agent hang up first', async () => {
    const { record, said } = await talkTo('+12025550100');
    expect(said).toEqual([
      'Yes, speaking.',
      'My name is Jordan Avery.',
      'My e-mail is jordan.avery@example.com.',
      'Tuesday at 3 pm works for me.',
      'Goodbye.',
    ]);
    expect(record.relaySessions[0]?.status).toBe('completed');
  });

  it.each([
    ['+12025550101', 'slow to pick up', 'Yes, speaking.'],
    ['+12025550102', 'terse', 'Yes.'],
    ['+12025550103', 'talkative', 'Oh, how nice of you to call.'],
    ['+12025550104', 'forthcoming', 'Yes, hello. My name is Jordan Avery, my e-mail is'],
    ['+12025550105', 'reschedules', 'Sorry, that does not suit me.'],
    ['+12025550106', 'asks who calls', 'Who is calling, please'],
    ['+12025550107', 'not interested', 'No, thank you, I am not interested.'],
    ['+12025550108', 'wrong person', 'You have the wrong number.'],
    ['+12025550109', 'hard of hearing', 'Sorry, I did not catch that.'],
  ])('%s: %s', async (to, name, first) => {
    const { record, said } = await talkTo(to);
    expect(record).toMatchObject({ callee: name, status: 'completed', notifications: [] });
    expect(said[0]?.startsWith(first)).toBe(true);
    expect(said.at(-1)).toMatch(/^(Good)?bye\.$/i);
  });

  it('let the phone ring as long as their script says', async () => {
    const { record } = await talkTo('+12025550101');
    const { ringingAt = '', answeredAt = '' } = record.timeline;
    expect((Date.parse(answeredAt) - Date.parse(ringingAt)) * SPEED).toBeGreaterThan(11_000);
  });

  it('say hello into silence', async () => {
    on.application.answer('/twiml', () => twiml('<Pause length="60"/>'));
    const { sid } = await on.client.calls.create({
      to: '+12025550100',
      from,
      url: `${on.application.url}/twiml`,
    });
    expect((await on.ended(sid)).transcript[0]).toMatchObject({ speaker: 'callee', text: 'Hello?' });
  });

  it('live at every fictional number', async () => {
    const { record, said } = await talkTo('+13125550177');
    expect(record).toMatchObject({ callee: 'anyone else', status: 'completed' });
    expect(said).toEqual(['Yes, that is fine.', 'Thank you. Goodbye.']);
  });
});

describe('people who are difficult', () => {
  it('hang up midway', async () => {
    const { record, heard } = await talkTo('+12025550130');
    expect(record).toMatchObject({ status: 'completed', callee: 'hangs up midway' });
    expect(heard.some((line) => line.interrupted)).toBe(true);
  });

  it('hang up at once', async () => {
    const { said } = await talkTo('+12025550131');
    expect(said).toEqual([]);
  });

  it('interrupt', async () => {
    const { messages, heard } = await talkTo('+12025550132');
    expect(messages.filter((message) => message.type === 'interrupt')).toHaveLength(2);
    expect(heard.filter((line) => line.interrupted)).toHaveLength(2);
  });

  it('stay silent', async () => {
    const { record, said } = await talkTo('+12025550133');
    expect(said).toEqual([]);
    expect(record.status).toBe('completed');
  });

  it('want no more calls', async () => {
    const { said } = await talkTo('+12025550134');
    expect(said).toEqual(['Please stop calling me. Take me off your list.']);
  });

  it('press keys', async () => {
    const { messages } = await talkTo('+12025550135');
    const keys = messages.filter((message) => message.type === 'dtmf').map((message) => message.digit);
    expect(keys).toEqual(['1', '2', '#']);
  });

  it('ask for a robot', async () => {
    const { said } = await talkTo('+12025550136');
    expect(said[0]).toBe('Wait a second. Are you a robot?');
    expect(said.length).toBeGreaterThan(2);
  });
});

it('a phone menu puts through whoever presses the right key', async () => {
  const { application, client } = on;
  const noun = `<ConversationRelay url="${application.socketUrl}/relay"/>`;
  application.answer('/twiml', () => twiml(`<Connect>${noun}</Connect>`));
  application.onSocket((relay) => {
    const keys = ['9', '2'];
    relay.socket.on('message', (data) => {
      const { type, voicePrompt = '' } = JSON.parse(data.toString());
      if (type !== 'prompt') return;
      if (voicePrompt.includes('press 2')) relay.send({ type: 'sendDigits', digits: `w${keys.shift()}` });
      if (voicePrompt.includes('Reception'))
        relay.send({ type: 'text', token: 'Thank you. Goodbye.', last: true });
    });
  });
  const { sid } = await client.calls.create({
    to: '+12025550140',
    from,
    url: `${application.url}/twiml`,
    timeLimit: 120,
  });
  const record = await on.ended(sid);
  const said = record.transcript.filter((line) => line.speaker === 'callee').map((line) => line.text);
  expect(said).toEqual([
    expect.stringContaining('For reception, press 2.'),
    'That is not a valid choice.',
    expect.stringContaining('For reception, press 2.'),
    'Reception, this is Jordan speaking.',
    'Goodbye.',
  ]);
});

it('numbers of the accounts end the call at once', async () => {
  const { record, said } = await talkTo('+12025550199');
  expect(record).toMatchObject({ callee: 'own number', status: 'completed' });
  expect(said).toEqual([]);
});

it('no number has two scripts of its own', () => {
  const numbers = builtInCallees.flatMap((callee) =>
    callee.numbers.filter((each) => typeof each === 'string'),
  );
  expect(new Set(numbers).size).toBe(numbers.length);
});
