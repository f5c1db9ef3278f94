import type { CallReason } from '@callkite/contract';
import type { HeardAnswer } from '../../calls/call-store.ts';
import type { AnsweredBy } from '../../calls/carrier-adapter.ts';
import { classifyUtterance, type HeardUtterance } from './utterance.ts';

/** Silence after which a mailbox's greeting is over, where its beep cannot be heard. */
const greetingOverMs = 2_000;
/** How long a long first sentence that tells nothing is waited out: a greeting goes on, or a person says no more. */
const postponeMs = 1_500;
/** What a screening assistant gets to fetch its person, and a queue to put us through. */
const screeningMs = 60_000;
const queueMs = 120_000;
const longestMessageMs = 120_000;
/** A person who has been talking for so long is one, whatever is said next. */
const settledAfterMs = 15_000;
/** Whoever has talked with us for so long, and said nothing that tells of a machine, is a person. */
const settledAnywayAfterMs = 60_000;
const maximumIntroductions = 2;
/** A message that the greeting runs into is begun again. */
const maximumMessages = 2;
/** Groups of keys pressed. A menu deeper than this is a maze. */
export const maximumMenuDepth = 5;
/** What a menu may say without a key being pressed, before it is left. */
const maximumMenuRounds = 8;

/** Who answered, as far as is known. Small enough to be made anew from the record of the call. */
export interface AnswerState {
  readonly heard: HeardAnswer | null;
  /** A person talks with us: no verdict of a machine counts any more. */
  readonly isSettled: boolean;
  /** Words of the agent were heard: what is said now may be a reply to them. */
  readonly hasSpoken: boolean;
  /** Nothing is said, or nothing but the message. */
  readonly isWaiting: boolean;
  readonly introductions: number;
  /** Messages begun. */
  readonly messages: number;
  readonly keyPresses: number;
  /** What a menu has said since a key was pressed. */
  readonly menuRounds: number;
}

export type AnswerEvent =
  /** The carrier's verdict; `greetingEnded` when a machine has come to the end of its greeting. */
  | { readonly type: 'detected'; readonly answeredBy: AnsweredBy; readonly greetingEnded: boolean }
  /** @param atMs since the call was answered */
  | { readonly type: 'said'; readonly words: string; readonly atMs: number }
  /** The callee pressed a key. */
  | { readonly type: 'pressed' }
  /** The agent pressed keys. */
  | { readonly type: 'keys-sent' }
  | { readonly type: 'beep' }
  /** After a word or two the callee has been silent for long, and the carrier says that a machine answered. */
  | { readonly type: 'doubted' }
  /** Nobody spoke for as long as the last `wait` said. */
  | { readonly type: 'silent' }
  /** What the agent was saying was heard to its end, or the callee spoke over it. */
  | { readonly type: 'spoken'; readonly how: 'whole' | 'cut' }
  /** The line was lost and is back. */
  | { readonly type: 'resumed' };

export type AnswerAction =
  /** Go on with whoever is there. */
  | { readonly type: 'talk' }
  /** A person has come on after a machine: begin anew. */
  | { readonly type: 'greet' }
  /** Say nothing, and tell when nobody speaks for so long. */
  | { readonly type: 'wait'; readonly forMs: number }
  /** Say who calls, and why; then wait. */
  | { readonly type: 'introduce'; readonly forMs: number }
  /** Find the way through the menu. */
  | { readonly type: 'navigate' }
  /** Tell when it was heard, or is not after so long. */
  | { readonly type: 'leave-message'; readonly forMs: number }
  | { readonly type: 'hang-up'; readonly reason: CallReason | null };

export interface AnswerStep {
  readonly state: AnswerState;
  /** `null`: go on with what is being done. */
  readonly action: AnswerAction | null;
}

/** @param record what was known before: on an earlier channel of the call, or in another process */
export function answerState(record: {
  readonly heard: HeardAnswer | null;
  readonly keyPresses: number;
}): AnswerState {
  return {
    ...record,
    isSettled: record.heard === 'person',
    hasSpoken: false,
    isWaiting: false,
    introductions: 0,
    messages: 0,
    menuRounds: 0,
  };
}

const go = (state: AnswerState, action: AnswerAction): AnswerStep => ({
  state: { ...state, isWaiting: 'forMs' in action },
  action,
});

const unchanged = (state: AnswerState): AnswerStep => ({ state, action: null });

function leaveMessage(state: AnswerState): AnswerStep {
  const messages = state.messages + 1;
  return go({ ...state, heard: 'voicemail', messages }, { type: 'leave-message', forMs: longestMessageMs });
}

/** A machine's verdict, if there was one, is withdrawn. */
function settle(state: AnswerState): AnswerStep {
  const wasMachine = !isUnknown(state) && state.heard !== 'person';
  return go({ ...state, heard: 'person', isSettled: true }, { type: wasMachine ? 'greet' : 'talk' });
}

/** Nothing, or next to nothing, was heard. */
const isUnknown = ({ heard }: AnswerState) => heard === null || heard === 'someone';

const isMailbox = ({ heard }: AnswerState) => heard === 'greeting' || heard === 'voicemail';

const awaitGreetingsEnd = (state: AnswerState): AnswerStep =>
  go({ ...state, heard: 'greeting' }, { type: 'wait', forMs: greetingOverMs });

function mailboxSpoke(state: AnswerState): AnswerStep {
  // The words of a greeting may be told when it is long over.
  return state.heard === 'voicemail' ? unchanged(state) : awaitGreetingsEnd(state);
}

function screeningSpoke(state: AnswerState, { asksToWait }: HeardUtterance): AnswerStep {
  const screened: AnswerState = { ...state, heard: 'screening' };
  const introductions = state.introductions + 1;
  if (introductions > maximumIntroductions || (state.introductions > 0 && asksToWait)) {
    return go(screened, { type: 'wait', forMs: screeningMs });
  }
  return go({ ...screened, introductions }, { type: 'introduce', forMs: screeningMs });
}

function menuSpoke(state: AnswerState, { namesKeys, asksToWait }: HeardUtterance): AnswerStep {
  // "… or press 1 for more options", and the music of an assistant who went to look.
  if (isMailbox(state)) return mailboxSpoke(state);
  if (state.heard === 'screening') return go(state, { type: 'wait', forMs: screeningMs });
  const menuRounds = state.menuRounds + 1;
  const inMenu: AnswerState = { ...state, heard: 'menu', menuRounds };
  if (state.keyPresses >= maximumMenuDepth || menuRounds > maximumMenuRounds) {
    return go(inMenu, { type: 'hang-up', reason: 'menu_too_deep' });
  }
  return go(inMenu, asksToWait && !namesKeys ? { type: 'wait', forMs: queueMs } : { type: 'navigate' });
}

function personSpoke(state: AnswerState, { expectsAnswer }: HeardUtterance, atMs: number): AnswerStep {
  // A greeting may say hello, and goodbye, and its owner's name.
  if (isMailbox(state)) return expectsAnswer ? settle(state) : mailboxSpoke(state);
  if (!isUnknown(state) || state.hasSpoken || expectsAnswer || atMs >= settledAfterMs) return settle(state);
  return go({ ...state, heard: 'someone' }, { type: 'talk' });
}

function unclearSpoke(state: AnswerState, { isMonologue }: HeardUtterance, atMs: number): AnswerStep {
  switch (state.heard) {
    case 'greeting':
    case 'voicemail':
      return mailboxSpoke(state);
    case 'screening':
      return go(state, { type: 'wait', forMs: screeningMs });
    default:
      // A greeting is long, and over when the agent has been heard.
      if (state.heard === 'someone' && state.hasSpoken && !isMonologue) return settle(state);
      if (isUnknown(state) && atMs >= settledAnywayAfterMs) return settle(state);
      return go(state, isMonologue ? { type: 'wait', forMs: postponeMs } : { type: 'talk' });
  }
}

function said(state: AnswerState, words: string, atMs: number): AnswerStep {
  if (state.isSettled) return go(state, { type: 'talk' });
  const utterance = classifyUtterance(words);
  switch (utterance.kind) {
    case 'person':
      return personSpoke(state, utterance, atMs);
    case 'voicemail':
      return mailboxSpoke(state);
    case 'screening':
      return screeningSpoke(state, utterance);
    case 'menu':
      return menuSpoke(state, utterance);
    case 'mailbox-full':
      return go({ ...state, heard: 'mailbox-full' }, { type: 'hang-up', reason: 'mailbox_full' });
    case 'fax':
      return go({ ...state, heard: 'fax' }, { type: 'hang-up', reason: null });
    case 'unclear':
      return unclearSpoke(state, utterance, atMs);
  }
}

function detected(state: AnswerState, answeredBy: AnsweredBy, greetingEnded: boolean): AnswerStep {
  if (state.isSettled) return unchanged(state);
  if (answeredBy === 'fax') return go({ ...state, heard: 'fax' }, { type: 'hang-up', reason: null });
  // Assistants and menus, and people who say "Yep.", are machines to a carrier: the words are the better witness. And one
  // message is enough.
  const isOpen = state.heard === null || state.heard === 'greeting';
  if (answeredBy !== 'machine' || !isOpen) return unchanged(state);
  return greetingEnded ? leaveMessage(state) : awaitGreetingsEnd(state);
}

function silent(state: AnswerState): AnswerStep {
  if (!state.isWaiting) return unchanged(state);
  switch (state.heard) {
    case 'greeting':
      return leaveMessage(state);
    case 'voicemail':
      return go(state, { type: 'hang-up', reason: null });
    case 'screening':
      return go(state, { type: 'hang-up', reason: 'call_screened' });
    case 'menu':
      return go(state, { type: 'hang-up', reason: 'callee_silent' });
    default:
      return go(state, { type: 'talk' });
  }
}

function beeped(state: AnswerState): AnswerStep {
  const mayBeMailbox = !state.isSettled && (isUnknown(state) || state.heard === 'greeting');
  return mayBeMailbox ? leaveMessage(state) : unchanged(state);
}

function spoken(state: AnswerState, how: 'whole' | 'cut'): AnswerStep {
  if (state.heard !== 'voicemail') return unchanged({ ...state, hasSpoken: true });
  // The greeting goes on, or a person picks up.
  if (how === 'cut' && state.messages < maximumMessages) return awaitGreetingsEnd(state);
  return go(state, { type: 'hang-up', reason: null });
}

/** Machines press no keys. What the key means is for others to know. */
function pressed(state: AnswerState): AnswerStep {
  if (state.isSettled) return unchanged(state);
  const step = settle(state);
  return isUnknown(state) ? unchanged(step.state) : step;
}

function resumed(state: AnswerState): AnswerStep {
  if (isMailbox(state)) return awaitGreetingsEnd(state);
  if (state.heard === 'screening') return go(state, { type: 'wait', forMs: screeningMs });
  return unchanged(state);
}

/**
 * Who answered, and what to do about it, from what the carrier detects, what is said in the first seconds, and beeps
 * where the sound is ours. Unclear (`heard: null`) it talks, or waits for more after a long sentence; nothing but a
 * full mailbox and a fax is final before a person has spoken.
 */
export function answering(state: AnswerState, event: AnswerEvent): AnswerStep {
  switch (event.type) {
    case 'detected':
      return detected(state, event.answeredBy, event.greetingEnded);
    case 'said':
      return said(state, event.words, event.atMs);
    case 'pressed':
      return pressed(state);
    case 'keys-sent':
      return unchanged({ ...state, keyPresses: state.keyPresses + 1, menuRounds: 0 });
    case 'beep':
      return beeped(state);
    case 'doubted':
      return state.heard === 'someone' ? leaveMessage(state) : unchanged(state);
    case 'silent':
      return silent(state);
    case 'spoken':
      return spoken(state, event.how);
    case 'resumed':
      return resumed(state);
  }
}
