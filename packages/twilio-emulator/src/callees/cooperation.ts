import type { CalleeLine } from './callee.ts';

/** The fictional person a cooperating callee is. */
export interface Person {
  name: string;
  email: string;
  phoneNumber: string;
  /** Answers replaced by the person's own, by kind of question. @default none */
  answers?: Partial<Record<Question, string>>;
}

/** Kinds of things an agent says that a cooperating callee tells apart. */
export type Question =
  | 'goodbye'
  | 'anything-else'
  | 'name'
  | 'identity'
  | 'email'
  | 'phone-number'
  | 'address'
  | 'how-are-you'
  | 'rating'
  | 'count'
  | 'time'
  | 'choice'
  | 'yes-or-no'
  | 'statement';

/** Somebody who does not exist. */
export const jordan: Person = {
  name: 'Jordan Avery',
  email: 'jordan.avery@example.com',
  phoneNumber: '202 555 0142',
};

const goodbye = /\b(good ?bye|bye|have a (great|nice|good|wonderful|lovely) \w+|take care)\b[^?]*$/i;

// The first rule that matches decides, so the specific ones come first.
const rules: readonly (readonly [Question, RegExp])[] = [
  ['anything-else', /\b(anything else|any (other |more )?questions)\b/i],
  ['email', /\be-?mail\b.*\?|\b(what|tell me|give me|confirm|provide|share)\b.*\be-?mail\b/i],
  ['phone-number', /\b(phone|callback|call-back|contact|best|mobile) number\b|\bnumber to reach\b/i],
  [
    'identity',
    /\b(am i (speaking|talking) (with|to)|is this (?!a good|an? ok|a bad|fine|okay|convenient)[A-Z])/i,
  ],
  [
    'name',
    /\b(your|the|full|first|last) (full |first |last )?name\b|\bwho (am i|are you|is this)\b|\bmay i ask who\b/i,
  ],
  ['address', /\b(your|street|mailing|home) address\b|\bzip code\b|\bpostal code\b/i],
  ['how-are-you', /\bhow (are you|is it going|have you been|is your day)\b/i],
  ['rating', /\b(scale (of|from)|out of (ten|five|10|5)|how would you rate|rate (us|our|your))\b/i],
  ['count', /\b(how many|how much|what size|number of (people|guests|persons))\b/i],
  [
    'time',
    /\b(what|which) (time|day|date)s?\b|\bwhen (would|could|can|should|works|is|are|do)\b|\bwhat works\b|\b(time|day|date) (would|works|suits)\b/i,
  ],
  ['choice', /\b(?:prefer|like|want|between|either|is it)\b[^.?!]*\bor\b[^.?!]*\?/i],
  [
    'time',
    /\b(\d{1,2}(:\d{2})? ?[ap]\.?m\.?|morning|afternoon|monday|tuesday|wednesday|thursday|friday)\b[^.?!]*\bor\b[^.?!]*\?/i,
  ],
  ['yes-or-no', /\?/],
];

const offeredTime =
  /\b((?:(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|tomorrow)(?: (?:at|morning|afternoon|evening))?(?: ?\d{1,2}(?::\d{2})?(?: ?[ap]\.?m\b\.?)?)?)|\d{1,2}(?::\d{2})? ?[ap]\.?m\b\.?)/i;

/** What kind of thing the agent said. What it asks last counts most. */
export function questionIn(utterance: string): Question {
  if (goodbye.test(utterance)) return 'goodbye';
  const lastQuestion = utterance.match(/[^.?!]+\?/g)?.at(-1);
  return rules.find(([, pattern]) => pattern.test(lastQuestion ?? utterance))?.[0] ?? 'statement';
}

/** What a cooperating person answers. */
export function answerTo(utterance: string, person: Person): string {
  const question = questionIn(utterance);
  const own = person.answers?.[question];
  if (own !== undefined) return own;
  switch (question) {
    case 'goodbye':
      return 'Goodbye.';
    case 'anything-else':
      return 'No, that is all. Thank you.';
    case 'name':
      return `My name is ${person.name}.`;
    case 'identity':
      return 'Yes, speaking.';
    case 'email':
      return `My e-mail is ${person.email}.`;
    case 'phone-number':
      return `You can reach me at ${person.phoneNumber}.`;
    case 'address':
      return 'It is 100 Example Avenue, Springfield.';
    case 'how-are-you':
      return 'I am fine, thank you.';
    case 'rating':
      return 'I would say eight.';
    case 'count':
      return 'Two, please.';
    case 'time':
      return `${chosenTime(utterance)} works for me.`;
    case 'choice':
      return `${chosenOption(utterance)}, please.`;
    case 'yes-or-no':
      return 'Yes, that is fine.';
    case 'statement':
      return 'Okay.';
  }
}

function chosenTime(utterance: string): string {
  const offered = offeredTime.exec(utterance)?.[0]?.trim();
  return offered ? capitalised(offered) : 'Tomorrow at 10 am';
}

function chosenOption(utterance: string): string {
  const question = utterance.match(/[^.?!]+\?/g)?.at(-1) ?? utterance;
  const offer = /\b(?:prefer|like|want|between|either|is it)\b(.*?)(?:,| or )/i.exec(question)?.[1];
  const option = offer?.replace(/^\s*(to|the|a|an)\b/i, '').trim();
  return capitalised(option || 'The first one');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Waits for the agent to speak; says hello when it does not. */
export async function agentSpeaksFirst(line: CalleeLine): Promise<string> {
  const heard = await line.heard({ withinMs: 4000 });
  if (heard !== undefined) return heard;
  await line.say('Hello?');
  return line.heard();
}

/** Answers whatever the agent says until it says goodbye, then lets it hang up first. */
export async function cooperate(line: CalleeLine, person: Person): Promise<void> {
  let heard = await agentSpeaksFirst(line);
  while (questionIn(heard) !== 'goodbye') {
    await line.say(answerTo(heard, person));
    heard = await line.heard();
  }
  await sayGoodbye(line, person);
}

/** Says goodbye, and hangs up when the agent has not done so a few seconds later. */
export async function sayGoodbye(line: CalleeLine, person: Person = jordan): Promise<void> {
  await line.say(person.answers?.goodbye ?? 'Goodbye.');
  await line.heard({ withinMs: 4000 });
  await line.hangUp();
}
