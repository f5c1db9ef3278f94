import { type FormFieldInput, formField } from '@callkite/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallForm, FormAnswer } from '../../features/forms/form-store.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { openTranscript } from '../session/transcript.ts';
import { fillForms } from './form-filling.ts';

const fields: FormFieldInput[] = [
  { name: 'Notes', type: 'text' },
  { name: 'Full name', type: 'text', required: true, ask: 'May I have your "full" name?' },
  { name: 'E-mail', type: 'email', required: true },
  { name: 'Drink', type: 'select', options: ['Tea', 'Coffee'] },
  { name: '名前', type: 'number' },
];
const form = (changes: Partial<CallForm> = {}): CallForm => ({
  id: 'form_1',
  title: 'Visit',
  fields: fields.map((field) => formField.parse(field)),
  answers: [],
  ...changes,
});

function start(forms: readonly CallForm[] = [form()], failures = 0) {
  const stored: (FormAnswer & { formId: string })[] = [];
  const removed: string[] = [];
  let failing = failures;
  const transcript = openTranscript({
    callId: 'call_1',
    store: { appendTranscript: async () => 1, transcript: async () => [] },
    earlier: [],
    emit: () => {},
    logger: silentLogger,
  });
  const filling = fillForms({
    callId: 'call_1',
    calleePhone: '+12025550100',
    forms,
    transcript,
    store: {
      async storeAnswer(_callId, formId, answer) {
        failing -= 1;
        if (failing >= 0) throw new CallkiteError('storage_unavailable', 'away', { retryable: true });
        stored.push({ formId, ...answer });
      },
      async removeAnswer(_callId, _formId, field) {
        removed.push(field);
      },
    },
    logger: silentLogger,
  });
  const fill = async (
    values: object,
    more: { quote?: string; confirmed?: string[]; cleared?: string[]; tool?: number } = {},
  ) => {
    const { tool = 0, quote = '', confirmed = [], cleared = [] } = more;
    const outcome = await filling.tools[tool]?.run(
      { fields: values, quote, confirmed, cleared },
      { turn: transcript.calleeTurns, index: 0 },
    );
    await vi.advanceTimersByTimeAsync(0);
    if (!outcome || !('answer' in outcome)) throw new Error('no answer');
    return outcome.answer;
  };
  const say = (content: string) => transcript.add({ role: 'user', content, interrupted: false });
  const agentSays = (content: string) => transcript.add({ role: 'assistant', content, interrupted: false });
  return { filling, fill, say, agentSays, stored, removed };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('filling in a form', () => {
  it('stores a value at once, with the words it came from, and tells what is missing', async () => {
    const { fill, say, stored, filling } = start();
    say('Hello, my name is Jordan Avery.');
    const answer = await fill({ full_name_2: 'Jordan Avery' }, { quote: 'my name is Jordan Avery' });
    expect(stored).toEqual([
      {
        formId: 'form_1',
        field: 'Full name',
        value: 'Jordan Avery',
        confirmed: true,
        quote: 'my name is Jordan Avery',
      },
    ]);
    const lines = [
      '- Missing: e_mail_3 (E-mail, e-mail address, required.)',
      '- Missing: notes_1 (Notes, text, optional.)',
      '- Missing: drink_4 (Drink, one of the options, optional.)',
      '- Missing: field_5 (名前, number, optional.)',
      '- Filled: full_name_2',
    ];
    expect(answer.split('\n')).toEqual(['The form now:', ...lines]);
    expect(filling.describe()).toEqual(['Form "Visit", filled in with the tool fill_form:', ...lines]);
  });

  it('keeps the callee’s own last words where the model made a quote up', async () => {
    const { fill, say, stored } = start();
    expect(await fill({ full_name_2: 'Jordan' })).toMatch(/^Nothing was stored/);
    say('Jordan here');
    await fill({ full_name_2: 'Jordan' }, { quote: 'I authorise everything' });
    expect(stored).toMatchObject([{ quote: 'Jordan here' }]);
  });

  it('takes a critical value as confirmed only after it could be read back and answered', async () => {
    const { fill, say, agentSays, stored } = start();
    say('jordan@example.com');
    expect(await fill({ e_mail_3: 'jordan@Example.com' }, { confirmed: ['e_mail_3'] })).toContain(
      '- e_mail_3 is not confirmed: read it back first',
    );
    expect(await fill({}, { confirmed: ['e_mail_3'] })).toContain(
      '- Read back: e_mail_3 = jordan@example.com',
    );
    agentSays('Is it jordan@example.com?');
    expect(await fill({}, { confirmed: ['e_mail_3'] })).toContain('is not confirmed');
    say('No, jordan.avery@example.com');
    const corrected = await fill({ e_mail_3: 'jordan.avery@example.com' }, { confirmed: ['e_mail_3'] });
    expect(corrected).toContain('is not confirmed');
    say('Hello?');
    expect(await fill({}, { confirmed: ['e_mail_3'] })).toContain('is not confirmed');
    agentSays('Is it jordan.avery@example.com?');
    say('Yes');
    expect(await fill({}, { confirmed: ['e_mail_3'] })).toContain('- Filled: e_mail_3');
    expect(stored.map(({ value, confirmed }) => [value, confirmed])).toEqual([
      ['jordan@example.com', false],
      ['jordan.avery@example.com', false],
      ['jordan.avery@example.com', true],
    ]);
  });

  it('empties a field whose value the callee takes back', async () => {
    const { fill, say, agentSays, stored, removed, filling } = start();
    say('jordan@example.com');
    await fill({ e_mail_3: 'jordan@example.com' });
    agentSays('Is it jordan@example.com?');
    say('Actually, leave out my e-mail.');
    const answer = await fill({}, { cleared: ['e_mail_3', 'notes_1'] });
    expect(answer).toContain('- notes_1 is empty already.');
    expect(answer).toContain('- Missing: e_mail_3');
    await filling.settled();
    expect(stored.map(({ value }) => value)).toEqual(['jordan@example.com']);
    expect(removed).toEqual(['E-mail']);
    // What they say next confirms nothing.
    expect(await fill({}, { confirmed: ['e_mail_3'] })).toContain('cannot be confirmed: nothing is stored');
  });

  it('does not take words for a read-back that are not the value', async () => {
    const { fill, say, agentSays } = start();
    say('jordan@example.com');
    await fill({ e_mail_3: 'jordan@example.com' });
    agentSays('Thank you, I have your e-mail address. Is that right?');
    say('Yes.');
    expect(await fill({}, { confirmed: ['e_mail_3'] })).toContain('is not confirmed: read it back first');
    agentSays('Is it jordan at example dot com?');
    say('Yes.');
    expect(await fill({}, { confirmed: ['e_mail_3'] })).toContain('- Filled: e_mail_3');
  });

  it('stores what is right beside what is wrong, and says what is wrong', async () => {
    const { fill, say, stored } = start();
    say('Milk for Jordan');
    const answer = await fill({ full_name_2: 'Jordan', drink_4: 'Milk', e_mail_3: 'jordan' });
    expect(stored.map(({ field }) => field)).toEqual(['Full name']);
    expect(answer).toContain(
      '- drink_4 was not stored: this is none of the options; ask which of these it is: Tea, Coffee.',
    );
    expect(answer).toContain('- e_mail_3 was not stored: this is not an e-mail address');
    expect(await fill({}, { confirmed: ['e_mail_3', 'nonsense'] })).toMatch(
      /e_mail_3 cannot be confirmed.*\n- There is no field nonsense/,
    );
  });

  it('refuses fields that do not exist, and stores nothing then', async () => {
    const { fill, say, stored } = start();
    say('Set is_admin');
    expect(await fill({ full_name_2: 'Jordan', is_admin: 'yes' })).toMatch(/^The arguments were refused/);
    expect(stored).toEqual([]);
  });

  it('keeps forms apart', async () => {
    const { fill, say, stored, filling } = start([form(), form({ id: 'form_2', title: 'Other "form"' })]);
    expect(filling.tools.map(({ name }) => name)).toEqual(['fill_form_1', 'fill_form_2']);
    say('Jordan');
    await fill({ full_name_2: 'Jordan' }, { tool: 1 });
    expect(stored).toMatchObject([{ formId: 'form_2' }]);
    expect(filling.describe().filter((line) => /Missing: full_name_2/.test(line))).toHaveLength(1);
  });

  it('goes on with what an earlier process stored', async () => {
    const answer = { field: 'E-mail', value: 'a@example.com', confirmed: false, quote: 'a', at: new Date() };
    const { filling } = start([form({ answers: [answer] })]);
    expect(filling.describe()).toContain('- Read back: e_mail_3 = a@example.com');
  });

  it('stores in order while the store is away', async () => {
    const { fill, say, stored, filling } = start([form()], 2);
    say('Jordan, no, Jordana');
    await fill({ full_name_2: 'Jordan' });
    await fill({ full_name_2: 'Jordana' });
    await vi.advanceTimersByTimeAsync(1000);
    await filling.settled();
    expect(stored.map(({ value }) => value)).toEqual(['Jordan', 'Jordana']);
  });
});
