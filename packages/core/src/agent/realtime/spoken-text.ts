import { type SpokenForm, writtenUpTo } from '../languages/spoken-forms.ts';

/** Speed of synthetic speech, for carriers that do not tell how far it got. */
export const charactersPerSecond = 15;

/** Text sent to be spoken as one piece of talk, and how much of it was surely played. */
export interface Utterance {
  /** As it is said. */
  readonly text: string;
  /** The same in parts, with how they are written. */
  readonly parts: readonly SpokenForm[];
  /** No more text will be added. */
  readonly closed: boolean;
  /** Characters of `text` the carrier confirmed as played. */
  readonly played: number;
  readonly sentAtMs: number;
  /** The carrier began to speak after this was sent. */
  readonly begun: boolean;
}

/** What was sent and is not in the transcript yet. */
export interface SpokenText {
  readonly utterances: readonly Utterance[];
  /** This carrier tells what it played. */
  readonly confirms: boolean;
}

export type PlayoutEvent =
  | {
      readonly type: 'sent';
      readonly text: string;
      /** What is written for it; the same where there is no more to it. */
      readonly parts?: readonly SpokenForm[];
      readonly last: boolean;
      readonly atMs: number;
    }
  | { readonly type: 'played'; readonly text: string }
  | { readonly type: 'agent-speaking'; readonly speaking: boolean }
  | { readonly type: 'interrupted'; readonly heardText: string }
  /** The callee's turn begins: what was sent before belongs before it. */
  | { readonly type: 'callee-turn' }
  | { readonly type: 'closed'; readonly atMs: number };

/** An assistant entry of the transcript. */
export interface HeardText {
  readonly content: string;
  readonly interrupted: boolean;
}

export interface SpokenTextStep {
  readonly state: SpokenText;
  /** Entries that are now certain, in the order they were heard. */
  readonly heard: readonly HeardText[];
  /** After an interruption: what of the text was not heard. */
  readonly unheard?: string;
}

export const nothingSpoken: SpokenText = { utterances: [], confirms: false };

/** Letters and digits only, each with the place after it: carriers change spaces, case and punctuation. */
export function normalizeForAlignment(text: string): { letters: string; ends: number[] } {
  let letters = '';
  const ends: number[] = [];
  let at = 0;
  for (const character of text) {
    at += character.length;
    for (const letter of character.normalize('NFKD').toLowerCase()) {
      if (!/[\p{L}\p{N}]/u.test(letter)) continue;
      letters += letter;
      for (let unit = 0; unit < letter.length; unit += 1) ends.push(at);
    }
  }
  return { letters, ends };
}

export function lastWordBoundary(text: string, at: number): number {
  if (at >= text.length) return text.length;
  if (/[^\p{L}\p{N}]/u.test(text.charAt(at))) return at;
  return text.slice(0, at).search(/[^\p{L}\p{N}]+[\p{L}\p{N}]*$/u) + 1;
}

/**
 * How far into `text` the carrier's report of played words reaches, looking from `from` on.
 * @param letters the report, as `sounds` gives it
 * @returns `null` when the words do not occur there
 */
function reach(text: string, from: number, letters: string): number | null {
  if (letters === '') return null;
  const rest = normalizeForAlignment(text.slice(from));
  const found = rest.letters.indexOf(letters);
  // A lost report leaves a gap; a word or two found further on may as well be chance.
  if (found < 0 || (found > 0 && letters.length < 6)) return null;
  const end = from + (rest.ends[found + letters.length - 1] ?? 0);
  const clinging = /^[^\p{L}\p{N}\s]*/u.exec(text.slice(end));
  return end + (clinging?.[0].length ?? 0);
}

/** The longest beginning of `text` that the report agrees with, in whole words. */
function commonBeginning(text: string, letters: string): number {
  const said = normalizeForAlignment(text);
  let length = 0;
  while (length < letters.length && said.letters[length] === letters[length]) length += 1;
  return length === 0 ? 0 : lastWordBoundary(text, said.ends[length - 1] ?? 0);
}

/** All of it, as it is written. */
export const writtenOf = ({ parts }: Pick<Utterance, 'parts'>) =>
  parts.map(({ written }) => written).join('');

type Sent = Extract<PlayoutEvent, { type: 'sent' }>;

function hasSound(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

function heardUpTo(utterance: Utterance, length: number): HeardText[] {
  const complete = utterance.closed && !hasSound(utterance.text.slice(length));
  const content = writtenUpTo(utterance.parts, complete ? utterance.text.length : length).trim();
  return content === '' ? [] : [{ content, interrupted: !complete }];
}

const heardWhole = (utterance: Utterance) => heardUpTo(utterance, utterance.text.length);

function sent(state: SpokenText, { text, parts, last, atMs }: Sent): SpokenText {
  const added = parts ?? [{ written: text, spoken: text }];
  const open = state.utterances.at(-1);
  if (open && !open.closed) {
    const grown = { ...open, text: open.text + text, parts: [...open.parts, ...added], closed: last };
    return { ...state, utterances: [...state.utterances.slice(0, -1), grown] };
  }
  if (text === '') return state;
  const utterance: Utterance = {
    text,
    parts: added,
    closed: last,
    played: 0,
    sentAtMs: atMs,
    begun: false,
  };
  return { ...state, utterances: [...state.utterances, utterance] };
}

function played(state: SpokenText, report: string): SpokenTextStep {
  const confirming = { ...state, confirms: true };
  const { letters } = normalizeForAlignment(report);
  for (const [index, utterance] of state.utterances.entries()) {
    const reached = reach(utterance.text, utterance.played, letters);
    if (reached === null) continue;
    const progressed = { ...utterance, played: reached };
    const whole = utterance.closed && !hasSound(utterance.text.slice(reached));
    const rest = state.utterances.slice(index + 1);
    return {
      state: { ...confirming, utterances: whole ? rest : [progressed, ...rest] },
      heard: [...state.utterances.slice(0, index), ...(whole ? [utterance] : [])].flatMap(heardWhole),
    };
  }
  return { state: confirming, heard: [] };
}

function interrupted(state: SpokenText, heardText: string): SpokenTextStep {
  const { utterances } = state;
  let { letters } = normalizeForAlignment(heardText);
  let index = 0;
  // Some carriers report everything played since they were last silent, which may be several utterances.
  for (; index < utterances.length - 1; index += 1) {
    const whole = normalizeForAlignment(utterances[index]?.text ?? '').letters;
    if (letters.length <= whole.length || !letters.startsWith(whole)) break;
    letters = letters.slice(whole.length);
  }
  const match = utterances.findIndex(
    (utterance, at) => at >= index && reach(utterance.text, 0, letters) !== null,
  );
  index = Math.max(index, match);
  const cut = utterances[index];
  const reached = cut ? (reach(cut.text, 0, letters) ?? commonBeginning(cut.text, letters)) : 0;
  const length = Math.max(reached, cut?.played ?? 0);
  const heardOfCut = cut ? writtenUpTo(cut.parts, length).length : 0;
  const rest = utterances
    .slice(index)
    .map((utterance, at) => writtenOf(utterance).slice(at === 0 ? heardOfCut : 0));
  return {
    state: { ...state, utterances: [] },
    heard: [...utterances.slice(0, index).flatMap(heardWhole), ...(cut ? heardUpTo(cut, length) : [])],
    unheard: rest
      .map((text) => text.trim())
      .join(' ')
      .trim(),
  };
}

function fellSilent(state: SpokenText): SpokenTextStep {
  // Speech may pause between two pieces, so a carrier's confirmations are the better witness where there are any.
  if (state.confirms) return { state, heard: [] };
  const pending = state.utterances.findIndex((utterance) => !(utterance.begun && utterance.closed));
  const count = pending < 0 ? state.utterances.length : pending;
  return {
    state: { ...state, utterances: state.utterances.slice(count) },
    heard: state.utterances.slice(0, count).flatMap(heardWhole),
  };
}

function closed(state: SpokenText, atMs: number): SpokenTextStep {
  const empty = { ...state, utterances: [] };
  if (state.confirms) {
    return {
      state: empty,
      heard: state.utterances.flatMap((utterance) => heardUpTo(utterance, utterance.played)),
    };
  }
  let beganAtMs = 0;
  const heard = state.utterances.flatMap((utterance) => {
    beganAtMs = Math.max(beganAtMs, utterance.sentAtMs);
    const characters = Math.floor(((atMs - beganAtMs) / 1000) * charactersPerSecond);
    beganAtMs += (utterance.text.length / charactersPerSecond) * 1000;
    return heardUpTo(utterance, lastWordBoundary(utterance.text, Math.max(0, characters)));
  });
  return { state: empty, heard };
}

/**
 * Follows what the callee has heard of what we sent. An utterance enters the transcript once: when the carrier
 * confirms that it was played, when the callee takes the turn, or when the channel closes; in the last case only
 * what was confirmed counts, or an estimate from the time that passed if the carrier never confirms anything.
 */
export function follow(state: SpokenText, progress: PlayoutEvent): SpokenTextStep {
  switch (progress.type) {
    case 'sent':
      return { state: sent(state, progress), heard: [] };
    case 'played':
      return played(state, progress.text);
    case 'agent-speaking':
      if (!progress.speaking) return fellSilent(state);
      return {
        state: { ...state, utterances: state.utterances.map((utterance) => ({ ...utterance, begun: true })) },
        heard: [],
      };
    case 'interrupted':
      return interrupted(state, progress.heardText);
    case 'callee-turn':
      return { state: { ...state, utterances: [] }, heard: state.utterances.flatMap(heardWhole) };
    case 'closed':
      return closed(state, progress.atMs);
  }
}

/** Characters sent and not known to be played. */
export function unplayedCharacters(state: SpokenText): number {
  return state.utterances.reduce((sum, { text, played }) => sum + text.length - played, 0);
}
