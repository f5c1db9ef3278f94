import { describe, expect, it } from 'vitest';
import type { HeardAnswer } from '../../calls/call-store.ts';
import { type AnswerEvent, type AnswerState, answering, answerState, maximumMenuDepth } from './answering.ts';

const said = (words: string, atMs = 2_000): AnswerEvent => ({ type: 'said', words, atMs });
const machine: AnswerEvent = { type: 'detected', answeredBy: 'machine', greetingEnded: true };
const machineSpeaks: AnswerEvent = { type: 'detected', answeredBy: 'machine', greetingEnded: false };
const detected = (answeredBy: 'human' | 'fax' | 'unknown'): AnswerEvent => ({
  type: 'detected',
  answeredBy,
  greetingEnded: false,
});
const silent: AnswerEvent = { type: 'silent' };
const beep: AnswerEvent = { type: 'beep' };
const doubted: AnswerEvent = { type: 'doubted' };
const pressed: AnswerEvent = { type: 'pressed' };
const keysSent: AnswerEvent = { type: 'keys-sent' };
const whole: AnswerEvent = { type: 'spoken', how: 'whole' };
const cut: AnswerEvent = { type: 'spoken', how: 'cut' };
const resumed: AnswerEvent = { type: 'resumed' };

const hello = said('Hello?');
const greeting = said('You have reached Jordan Avery. Please leave a message after the tone.');
const askedWho = said('Please state your name and the reason for calling.');
const goesToLook = said('Please stay on the line while I see if they are available.');
const menu = said('For our opening hours, press 1. For reception, press 2.');
const queue = said('All of our agents are busy. Your call is important to us.');
const full = said('The mailbox is full and cannot accept any messages.');
const fax = said('This is a fax machine.');
const story = said(
  'well the thing is that we went over there last week and then they told us to come back some other time because of rain',
);

const fresh = answerState({ heard: null, keyPresses: 0 });

/** The actions that events lead to, `-` for none, with the verdict after the last. */
function course(events: readonly AnswerEvent[], from: AnswerState = fresh): string {
  const actions: string[] = [];
  let state = from;
  for (const event of events) {
    const step = answering(state, event);
    state = step.state;
    const { action } = step;
    const reason = action?.type === 'hang-up' && action.reason !== null ? `(${action.reason})` : '';
    actions.push(action === null ? '-' : `${action.type}${reason}`);
  }
  return `${actions.join(' ')} → ${state.heard ?? 'open'}${state.isSettled ? ', settled' : ''}`;
}

describe('who answered', () => {
  it.each<[string, readonly AnswerEvent[], string]>([
    // People.
    ['a person who asks', [hello], 'talk → person, settled'],
    ['a person by name only', [said('Dana.')], 'talk → someone'],
    ['a word that is a machine to the carrier', [said('Yep.'), machine], 'talk - → someone'],
    ['… and replies', [said('Yep.'), machine, whole, said('Yes.')], 'talk - - talk → person, settled'],
    [
      '… in a few words',
      [said('Yep.'), machine, whole, said('Yes, that is fine.')],
      'talk - - talk → person, settled',
    ],
    ['… into what is said', [said('Yep.'), cut, said('Sure.'), machine], 'talk - talk - → person, settled'],
    ['… and says no more', [said('Yep.'), machine, whole, doubted], 'talk - - leave-message → voicemail'],
    [
      'a reply that is a machine to the carrier',
      [whole, said('Yep.'), machine],
      '- talk - → person, settled',
    ],
    ['a name with a beep after it', [said('Dana.'), beep], 'talk leave-message → voicemail'],
    ['no doubt about a person', [hello, doubted], 'talk - → person, settled'],
    ['nothing that tells', [said('and so')], 'talk → someone'],
    ['the carrier’s word for a person', [detected('human'), said('and so')], '- talk → someone'],
    ['the carrier’s word for nothing', [detected('unknown')], '- → open'],
    ['a long sentence that tells nothing', [story], 'wait → open'],
    ['… and then nothing', [story, silent], 'wait talk → open'],
    ['… and then a greeting', [story, greeting], 'wait wait → greeting'],
    ['… and then a question', [story, hello], 'wait talk → person, settled'],
    ['a person long after the answer', [said('Dana.', 20_000)], 'talk → person, settled'],
    [
      'words that tell nothing, for a minute',
      [said('and so', 59_000), said('and so', 60_000), greeting],
      'talk talk talk → person, settled',
    ],
    ['a person who presses a key', [pressed, machine], '- - → person, settled'],
    ['a person who speaks of messages later', [hello, greeting, full], 'talk talk talk → person, settled'],
    // Verdicts of the carrier.
    ['a machine at its end', [machine], 'leave-message → voicemail'],
    ['a machine that still speaks', [machineSpeaks, silent], 'wait leave-message → voicemail'],
    ['a machine after a person', [hello, machine, machineSpeaks, beep], 'talk - - - → person, settled'],
    ['a machine after words that tell nothing', [said('and so'), machine], 'talk - → someone'],
    ['… and its beep', [said('and so'), machine, beep], 'talk - leave-message → voicemail'],
    ['a fax', [detected('fax')], 'hang-up → fax'],
    ['a fax after a person', [hello, detected('fax')], 'talk - → person, settled'],
    // Mailboxes.
    ['a greeting and silence', [greeting, silent], 'wait leave-message → voicemail'],
    ['a greeting and its beep', [greeting, beep], 'wait leave-message → voicemail'],
    ['a greeting and the verdict', [greeting, machine], 'wait leave-message → voicemail'],
    ['a beep without words', [beep], 'leave-message → voicemail'],
    [
      'a greeting in pieces',
      [said('Hi, this is Kim.'), greeting, silent],
      'talk wait leave-message → voicemail',
    ],
    ['a greeting that says goodbye', [greeting, said('Thank you, goodbye.')], 'wait wait → greeting'],
    ['a greeting that offers keys', [greeting, menu, silent], 'wait wait leave-message → voicemail'],
    ['a message left', [greeting, silent, whole], 'wait leave-message hang-up → voicemail'],
    ['a message nobody confirms', [greeting, silent, silent], 'wait leave-message hang-up → voicemail'],
    [
      'a message the greeting runs into, once',
      [greeting, silent, cut, greeting, silent, cut],
      'wait leave-message wait wait leave-message hang-up → voicemail',
    ],
    ['words of the greeting told late', [beep, greeting, whole], 'leave-message - hang-up → voicemail'],
    [
      'one message, whatever is detected',
      [greeting, silent, machine, beep],
      'wait leave-message - - → voicemail',
    ],
    ['a full mailbox', [full], 'hang-up(mailbox_full) → mailbox-full'],
    ['a greeting of a full mailbox', [greeting, full], 'wait hang-up(mailbox_full) → mailbox-full'],
    ['a fax by its words', [fax], 'hang-up → fax'],
    // Persons who come on after a machine.
    ['a person into the greeting', [greeting, hello], 'wait greet → person, settled'],
    ['… and the verdict on the greeting', [greeting, hello, machine], 'wait greet - → person, settled'],
    [
      'a person into the message',
      [greeting, silent, cut, hello],
      'wait leave-message wait greet → person, settled',
    ],
    ['a person who presses a key at the greeting', [greeting, pressed], 'wait greet → person, settled'],
    // Assistants.
    ['an assistant that asks', [askedWho], 'introduce → screening'],
    ['… and goes to look', [askedWho, goesToLook], 'introduce wait → screening'],
    ['… and asks again and again', [askedWho, askedWho, askedWho], 'introduce introduce wait → screening'],
    ['… and fetches the person', [askedWho, goesToLook, hello], 'introduce wait greet → person, settled'],
    [
      '… and comes back with nobody',
      [askedWho, goesToLook, silent],
      'introduce wait hang-up(call_screened) → screening',
    ],
    ['… and gives us the mailbox', [askedWho, greeting, silent], 'introduce wait leave-message → voicemail'],
    ['… and is a machine to the carrier', [askedWho, machine], 'introduce - → screening'],
    // Menus.
    ['a menu', [menu, keysSent, menu], 'navigate - navigate → menu'],
    ['a menu that is a machine to the carrier', [menu, machine], 'navigate - → menu'],
    ['a queue', [queue, silent], 'wait hang-up(callee_silent) → menu'],
    ['a menu that leads to a person', [menu, keysSent, hello], 'navigate - greet → person, settled'],
    [
      'a menu that leads to a mailbox',
      [menu, keysSent, greeting, silent],
      'navigate - wait leave-message → voicemail',
    ],
  ])('%s', (_, events, expected) => {
    expect(course(events)).toBe(expected);
  });

  it('leaves a menu that is too deep', () => {
    const rounds = Array.from({ length: maximumMenuDepth }, () => [menu, keysSent]).flat();
    expect(course([...rounds, menu])).toMatch(/hang-up\(menu_too_deep\) → menu$/);
    expect(course([...rounds, hello])).toMatch(/greet → person, settled$/);
  });

  it('leaves a menu that says the same for ever', () => {
    expect(course(Array.from({ length: 9 }, () => menu))).toMatch(
      /navigate hang-up\(menu_too_deep\) → menu$/,
    );
  });

  it.each<[HeardAnswer, string]>([
    ['person', '- - → person, settled'],
    ['greeting', 'wait leave-message → voicemail'],
    ['voicemail', 'wait leave-message → voicemail'],
    ['screening', 'wait - → screening'],
    ['menu', '- - → menu'],
  ])('goes on after the line was lost from what is on record: %s', (heard, expected) => {
    expect(course([resumed, machine], answerState({ heard, keyPresses: 0 }))).toBe(expected);
  });

  it('knows from the record how deep the menu is', () => {
    const state = answerState({ heard: 'menu', keyPresses: maximumMenuDepth });
    expect(course([menu], state)).toBe('hang-up(menu_too_deep) → menu');
  });
});
