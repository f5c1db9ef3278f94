import { describe, expect, it } from 'vitest';
import { confirmsOptOut, judgeOptOut } from './opt-out.ts';
import { languagesWithPhrases, phrasesFor } from './phrases.ts';

const asksForNoMoreCalls = (words: string) => judgeOptOut(words) !== 'none';

describe('a wish not to be called again', () => {
  it.each([
    'Stop calling me.',
    'stop calling',
    'Please stop calling this number',
    'I told you people to stop calling us!',
    'Take me off your list.',
    'Could you take me off of your calling list please?',
    'Do not call again',
    "don't call me again",
    'Don’t ever call here again.',
    "Please don't call me anymore",
    'never call me again',
    'Do not call me.',
    "I'm busy. Don't call me, please.",
    'Remove my number',
    'Can you delete my phone number?',
    'remove me from the list',
    'Put me on your do not call list',
    'unsubscribe',
    'I want to opt out',
    'No more calls, please',
    "I don't want any more calls",
    "I don't want to be called again.",
    'No me llame más',
    'No me vuelva a llamar, por favor',
    'Deje de llamarme',
    'Quíteme de su lista',
    'Borre mi número',
    'Rufen Sie mich nicht mehr an!',
    'Rufen Sie bitte nie wieder an',
    'Ruf mich nicht mehr an',
    'Ich möchte, dass Sie mich nicht mehr anrufen',
    'Hören Sie auf, mich anzurufen.',
    'Streichen Sie mich bitte von Ihrer Liste',
    'Löschen Sie meine Nummer',
    "Ne m'appelez plus",
    'Ne me rappelez plus jamais',
    "Arrêtez de m'appeler",
    'Retirez-moi de votre liste',
    'Supprimez mon numéro',
    'Non mi chiami più',
    'Smettete di chiamarmi',
    'Mi tolga dalla lista',
    'Não me ligue mais',
    'Pare de me ligar',
    'Remova meu número',
    'Bel mij niet meer',
    'Stop met mij bellen',
    'Haal mij van de lijst',
  ])('hears "%s"', (words) => {
    expect(asksForNoMoreCalls(words)).toBe(true);
  });

  it.each([
    '',
    'Yes.',
    'Stop.',
    "Don't call me before five.",
    'Please do not call me again before Monday',
    "don't call me at work",
    'Stop calling me so early',
    'Stop calling me names',
    "Don't stop calling me",
    'I never said stop calling me',
    'You can call me again tomorrow',
    "I don't call me old for nothing",
    'Why did you stop, calling is fine',
    'Can you call again later?',
    'I want to remove my appointment from your list of bookings later',
    'Take the second one off your list',
    "Don't take me off your list",
    'My number is on the list',
    'I do not want any more coffee',
    'No me llame más tarde',
    'Llámeme más tarde',
    'No me llame antes de las cinco',
    'Rufen Sie mich nicht vor acht an',
    'Rufen Sie mich morgen wieder an',
    'Ich bin nicht mehr hier',
    "Ne m'appelez pas avant midi",
    "Ne m'appelez plus avant midi",
    'Appelez-moi plus tard',
    'Rappelez plus tard',
    'Non mi chiami più tardi',
    'Mi chiami più tardi',
    'Me ligue mais tarde',
    'Não me ligue mais tarde',
    'Bel mij niet meer voor negen uur',
    'Bel me morgen',
  ])('does not hear it in "%s"', (words) => {
    expect(asksForNoMoreCalls(words)).toBe(false);
  });

  it.each(languagesWithPhrases)('hears the words the disclosure offers in %s', (language) => {
    const { howToStop } = phrasesFor(language).disclosure('Example Dental');
    const offered = /["„«]\s*(.+?)\s*["“»]/u.exec(howToStop)?.[1] ?? '';
    expect(offered).not.toBe('');
    expect(judgeOptOut(offered)).toBe('clear');
  });
});

describe('a wish that means nothing else', () => {
  it.each([
    'Stop calling me.',
    'stop calling',
    'Please stop calling me. Take me off your list.',
    'No, thank you. Do not call me again.',
    "I'm busy. Don't call me, please.",
    'Remove my number.',
    'Put me on your do not call list',
    'No me llame más, por favor.',
    'Quíteme de su lista',
    'Rufen Sie mich bitte nicht mehr an!',
    "Arrêtez de m'appeler, s'il vous plaît.",
    'Non mi chiami più',
    'Não me ligue mais',
    'Bel mij alstublieft niet meer',
  ])('"%s"', (words) => {
    expect(judgeOptOut(words)).toBe('clear');
  });

  it.each([
    'Take me off the waiting list.',
    "My ex won't stop calling me.",
    "Don't call me, text me instead.",
    'No me llame más hasta el lunes.',
    'Stop calling?',
    'He keeps saying, stop calling me.',
    'I told my neighbor: never call me again!',
    "Don't call me anymore, I will call you tomorrow.",
    'Rufen Sie mich nicht mehr an, schreiben Sie mir lieber.',
  ])('is not "%s"', (words) => {
    expect(judgeOptOut(words)).not.toBe('clear');
  });
});

describe('the answer to our question', () => {
  it.each([
    'Yes.',
    'Yes, please.',
    'Yeah, that is right.',
    "Yes, don't call me again.",
    'Correct. Thank you.',
    'Sí, por favor.',
    'Ja, bitte.',
    'Oui, merci.',
    'Sì, grazie.',
    'Sim, por favor.',
    'Ja, graag.',
    'Stop calling me.',
  ])('"%s" is a clear yes', (words) => {
    expect(confirmsOptOut(words)).toBe(true);
  });

  it.each([
    'No.',
    'No, no, call me.',
    'Yes?',
    'Yes, but only the waiting list.',
    'No, just take me off the waiting list.',
    'What do you mean?',
    'Hmm, maybe.',
    'Yes, you can call me tomorrow.',
    'Nein, nein.',
    '',
  ])('"%s" is none', (words) => {
    expect(confirmsOptOut(words)).toBe(false);
  });
});
