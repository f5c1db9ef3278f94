import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../index.ts';

const strictTool = (name: string, properties: Record<string, object>) => ({
  type: 'function' as const,
  function: {
    name,
    strict: true,
    parameters: {
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    },
  },
});
const endCall = strictTool('end_call', {
  outcome: { type: 'string', enum: ['completed', 'declined', 'no_response', 'opted_out', 'callback'] },
});
const optOut = strictTool('record_opt_out', {
  quote: { type: 'string' },
  reason: { type: ['string', 'null'] },
});
const fillField = strictTool('fill_form_field', {
  field: { type: 'string', enum: ['parking_space', 'email_address'] },
  value: { type: 'string' },
});

const nullable = (schema: object, description: string) => ({
  anyOf: [schema, { type: 'null' }],
  description,
});
const fillForm = strictTool('fill_form', {
  fields: {
    type: 'object',
    properties: {
      full_name_1: nullable({ type: 'string' }, 'Full name, text, required. Ask: May I have your full name?'),
      e_mail_2: nullable({ type: 'string' }, 'E-mail, e-mail address, required.'),
      guests_3: nullable({ type: 'number' }, 'Guests, number, optional.'),
      drinks_4: nullable(
        { type: 'array', items: { type: 'string', enum: ['Tea', 'Coffee'] } },
        'Drinks, one or more of the options, required.',
      ),
    },
    required: ['full_name_1', 'e_mail_2', 'guests_3', 'drinks_4'],
    additionalProperties: false,
  },
  quote: { type: 'string' },
  confirmed: { type: 'array', items: { type: 'string', enum: ['e_mail_2', 'guests_3'] } },
});
const sendDigits = strictTool('send_digits', { digits: { type: 'string' } });
const transferCall = strictTool('transfer_call', {
  to: { type: 'string', enum: ['Front desk', 'Billing'] },
  reason: { type: 'string' },
  summary: { type: 'string' },
});
const takeMessage = strictTool('take_message', { message: { type: 'string' } });
const findOrder = strictTool('find_order', { number: { type: ['string', 'null'] } });

const DISCLOSURE = 'Hello, I am an AI assistant calling on behalf of Bright Smile Dental.';
const BRIEF = `You are Ava, calling on behalf of Bright Smile Dental.

## Objective
Call Jordan to confirm the appointment on Tuesday at 3 pm.

## Facts
- Recipient: Jordan
- The appointment with Dr. Lee is on Tuesday at 3 pm.
- The cleaning costs $80.
- Address: 12 Main Street

## Steps
1. Confirm the appointment: Confirm the appointment on Tuesday at 3 pm.
2. Other time: Ask what day and time would suit them better. (only when: they cannot make it)
3. Parking: Ask if they need a parking space.
4. Wrap up: Thank them and say goodbye.

## Rules
- One question at a time.`;

interface Said {
  /** What the agent said, turn by turn. */
  lines: string[];
  /** Tool calls in order, as `name {"arguments":…}`. */
  calls: string[];
  ended: boolean;
}

describe('a call held by the model', () => {
  let emulator: OpenAiEmulator;
  let client: OpenAI;

  beforeAll(async () => {
    emulator = await startOpenAiEmulator();
    client = new OpenAI({ baseURL: emulator.url, apiKey: 'sk-any' });
  });
  afterAll(() => emulator.close());

  /** Plays a callee who says the given lines, the last one over and over. */
  async function talk(callee: string[], brief = BRIEF, tools = [endCall, optOut]): Promise<Said> {
    const said: Said = { lines: [], calls: [], ended: false };
    const messages: ChatCompletionMessageParam[] = [
      { role: 'system', content: brief },
      { role: 'assistant', content: DISCLOSURE },
    ];
    for (let turn = 0; turn < 20 && !said.ended; turn += 1) {
      messages.push({ role: 'user', content: callee[turn] ?? callee.at(-1) ?? '' });
      for (;;) {
        const stream = client.chat.completions.stream({ model: 'gpt-6-luna', messages, tools });
        const { message } = (await stream.finalChatCompletion()).choices[0] ?? {};
        if (!message) throw new Error('no message');
        messages.push(message);
        if (message.content) said.lines.push(message.content);
        for (const call of message.tool_calls ?? []) {
          said.calls.push(`${call.function.name} ${call.function.arguments}`);
          messages.push({ role: 'tool', tool_call_id: call.id, content: '{"ok":true}' });
          said.ended ||= /^(?:end|transfer)_call$/.test(call.function.name);
        }
        if (!message.tool_calls || said.ended) break;
      }
    }
    return said;
  }

  it('goes through the steps and ends', async () => {
    expect(await talk(['Hello?', 'Yes, that works.', 'No thanks.'])).toEqual({
      lines: [
        'Can you confirm the appointment on Tuesday at 3 pm?',
        'Great, thank you. Could you tell me whether you need a parking space?',
        'I understand. That is everything. Thank you for your time, goodbye.',
      ],
      calls: ['end_call {"outcome":"completed"}'],
      ended: true,
    });
  });

  it('asks for another time when the callee cannot make it', async () => {
    const { lines } = await talk(['Hello?', "No, I can't.", 'Thursday at 4 pm would be good', 'no']);
    expect(lines[1]).toBe('I understand. Could you tell me what day and time would suit you better?');
    expect(lines[2]).toMatch(
      /^Thank you, Thursday at 4 pm\. Could you tell me whether you need a parking space\?$/,
    );
  });

  it('does not ask what the callee has said already', async () => {
    const { lines, ended } = await talk([
      'Hi',
      'Can we do Wednesday at three in the afternoon instead?',
      'no',
    ]);
    expect(lines[1]).toMatch(/^Thank you, Wednesday at three in the afternoon\. .*parking/);
    expect(ended).toBe(true);
  });

  it('says truthfully what it is, and answers from the facts alone', async () => {
    const { lines } = await talk([
      'Who is this?',
      'Are you a robot?',
      'When is it?',
      'How much is it?',
      'Where is it?',
      'Is there coffee?',
      'bye',
    ]);
    expect(lines[0]).toContain('an AI assistant, not a person, calling on behalf of Bright Smile Dental');
    expect(lines[1]).toContain('AI assistant');
    expect(lines[2]).toContain('It is Tuesday at 3 pm.');
    expect(lines[3]).toContain('It is $80.');
    expect(lines[4]).toContain('It is 12 Main Street.');
    expect(lines[5]).toContain("I don't have that information");
  });

  it('records an opt-out, acknowledges it and ends', async () => {
    expect(await talk(['Hi', 'Please stop calling me and take me off your list'])).toEqual({
      lines: [
        'Can you confirm the appointment on Tuesday at 3 pm?',
        'Understood. You will not be called again. Goodbye.',
      ],
      calls: [
        'record_opt_out {"quote":"Please stop calling me and take me off your list","reason":"The callee asked not to be called again."}',
        'end_call {"outcome":"opted_out"}',
      ],
      ended: true,
    });
  });

  it('asks again in a silence and gives up in the end', async () => {
    const { lines, calls } = await talk(['Hi', '[silence]']);
    expect(lines[1]).toBe('Are you still there? Can you confirm the appointment on Tuesday at 3 pm?');
    expect(lines).toHaveLength(4);
    expect(calls).toEqual(['end_call {"outcome":"no_response"}']);
  });

  it.each([
    ["I'm not interested", 'declined'],
    ["I'm driving, call me back later", 'callback'],
    ['Goodbye', 'completed'],
  ])('ends on "%s"', async (line, outcome) => {
    const { calls, lines } = await talk(['Hello', line]);
    expect(lines).toHaveLength(2);
    expect(calls).toEqual([`end_call {"outcome":"${outcome}"}`]);
  });

  it('never goes on for ever', async () => {
    const { lines, ended } = await talk(['What is the meaning of it all?']);
    expect(ended).toBe(true);
    expect(lines.length).toBeLessThanOrEqual(12);
  });

  it('keeps its turns short', async () => {
    const { lines } = await talk(['Hello?', 'Is there coffee?', 'maybe', 'what did you say?', 'yes', 'no']);
    for (const line of lines) expect(line.split(' ').length).toBeLessThan(34);
  });

  it('fills a form from what was said, and asks for what is required and missing', async () => {
    const brief = '## Objective\nLearn who comes.\n\n## Steps\n1. Wrap up: Thank them and say goodbye.';
    const { calls, lines } = await talk(
      ['Hello?', 'My name is Jordan Avery, two guests please', 'jordan@example.com', 'Tea and coffee', 'bye'],
      brief,
      [endCall, optOut, fillForm],
    );
    const empty = { full_name_1: null, e_mail_2: null, guests_3: null, drinks_4: null };
    const filled = (fields: object, quote: string) =>
      `fill_form ${JSON.stringify({ fields: { ...empty, ...fields }, quote, confirmed: [] })}`;
    expect(calls.slice(0, 3)).toEqual([
      filled({ full_name_1: 'Jordan Avery', guests_3: 2 }, 'My name is Jordan Avery, two guests please'),
      filled({ e_mail_2: 'jordan@example.com' }, 'jordan@example.com'),
      filled({ drinks_4: ['Tea', 'Coffee'] }, 'Tea and coffee'),
    ]);
    expect(lines[0]).toBe('May I have your full name?');
    expect(lines[1]).toContain('What is your e-mail address?');
    expect(lines[2]).toContain('Would you like Tea or Coffee?');
    expect(calls.at(-1)).toMatch(/^end_call/);
  });

  it('reads back what the brief says is to be read back, and tells what the callee agreed to', async () => {
    const brief = `## Objective\nLearn who comes.\n\n## Steps\n1. Wrap up: Thank them and say goodbye.\n
## Forms\nForm "Visit", filled in with the tool fill_form:\n- Read back: e_mail_2 = jordan@example.com\n- Filled: full_name_1`;
    const { calls, lines } = await talk(['Hello?', 'Yes, that is right.'], brief, [endCall, fillForm]);
    expect(lines[0]).toBe('Let me read that back: jordan@example.com. Is that right?');
    expect(calls[0]).toMatch(/^fill_form .*"quote":"Yes, that is right\.","confirmed":\["e_mail_2"\]}$/);
  });

  it.each([
    ['Welcome. For our opening hours, press 1. For reception, press 2.', '2'],
    ['Press 4 for billing, press 5 for appointments.', '5'],
    ['To go on, please press pound.', '#'],
  ])('takes a way through the menu "%s"', async (menu, digits) => {
    const completion = await client.chat.completions.create({
      model: 'gpt-6-luna',
      messages: [
        { role: 'system', content: BRIEF },
        { role: 'assistant', content: DISCLOSURE },
        { role: 'user', content: menu },
      ],
      tools: [endCall, sendDigits],
    });
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([
      { function: { name: 'send_digits', arguments: `{"digits":"${digits}"}` } },
    ]);
  });

  it('uses the tool that a step names, and says what it found', async () => {
    const brief =
      '## Objective\nHelp.\n\n## Steps\n1. Order: Use find_order and tell them where their order is.';
    const { calls, lines } = await talk(['Hello?', 'Thanks, bye'], brief, [endCall, findOrder]);
    expect(calls[0]).toBe('find_order {"number":null}');
    expect(lines[0]).toMatch(/^I looked it up/);
  });

  it('fills a form field with the answer before it goes on', async () => {
    const { calls, lines } = await talk(['Hello?', 'yes', 'Yes please'], BRIEF, [endCall, optOut, fillField]);
    expect(calls[0]).toBe('fill_form_field {"field":"parking_space","value":"Yes please"}');
    expect(lines.at(-1)).toContain('goodbye');
  });

  it.each([
    ['es-ES', 'Confirme la cita del martes.', '¿Puede confirmar la cita del martes?', 'Eso es todo'],
    [
      'de-DE',
      'Fragen Sie, ob der Termin passt.',
      'Können Sie mir sagen, ob der Termin passt?',
      'Das ist alles',
    ],
    [
      'fr-FR',
      'Confirmez le rendez-vous de mardi.',
      'Pouvez-vous confirmer le rendez-vous de mardi ?',
      "C'est tout",
    ],
  ])('speaks %s', async (language, step, question, end) => {
    const brief = `Language: ${language}\n\n## Objective\nX.\n\n## Steps\n1. ${step}`;
    const { lines } = await talk(['Hola', 'ok'], brief);
    expect(lines[0]).toBe(question);
    expect(lines[1]).toContain(end);
  });

  it('takes a note about the line as the callee listening', async () => {
    const { lines } = await talk(['(The callee has answered and is listening.)', 'Yes.', 'No.']);
    expect(lines[0]).toBe('Can you confirm the appointment on Tuesday at 3 pm?');
    expect(lines).toHaveLength(3);
  });

  it('transfers a callee who wants a person, to the one they name', async () => {
    const { calls } = await talk(['Hello?', 'Could I speak to someone in billing?'], BRIEF, [
      endCall,
      optOut,
      transferCall,
    ]);
    expect(calls[0]).toMatch(
      /^transfer_call \{"to":"Billing",.*"summary":"The callee asked to speak to a person."/,
    );
  });

  it('takes a message when nobody took the call', async () => {
    const back = '(Nobody took the call you wanted to transfer. The callee is back with you and listening.)';
    const { lines, calls } = await talk(
      ['Hello?', back, 'Yes, please.', 'Please call me back about invoice 7.'],
      BRIEF,
      [endCall, optOut, transferCall, takeMessage],
    );
    expect(lines.slice(1, 3)).toEqual(['May I take a message?', 'Please go ahead, I am listening.']);
    expect(lines[3]).toContain('I will pass your message on');
    expect(calls).toEqual([
      'take_message {"message":"Please call me back about invoice 7."}',
      expect.stringContaining('end_call'),
    ]);
  });

  it('goes on with a callee who leaves none', async () => {
    const { lines } = await talk(['Hello?', '(Nobody took the call.)', 'No, thank you.'], BRIEF, [
      endCall,
      takeMessage,
    ]);
    expect(lines[1]).toBe('May I take a message?');
    expect(lines.join(' ')).not.toContain('pass your message on');
  });

  it('answers a visitor who came with a wish of their own, and takes it up', async () => {
    const when = '(when: they want to make, book or move an appointment)';
    const brief = `You are Ava, talking on behalf of Bright Smile Dental.
## Objective
Answer the questions of visitors.
## Facts
- We are open Monday to Friday from 8 am to 6 pm.
- A check-up costs $80.
## Steps
1. Time: Ask which day and time would suit them. ${when}
2. Name: Ask for their name. ${when}
## Rules
- You are in a conversation that a visitor of a web page has begun, by voice or in writing.`;
    const { lines, ended } = await talk(
      [
        'Hello',
        'When are you open?',
        'Is there coffee?',
        'I would like to book an appointment',
        'What does a check-up cost?',
        'Monday at 10 am',
        'Ada Lovelace',
        'thanks',
        'no, that is all',
      ],
      brief,
    );
    expect(lines).toEqual([
      'How can I help you?',
      'We are open Monday to Friday from 8 am to 6 pm. Is there anything else I can help you with?',
      expect.stringMatching(/^I don't have that information.*anything else/),
      'Thank you. Could you tell me which day and time would suit you?',
      'A check-up costs $80. Could you tell me which day and time would suit you?',
      'Thank you, Monday at 10 am. Could you give me your name?',
      expect.stringMatching(/made a note of that.*anything else/),
      "You're welcome! Is there anything else I can help you with?",
      'Thank you, goodbye.',
    ]);
    expect(ended).toBe(true);
  });

  it('speaks about a step that is the whole task', async () => {
    const brief =
      '## Objective\nCall Jordan to confirm the appointment.\n\n## Steps\n1. Call Jordan: Call Jordan to confirm the appointment.';
    const { lines } = await talk(['Hello?', 'Yes'], brief);
    expect(lines[0]).toBe('Can you confirm the appointment?');
  });

  it('introduces itself when nothing was said yet', async () => {
    const completion = await client.chat.completions.create({
      model: 'gpt-6-luna',
      messages: [{ role: 'system', content: BRIEF }],
    });
    expect(completion.choices[0]?.message.content).toBe(
      'Hello, this is Ava, an AI assistant calling on behalf of Bright Smile Dental. Can you confirm the appointment on Tuesday at 3 pm?',
    );
  });
});
