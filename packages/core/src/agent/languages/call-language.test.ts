import { expect, it, vi } from 'vitest';
import { disclosure, type Setup, said, settle, stageEachTest, start } from '../testing/stage.ts';
import { languageSpoken } from './call-language.ts';
import { phrasesFor } from './phrases.ts';

stageEachTest();

const definition = { languages: ['es-ES', 'de-DE'] };
const switched = (language: string) => ({ turn: [{ tool: 'switch_language', input: { language } }] });
const spanish = (text: string) => ({ type: 'said', text, language: 'es' }) as const;
const inSpanish: Pick<Setup, 'definition'> = { definition };

it('goes on in a language of the workflow that the callee speaks, and so do the fixed phrases', async () => {
  const { channel, lines, model } = await start({
    ...inSpanish,
    script: [{ turn: ['Claro. ¿Puede venir el lunes?'] }],
  });
  channel.hear(spanish('No hablo inglés, lo siento.'));
  await settle();
  expect(channel.sent.map(({ text }) => text)).toContain('[es-ES] ');
  expect(model.turns[0]?.instructions).toContain('Speak es-ES.');
  expect(lines()).toContain('assistant: (goes on in es-ES)');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(channel.utterances).toContain(phrasesFor('es').stillThere);
});

it('changes when the model asks for it, once the callee wants that', async () => {
  const { channel, model } = await start({
    ...inSpanish,
    script: [switched('de-DE'), { turn: ['Gern. Passt Ihnen Montag?'] }],
  });
  channel.hear(said('Could we speak German?'));
  await settle();
  expect(channel.utterances.at(-1)).toBe('[de-DE] Gern. Passt Ihnen Montag?');
  expect(model.turns[0]?.instructions).toContain('You may speak en-US, es-ES, de-DE.');
  expect(model.turns[1]?.messages.at(-1)?.content).toBe('You speak de-DE from now on. Answer in it.');
});

it.each([
  ['a word that may be a name', definition, spanish('Sí')],
  [
    'a language that the workflow does not name',
    definition,
    { ...spanish('Je ne parle pas anglais.'), language: 'fr-FR' },
  ],
  ['anything where the workflow names no other', {}, spanish('No hablo inglés, lo siento.')],
])('stays as it is for %s', async (_what, changes, words) => {
  const { channel, lines, model } = await start({ definition: changes, script: [{ turn: ['Sorry?'] }] });
  channel.hear(words);
  await settle();
  expect(channel.utterances.at(-1)).toBe('Sorry?');
  expect(lines().filter((line) => line.includes('goes on in'))).toEqual([]);
  expect(model.turns[0]?.tools.some(({ name }) => name === 'switch_language')).toBe('languages' in changes);
});

it('is still spoken after the line was lost', async () => {
  const note = { role: 'assistant', content: '(goes on in es-ES)', interrupted: false } as const;
  const { channel, model } = await start({
    ...inSpanish,
    earlier: [
      { role: 'assistant', content: disclosure, interrupted: false },
      note,
      { role: 'user', content: 'Sí, el lunes', interrupted: false },
    ],
    script: [{ turn: ['Perfecto.'] }],
  });
  expect(model.turns[0]?.instructions).toContain('Speak es-ES.');
  expect(channel.utterances).toEqual([phrasesFor('es').resumed, 'Perfecto.']);
  expect(languageSpoken({ language: 'en-US', ...definition }, [note])).toBe('es-ES');
  expect(languageSpoken({ language: 'en-US', languages: [] }, [note])).toBe('en-US');
  const words = { ...note, role: 'user' } as const;
  expect(languageSpoken({ language: 'en-US', ...definition }, [words])).toBe('en-US');
});
