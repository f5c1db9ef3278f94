import { describe, expect, it } from 'vitest';
import { asksForNoRecording, judgeConsent } from './consent-wording.ts';
import { languagesWithPhrases, phrasesFor } from './phrases.ts';

describe('judgeConsent', () => {
  it.each([
    ['en-US', 'Yes.'],
    ['en-US', 'Yeah, sure.'],
    ['en-US', 'Yes, go ahead. What is this about?'],
    ['en-US', "No problem, I don't mind."],
    ['en-US', 'That’s fine with me'],
    ['en-US', 'okay'],
    ['es-ES', 'Sí, claro.'],
    ['es-MX', 'No hay problema.'],
    ['de-DE', 'Ja, gerne.'],
    ['de-DE', 'Kein Problem.'],
    ['fr-FR', "Oui, d'accord."],
    ['it-IT', 'Sì, va bene.'],
    ['pt-BR', 'Sim, pode.'],
    ['nl-NL', 'Ja hoor, prima.'],
    ['sv-SE', 'Yes'],
  ])('takes %s "%s" for a yes', (language, answer) => {
    expect(judgeConsent(answer, language)).toBe('yes');
  });

  it.each([
    ['en-US', 'No.'],
    ['en-US', "Yes. No, actually I don't want that."],
    ['en-US', "I'd rather not"],
    ['en-US', 'Nope'],
    ['es-ES', 'No, prefiero que no.'],
    ['de-DE', 'Nein danke.'],
    ['de-DE', 'Lieber nicht.'],
    ['fr-FR', 'Non merci.'],
    ['it-IT', 'No, grazie.'],
    ['pt-BR', 'Não.'],
    ['nl-NL', 'Nee, liever niet.'],
  ])('takes %s "%s" for a no', (language, answer) => {
    expect(judgeConsent(answer, language)).toBe('no');
  });

  it.each([
    ['en-US', 'Yes?'],
    ['en-US', 'Hello?'],
    ['en-US', 'Who is this?'],
    ['en-US', 'Yes, but who are you'],
    ['en-US', 'Yes. But it depends on the matter.'],
    ['en-US', 'Mhm'],
    ['en-US', 'Jordan speaking.'],
    ['es-ES', '¿Sí? Dígame.'],
    ['de-DE', 'Ja, wer ist da'],
    ['en-US', ''],
  ])('takes %s "%s" for no clear answer', (language, answer) => {
    expect(judgeConsent(answer, language)).toBe('unclear');
  });
});

describe('asksForNoRecording', () => {
  it.each([
    ['en-US', 'Stop recording.'],
    ['en-US', "Please don't record this."],
    ['en-US', "I don't want to be recorded."],
    ['en-US', 'Can you turn the recording off?'],
    ['en-US', 'No recording, please'],
    ['en-US', 'I do not consent to being recorded'],
    ['en-US', 'Delete the recording'],
    ['en-US', 'Would you mind not taping this?'],
    ['es-ES', 'Deje de grabar, por favor.'],
    ['es-ES', 'No quiero que me graben.'],
    ['de-DE', 'Bitte nicht aufzeichnen.'],
    ['de-DE', 'Nehmen Sie das bitte nicht auf.'],
    ['de-DE', 'Ich möchte nicht aufgenommen werden.'],
    ['de-DE', 'Stop recording'],
    ['fr-FR', "Ne m'enregistrez pas."],
    ['fr-FR', "Arrêtez d'enregistrer."],
    ['it-IT', 'Non registri.'],
    ['it-IT', 'Smetta di registrare la chiamata.'],
    ['pt-BR', 'Pare de gravar.'],
    ['pt-BR', 'Não quero ser gravado.'],
    ['nl-NL', 'Niet opnemen.'],
    ['nl-NL', 'Stop met opnemen.'],
  ])('hears it in %s "%s"', (language, words) => {
    expect(asksForNoRecording(words, language)).toBe(true);
  });

  it.each([
    ['en-US', 'Yes, that is fine.'],
    ['en-US', "I don't mind being recorded."],
    ['en-US', 'Recording is fine. No, Tuesday does not suit me.'],
    ['en-US', 'No, I have no record of that.'],
    ['en-US', 'Stop by on Tuesday.'],
    ['de-DE', 'Nein, Dienstag passt nicht.'],
    ['pt-BR', 'Não é grave.'],
  ])('does not hear it in %s "%s"', (language, words) => {
    expect(asksForNoRecording(words, language)).toBe(false);
  });

  it.each(languagesWithPhrases)('understands what the %s notice offers to say', (language) => {
    const offered = /["„«]\s*([^"“»]+?)\s*["“»]/.exec(phrasesFor(language).recordingNotice)?.[1] ?? '';
    expect(offered).not.toBe('');
    expect(asksForNoRecording(offered, language)).toBe(true);
  });

  it.each(languagesWithPhrases)('understands the yes and the no the %s question offers', (language) => {
    const words = phrasesFor(language).recordingQuestion.match(/\p{L}+/gu) ?? [];
    const verdicts = words.map((word) => judgeConsent(word, language));
    expect(verdicts).toContain('yes');
    expect(verdicts).toContain('no');
  });
});
