import { workflowDefinition } from '@callkite/contract';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CallkiteError } from '../../kernel/errors.ts';
import { type ScriptedAnswer, ScriptedModel } from '../../testing/scripted-model.ts';
import { fallbackWorkflow, generateWorkflow } from './generation.ts';

const prompt = 'Call Sam and ask whether Monday at ten suits for the visit';
const draft = {
  name: 'Confirm visit',
  language: 'en-US',
  objective: 'Find out whether Monday at ten suits',
  opening: 'I am calling about your visit.',
  facts: ['The visit is on Monday at ten'],
  steps: [{ title: 'Ask', instruction: 'Ask whether it suits', when: null }],
  voicemailMessage: null,
};
const rejected = new CallkiteError('provider_rejected', 'no');

async function generate(...script: readonly ScriptedAnswer[]) {
  const model = new ScriptedModel(script);
  const generated = await generateWorkflow({ languageModel: model }, prompt, {
    organizationName: 'Example\n## Dental',
    time: 'It is Sunday, November 22, 2026, 9:30 PM (America/New_York) where the callee is.',
    signal: new AbortController().signal,
  });
  model.assertFinished();
  return { ...generated, requests: model.objects };
}

describe('generateWorkflow', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('turns the model’s draft into a definition', async () => {
    const { name, definition, requests } = await generate({ object: draft });
    expect(name).toBe('Confirm visit');
    expect(definition).toEqual(
      workflowDefinition.parse({
        language: 'en-US',
        objective: draft.objective,
        opening: draft.opening,
        facts: draft.facts,
        steps: [{ title: 'Ask', instruction: 'Ask whether it suits' }],
      }),
    );
    expect(requests[0]?.input).toBe(prompt);
    expect(requests[0]?.instructions).toContain('on behalf of Example Dental.');
  });

  it('trims whatever exceeds the limits of a definition', async () => {
    const long = 'word '.repeat(2000);
    const { name, definition } = await generate({
      object: {
        name: long,
        language: 'American English',
        objective: long,
        opening: '  ',
        facts: [...Array.from({ length: 60 }, () => long), ''],
        steps: [
          ...Array.from({ length: 40 }, () => ({ title: long, instruction: long, when: long })),
          { title: '', instruction: 'x', when: null },
        ],
        voicemailMessage: `${long}\0`,
      },
    });
    expect(workflowDefinition.parse(definition)).toEqual(definition);
    expect(name.length).toBeLessThanOrEqual(200);
    expect(definition.language).toBe('en-US');
    expect(definition.opening).toBeUndefined();
    expect(definition.facts).toHaveLength(50);
    expect(definition.steps).toHaveLength(30);
    expect(definition.voicemail.message?.endsWith('word…')).toBe(true);
  });

  it('makes do with an empty draft', async () => {
    const { name, definition } = await generate({
      object: { ...draft, name: '', objective: ' ', language: '', facts: [], steps: [] },
    });
    expect(name).toBe('Call Sam and ask whether Monday at ten suits for the visit');
    expect(definition.objective).toBe(prompt);
  });

  it('tries twice', async () => {
    await expect(generate({ objectError: rejected }, { object: draft })).resolves.toMatchObject({
      name: draft.name,
    });
    await expect(generate({ objectError: rejected }, { objectError: rejected })).rejects.toBe(rejected);
  });

  it('gives the model 20 seconds in all', async () => {
    vi.useFakeTimers();
    const generated = generate({ objectError: rejected }, { objectHang: true });
    const outcome = expect(generated).rejects.toMatchObject({
      code: 'provider_unavailable',
      retryable: true,
    });
    await vi.advanceTimersByTimeAsync(20_000);
    await outcome;
  });

  it('stops when told to', async () => {
    const reason = new Error('shutting down');
    const model = new ScriptedModel([{ object: draft }]);
    const options = {
      organizationName: 'Example Dental',
      time: 'It is Sunday.',
      signal: AbortSignal.abort(reason),
    };
    await expect(generateWorkflow({ languageModel: model }, prompt, options)).rejects.toBe(reason);
    model.assertFinished();
  });
});

describe('fallbackWorkflow', () => {
  it('is a sound workflow for any text, and always the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), (text) => {
        const { name, definition } = fallbackWorkflow(text);
        expect(name).not.toBe('');
        expect(name.length).toBeLessThanOrEqual(60);
        expect(workflowDefinition.parse(definition)).toEqual(definition);
        expect(fallbackWorkflow(text)).toEqual({ name, definition });
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['Call Sam and ask whether Monday suits.', 'en-US'],
    ['Llama a Sam y pregunta si el lunes le va bien para la visita', 'es-ES'],
    ['Ruf bitte Sam an und frag, ob Montag für den Besuch passt', 'de-DE'],
    ['Appelle Sam et demande si lundi lui convient pour la visite', 'fr-FR'],
    ['Chiama Sam e chiedi se lunedì va bene per la visita', 'it-IT'],
    ['Ligue para o Sam e pergunte se segunda-feira é bom para você', 'pt-BR'],
    ['Bel Sam en vraag of maandag uitkomt voor het bezoek', 'nl-NL'],
    ['Call Sam and ask in Spanish whether Monday suits', 'es-ES'],
    ['サムさんに電話してください', 'en-US'],
    ['', 'en-US'],
  ])('speaks the language of "%s"', (text, language) => {
    expect(fallbackWorkflow(text).definition.language).toBe(language);
  });

  it('is named after the first sentence', () => {
    expect(fallbackWorkflow('Book a table! For two.').name).toBe('Book a table');
    expect(fallbackWorkflow('word '.repeat(50)).name).toMatch(/^word .*word…$/);
    expect(fallbackWorkflow('Book a table').definition.objective).toBe('Book a table');
  });
});
