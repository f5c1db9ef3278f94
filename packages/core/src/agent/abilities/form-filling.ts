import type { FormField } from '@callkite/contract';
import * as z from 'zod';
import { areComplete } from '../../features/forms/form-fills.ts';
import type { CallForm, FormAnswer, FormStore, FormValue } from '../../features/forms/form-store.ts';
import { checkFormValue, needsReadBack } from '../../features/forms/form-value.ts';
import type { Logger } from '../../kernel/logger.ts';
import { retry } from '../../kernel/retry.ts';
import { sanitizeForStorage, type Transcript } from '../session/transcript.ts';
import { type ConversationTool, conversationTool } from '../tools/tools.ts';
import { saysValue } from './read-back.ts';

const typeWords: Readonly<Record<FormField['type'], string>> = {
  text: 'text',
  number: 'number',
  email: 'e-mail address',
  phone: 'phone number',
  select: 'one of the options',
  'multi-select': 'one or more of the options',
};

/** What the model may send for a field; whether it is right is judged by the field's type, with words for the model. */
const anyValue = z.union([z.string(), z.number(), z.array(z.string())]).nullable();

/** The forms of one call, while it lasts. */
export interface FormFilling {
  /** One for each form. */
  readonly tools: readonly ConversationTool[];
  /** As `areComplete`. */
  readonly isComplete: boolean;
  /** What stands in the forms, for the brief; no values that a callee could word freely. */
  describe(): readonly string[];
  /** Resolves when everything is stored or given up. Never rejects. */
  settled(): Promise<void>;
}

interface Entry {
  /** Name of the field as a tool's argument. */
  readonly key: string;
  readonly field: FormField;
  answer: FormAnswer | null;
  /** Length of the transcript when the answer was stored; when it was loaded, for one of an earlier process. */
  storedAt: number;
}

interface FormState {
  readonly form: CallForm;
  readonly toolName: string;
  readonly entries: readonly Entry[];
}

export function fillForms(options: {
  callId: string;
  /** E.164 */
  calleePhone: string;
  forms: readonly CallForm[];
  transcript: Transcript;
  store: Pick<FormStore, 'storeAnswer' | 'removeAnswer'>;
  logger: Logger;
}): FormFilling {
  const { callId, calleePhone, transcript, store, logger } = options;
  let tail: Promise<void> = Promise.resolve();
  const states = options.forms.map((form, index): FormState => {
    const answers = new Map(form.answers.map((answer) => [answer.field, answer]));
    return {
      form,
      toolName: options.forms.length === 1 ? 'fill_form' : `fill_form_${index + 1}`,
      entries: form.fields.map((field, position) => ({
        key: keyOf(field.name, position),
        field,
        answer: answers.get(field.name) ?? null,
        storedAt: transcript.entries.length,
      })),
    };
  });

  async function append(formId: string, operation: () => Promise<void>): Promise<void> {
    try {
      await retry(operation);
    } catch (error) {
      logger.error({ callId, formId, error }, 'failed to store a form value; it is lost');
    }
  }

  /** Known at once here, stored in order behind the scenes, like the transcript. */
  function keep({ form }: FormState, entry: Entry, answer: FormAnswer): void {
    entry.answer = answer;
    entry.storedAt = transcript.entries.length;
    tail = tail.then(() => append(form.id, () => store.storeAnswer(callId, form.id, answer)));
  }

  function empty({ form }: FormState, entry: Entry): string | null {
    if (entry.answer === null) return `- ${entry.key} is empty already.`;
    entry.answer = null;
    tail = tail.then(() => append(form.id, () => store.removeAnswer(callId, form.id, entry.field.name)));
    return null;
  }

  /** @returns what to tell the model, if anything */
  function fill(state: FormState, entry: Entry, raw: unknown, quote: string): string | null {
    const checked = checkFormValue(
      entry.field,
      typeof raw === 'string' ? sanitizeForStorage(raw) : raw,
      calleePhone,
    );
    if ('problem' in checked) return `- ${entry.key} was not stored: ${checked.problem}.`;
    const { value } = checked;
    if (entry.answer !== null && same(entry.answer.value, value)) return null;
    const confirmed = !needsReadBack(entry.field);
    keep(state, entry, { field: entry.field.name, value, confirmed, quote });
    return null;
  }

  /** Whether the agent has said the value since it was stored, and the callee has spoken after that. */
  function wasReadBack({ storedAt, field }: Entry, value: FormValue): boolean {
    let said = '';
    for (const { role, content } of transcript.entries.slice(storedAt)) {
      if (role === 'user' && saysValue(said, field, value)) return true;
      if (role === 'assistant') said += ` ${content}`;
    }
    return false;
  }

  function confirm(state: FormState, entry: Entry): string | null {
    if (entry.answer === null) return `- ${entry.key} cannot be confirmed: nothing is stored.`;
    if (entry.answer.confirmed) return null;
    if (!wasReadBack(entry, entry.answer.value)) {
      return `- ${entry.key} is not confirmed: read it back first, the value itself, and wait for what the callee says.`;
    }
    keep(state, entry, { ...entry.answer, confirmed: true });
    return null;
  }

  function toolOf(state: FormState): ConversationTool {
    const { form, toolName, entries } = state;
    const critical = entries.filter(({ field }) => needsReadBack(field)).map(({ key }) => key);
    const fields = z.strictObject(
      Object.fromEntries(entries.map(({ key, field }) => [key, schemaOf(field).describe(describe(field))])),
    );
    const quote = z.string().describe("The callee's own words that tell it");
    const confirmed = z
      .array(critical.length === 0 ? z.string() : z.enum(critical))
      .describe('Stored fields that you read back and the callee agreed to just now; usually none');
    const cleared = z
      .array(z.enum(entries.map(({ key }) => key)))
      .describe('Stored fields the callee has just taken back, to be left empty; usually none');
    return conversationTool({
      name: toolName,
      description: `Stores what the callee told for the form "${asWords(form.title)}". Use it the moment you learn a value. Null for fields there is nothing new about.`,
      input: z.strictObject({ fields, quote, confirmed, cleared }),
      accepts: z.strictObject({
        fields: z.strictObject(Object.fromEntries(entries.map(({ key }) => [key, anyValue.optional()]))),
        quote: z.string().optional(),
        confirmed: z.array(z.string()).nullish(),
        cleared: z.array(z.string()).nullish(),
      }),
      run(input) {
        const words = transcript.entries.filter(({ role }) => role === 'user').map(({ content }) => content);
        const quoted = quoteFrom(words, input.quote ?? '');
        if (quoted === null) return { answer: 'Nothing was stored: the callee has said nothing yet.' };
        const values = new Map<string, unknown>(Object.entries(input.fields));
        const problems = entries.flatMap((entry) => {
          const raw = values.get(entry.key) ?? null;
          return (raw === null ? null : fill(state, entry, raw, quoted)) ?? [];
        });
        const named = (keys: readonly string[], use: (entry: Entry) => string | null) => {
          for (const key of keys) {
            const entry = entries.find((each) => each.key === key);
            const problem = entry ? use(entry) : `- There is no field ${key}.`;
            if (problem !== null) problems.push(problem);
          }
        };
        named(input.cleared ?? [], (entry) => empty(state, entry));
        named(input.confirmed ?? [], (entry) => confirm(state, entry));
        return { answer: [...problems, 'The form now:', ...linesOf(state)].join('\n') };
      },
    });
  }

  return {
    tools: states.map(toolOf),
    get isComplete() {
      return areComplete(
        states.map(({ form, entries }) => ({
          fields: form.fields,
          answers: entries.flatMap(({ answer }) => answer ?? []),
        })),
      );
    },
    describe: () =>
      states.flatMap((state) => [
        `Form "${asWords(state.form.title)}", filled in with the tool ${state.toolName}:`,
        ...linesOf(state),
      ]),
    settled: () => tail,
  };
}

function asWords(text: string): string {
  return text.replaceAll('"', "'").replace(/\s+/g, ' ');
}

/** `Full name` becomes `full_name`; names without Latin letters become `field_2`. The position keeps two apart. */
function keyOf(name: string, position: number): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 40);
  return `${slug === '' ? 'field' : slug}_${position + 1}`;
}

function schemaOf(field: FormField): z.ZodType {
  switch (field.type) {
    case 'number':
      return z.number().nullable();
    case 'select':
      return z.enum(field.options).nullable();
    case 'multi-select':
      return z.array(z.enum(field.options)).nullable();
    default:
      return z.string().nullable();
  }
}

function describe({ name, type, required, ask }: FormField): string {
  const asking = ask === undefined ? '' : ` Ask: ${asWords(ask)}`;
  return `${asWords(name)}, ${typeWords[type]}, ${required ? 'required' : 'optional'}.${asking}`;
}

/** What is missing, required fields first, what is to be read back, and what is done. */
function linesOf({ entries }: FormState): string[] {
  const missing = entries.filter(({ answer }) => answer === null);
  const required = missing.filter(({ field }) => field.required);
  const optional = missing.filter(({ field }) => !field.required);
  const open = entries.filter(({ answer }) => answer !== null && !answer.confirmed);
  const filled = entries.filter(({ answer }) => answer?.confirmed);
  return [
    ...required.map(({ key, field }) => `- Missing: ${key} (${describe(field)})`),
    ...optional.map(({ key, field }) => `- Missing: ${key} (${describe(field)})`),
    ...open.map(({ key, answer }) => `- Read back: ${key} = ${answer?.value}`),
    ...filled.map(({ key }) => `- Filled: ${key}`),
  ];
}

function same(one: FormValue, other: FormValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * The quote if the callee said it, else the callee's last words, so that what is kept was really said; `null` before
 * the callee's first word.
 */
function quoteFrom(words: readonly string[], quote: string): string | null {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const wanted = plain(quote);
  const wasSaid = wanted !== '' && words.some((each) => ` ${plain(each)} `.includes(` ${wanted} `));
  return wasSaid ? sanitizeForStorage(quote.trim()) : (words.at(-1) ?? null);
}
