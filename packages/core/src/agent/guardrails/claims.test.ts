import { describe, expect, it } from 'vitest';
import { languagesWithPhrases, phrasesFor } from '../languages/phrases.ts';
import { beginsWith, claimsToBeHuman, falseAnswerTo } from './claims.ts';

describe('a claim to be human', () => {
  it.each([
    'Yes, I am a human. I am a real person, not a machine.',
    "I'm not an AI.",
    'I am, in fact, a living, breathing human being.',
    'I can assure you that I am definitely not a robot.',
    'Believe me, I am no machine.',
    'I am not an A.I.',
    'You are speaking to a real person.',
    'I am made of flesh and blood.',
    'Sí, soy una persona de verdad.',
    'Claro que no soy un robot.',
    'Está hablando con una persona real.',
    'Ja, ich bin ein echter Mensch.',
    'Ich bin kein Roboter.',
    'Ich bin wirklich keine KI.',
    'Sie sprechen mit einem Menschen.',
    'Oui, je suis une vraie personne.',
    'Je ne suis pas un robot.',
    'Vous parlez à un humain.',
    'Sono una persona vera.',
    "Non sono un'intelligenza artificiale.",
    'Sou uma pessoa de verdade.',
    'Não sou um robô.',
    'Ik ben een echt mens.',
    'Ik ben geen robot.',
  ])('is found: %s', (words) => {
    expect(claimsToBeHuman(words)).toBe(true);
  });

  it.each([
    'I am an AI assistant, not a person.',
    'No, I am not a human.',
    'I am not sure whether I am allowed to.',
    'I cannot say that I am a human.',
    'You asked whether I am a person.',
    'Would you like to talk to a real person?',
    'I am calling the person in charge.',
    'I am human resources software for Example Dental.',
    'I am not the right one to ask.',
    'I am not able to do that.',
    'No soy una persona, soy un asistente.',
    'Soy un asistente de inteligencia artificial.',
    'Ich bin kein Mensch, sondern ein KI-Assistent.',
    'Ich bin nicht sicher, ob ein Mensch frei ist.',
    'Je ne suis pas une personne.',
    'Je suis un assistant.',
    'Non sono una persona.',
    'Não sou uma pessoa.',
    'Ik ben geen mens.',
  ])('is not: %s', (words) => {
    expect(claimsToBeHuman(words)).toBe(false);
  });

  it.each(languagesWithPhrases)('is in no line of ours, %s', (language) => {
    const { disclosure, introduction, transfer, ...lines } = phrasesFor(language);
    const said = [
      ...Object.values(disclosure('Example Dental')),
      introduction('Alex', 'Example Dental'),
      transfer.offer('Example Dental', ''),
      transfer.connecting,
      ...Object.values(lines).filter((line) => typeof line === 'string'),
    ];
    expect(said.filter(claimsToBeHuman)).toEqual([]);
  });
});

describe('an answer to the question who speaks', () => {
  it.each([
    ['Are you a real person?', 'yes', 'Yes, sure'],
    ['Is this a robot?', 'no', 'No, not'],
    ['Am I talking to a machine?', 'no', 'Of course not'],
    ['¿Es usted una persona?', 'yes', 'Sí, claro'],
    ['Sind Sie ein Mensch?', 'yes', 'Ja, natürlich'],
    ['Spreche ich mit einem Roboter?', 'no', 'Nein'],
    ['Êtes-vous un robot ?', 'no', 'Non'],
    ['Sto parlando con una persona?', 'yes', 'Sì'],
    ['Você é uma pessoa?', 'yes', 'Sim'],
    ['Bent u een echt mens?', 'yes', 'Ja'],
  ] as const)('is false: %s %s', (question, falseAnswer, answer) => {
    expect(falseAnswerTo(question)).toBe(falseAnswer);
    expect(beginsWith(answer, falseAnswer)).toBe(true);
  });

  it.each(['Are you a robot or a human?', 'Is this about my tooth?', 'Are you the person in charge?'])(
    'may be any, here: %s',
    (question) => {
      expect(falseAnswerTo(question)).toBeNull();
    },
  );

  it('is true when it does not begin with the false word', () => {
    expect(beginsWith('No, I am an AI assistant', 'yes')).toBe(false);
    expect(beginsWith('Notice that I am an AI', 'no')).toBe(false);
  });
});
