import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type OpenAiEmulator, startOpenAiEmulator } from '../index.ts';

const Workflow = z.object({
  name: z.string(),
  language: z.string(),
  agent: z.object({ name: z.string().nullable(), on_behalf_of: z.string().nullable() }),
  objective: z.string(),
  opening: z.string().nullable(),
  facts: z.array(z.string()),
  steps: z.array(z.object({ title: z.string(), instruction: z.string(), when: z.string().nullable() })),
  voicemail_message: z.string().nullable(),
});

const Summary = z.object({
  summary: z.string(),
  outcome: z.enum([
    'objective_met',
    'objective_not_met',
    'callback_requested',
    'opted_out',
    'no_response',
    'unclear',
  ]),
  new_date: z.string().nullable(),
  new_time: z.string().nullable(),
});

describe('structured output', () => {
  let emulator: OpenAiEmulator;
  let client: OpenAI;

  beforeAll(async () => {
    emulator = await startOpenAiEmulator();
    client = new OpenAI({ baseURL: emulator.url, apiKey: 'sk-any' });
  });
  afterAll(() => emulator.close());

  async function fill<Schema extends z.ZodType>(
    schema: Schema,
    instructions: string,
    input: string,
  ): Promise<z.output<Schema>> {
    const completion = await client.chat.completions.parse({
      model: 'gpt-6-luna',
      messages: [
        { role: 'developer', content: instructions },
        { role: 'user', content: input },
      ],
      response_format: zodResponseFormat(schema, 'result'),
    });
    const parsed = completion.choices[0]?.message.parsed;
    return schema.parse(parsed);
  }

  const plan = (task: string) => fill(Workflow, 'Write a phone call workflow for the task.', task);
  const sumUp = (transcript: string) => fill(Summary, 'Summarize the transcript of the call.', transcript);

  it('plans a call from a task sentence', async () => {
    expect(
      await plan(
        'Task: Call Jordan on behalf of Bright Smile to confirm the appointment on Tuesday at 3pm. Ask if they need parking.',
      ),
    ).toEqual({
      name: "Confirm Tuesday's appointment with Jordan",
      language: 'en-US',
      agent: { name: 'Ava', on_behalf_of: 'Bright Smile' },
      objective: 'The agent calls Jordan to confirm the appointment on Tuesday at 3pm.',
      opening:
        'Hello, this is Ava, an AI assistant calling on behalf of Bright Smile. I am calling to confirm the appointment on Tuesday at 3pm.',
      facts: ['Recipient: Jordan', 'Calling on behalf of: Bright Smile', 'Date: Tuesday', 'Time: 3pm'],
      steps: [
        {
          title: 'Confirm the appointment on Tuesday at 3pm',
          instruction: 'Confirm the appointment on Tuesday at 3pm.',
          when: null,
        },
        {
          title: 'Find another time',
          instruction: 'Ask what day and time would suit better.',
          when: 'the callee cannot make it or wants to change it',
        },
        { title: 'Ask if they need parking', instruction: 'Ask if they need parking.', when: null },
        { title: 'Wrap up', instruction: 'Thank them, repeat what was agreed, and say goodbye.', when: null },
      ],
      voicemail_message:
        'Hello, this is Ava, an AI assistant calling on behalf of Bright Smile. I am calling to confirm the appointment on Tuesday at 3pm. Please call back when you can. Thank you, goodbye.',
    });
  });

  it.each([
    [
      'Remind Maria Lopez that her rent of $1,250 is due on March 3rd',
      'Remind Maria Lopez that her rent of $1,250 is due',
      ['Amount: $1,250', 'Date: March 3rd'],
    ],
    [
      "Call Joe's Pizza and order a large pizza for pickup at 6:30pm",
      "Order a large pizza for pickup at 6:30pm with Joe's Pizza",
      ['Time: 6:30pm'],
    ],
    [
      'Ask the restaurant if they have a table for four this Friday at 8pm.',
      'Ask the restaurant if they have a table for four this Friday',
      ['Number: four', 'Date: this Friday'],
    ],
  ])('finds title and facts in "%s"', async (task, name, facts) => {
    const workflow = await plan(task);
    expect(workflow.name).toBe(name);
    expect(workflow.facts).toEqual(expect.arrayContaining(facts));
    expect(workflow.steps.length).toBeGreaterThanOrEqual(2);
    expect(workflow.steps.length).toBeLessThanOrEqual(5);
  });

  it('leaves the introduction to others when told to, and knows the client from the instructions', async () => {
    const schema = z.object({
      name: z.string(),
      opening: z.string().nullable().describe('First sentence after the assistant has introduced itself'),
      voicemailMessage: z.string().nullable(),
    });
    const draft = await fill(
      schema,
      'You plan phone calls. The agent calls on behalf of Bright Smile.',
      '## Request\nCall Jordan to confirm the appointment on Tuesday at 3pm.',
    );
    expect(draft).toEqual({
      name: "Confirm Tuesday's appointment with Jordan",
      opening: 'I am calling to confirm the appointment on Tuesday at 3pm.',
      voicemailMessage: expect.stringContaining('an AI assistant calling on behalf of Bright Smile.'),
    });
  });

  it('plans in the language of the task', async () => {
    const workflow = await plan('Llama a Pedro para confirmar la cita del martes a las tres');
    expect(workflow).toMatchObject({
      language: 'es-ES',
      objective: 'El agente llama a Pedro para confirmar la cita del martes a las tres.',
    });
    expect(workflow.voicemail_message).toContain('Gracias, adiós.');
  });

  it.each([
    [
      'assistant: Can you confirm the appointment on Tuesday at 3pm?\nuser: Yes, that works.\nassistant: Goodbye.',
      'objective_met',
      'The callee confirmed when asked "Can you confirm the appointment on Tuesday at 3pm?".',
    ],
    [
      'assistant: Can you confirm Tuesday at 3pm?\nuser: No, sorry.\nassistant: What day suits you?\nuser: Thursday at 4 pm',
      'unclear',
      'The callee asked for another time: "Thursday at 4 pm".',
    ],
    [
      'assistant: Can you confirm?\nuser: I am not interested.',
      'objective_not_met',
      'The callee declined when asked "Can you confirm?".',
    ],
    [
      'assistant: Hello?\nuser: Stop calling me!',
      'opted_out',
      'The callee asked not to be called again: "Stop calling me".',
    ],
    ['assistant: Hello?\nuser: [silence]', 'no_response', 'The callee did not respond.'],
    ['assistant: Hello?\nassistant: Are you there?', 'no_response', 'The callee did not respond.'],
    [
      'assistant: Hello.\nuser: Call me back later.',
      'callback_requested',
      'The callee asked to be called at another time: "Call me back later".',
    ],
  ])('sums up %j', async (transcript, outcome, summary) => {
    expect(await sumUp(transcript)).toMatchObject({ outcome, summary });
  });

  it('takes values from what the callee said, and null when they said none', async () => {
    const changed = await sumUp('assistant: Does Tuesday work?\nuser: Could we do Friday at 10 am instead?');
    expect(changed).toMatchObject({ new_date: 'Friday', new_time: '10 am' });
    const unchanged = await sumUp('assistant: Does Tuesday at 3pm work?\nuser: Yes.');
    expect(unchanged).toMatchObject({ new_date: null, new_time: null });
  });
});
