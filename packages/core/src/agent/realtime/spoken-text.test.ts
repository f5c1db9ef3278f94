import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  charactersPerSecond,
  follow,
  type HeardText,
  nothingSpoken,
  type PlayoutEvent,
  type SpokenText,
  unplayedCharacters,
} from './spoken-text.ts';

function run(...events: readonly PlayoutEvent[]): { state: SpokenText; heard: HeardText[] } {
  let state = nothingSpoken;
  const heard: HeardText[] = [];
  for (const event of events) {
    const step = follow(state, event);
    state = step.state;
    heard.push(...step.heard);
  }
  return { state, heard };
}

const say = (text: string, last = true, atMs = 0): PlayoutEvent => ({ type: 'sent', text, last, atMs });
const played = (text: string): PlayoutEvent => ({ type: 'played', text });
const interrupted = (heardText: string): PlayoutEvent => ({ type: 'interrupted', heardText });
const closedAt = (atMs: number): PlayoutEvent => ({ type: 'closed', atMs });
const calleeTurn: PlayoutEvent = { type: 'callee-turn' };
const speaking = (value: boolean): PlayoutEvent => ({ type: 'agent-speaking', speaking: value });

describe('follow', () => {
  it('keeps an utterance back until its last piece was played', () => {
    const pieces = [say('Hello, ', false), say('how are you?')];
    expect(run(...pieces, played('Hello,')).heard).toEqual([]);
    expect(run(...pieces, played('Hello,'), played('how are you?'))).toEqual({
      state: { utterances: [], confirms: true },
      heard: [{ content: 'Hello, how are you?', interrupted: false }],
    });
  });

  it('recognizes played text whatever the carrier does to spaces, case and punctuation', () => {
    expect(run(say('It’s “Café”, at 5 p.m. — OK?'), played('its "CAFÉ" at 5 pm  OK')).heard).toHaveLength(1);
  });

  it('bridges a confirmation that was lost', () => {
    const { heard } = run(say('One two. ', false), say('Three four.'), played('Three four.'));
    expect(heard).toEqual([{ content: 'One two. Three four.', interrupted: false }]);
  });

  it('ignores played text it never sent', () => {
    expect(run(say('Hello'), played('Goodbye')).heard).toEqual([]);
  });

  it('takes what was sent for heard when the callee answers', () => {
    expect(run(say('First.'), say('Second?'), calleeTurn)).toEqual({
      state: nothingSpoken,
      heard: [
        { content: 'First.', interrupted: false },
        { content: 'Second?', interrupted: false },
      ],
    });
  });

  it('marks an utterance that was still being generated when the callee answered', () => {
    expect(run(say('I was about to', false), calleeTurn).heard).toEqual([
      { content: 'I was about to', interrupted: true },
    ]);
  });

  it('cuts where playback stopped', () => {
    expect(run(say('We open at nine and close at five.'), interrupted('We open at nine')).heard).toEqual([
      { content: 'We open at nine', interrupted: true },
    ]);
  });

  it('keeps earlier utterances whole and drops later ones on an interruption', () => {
    const sent = [say('Hello, I am an AI.'), say('May I ask you something?'), say('Are you there?')];
    const expected = [
      { content: 'Hello, I am an AI.', interrupted: false },
      { content: 'May I ask', interrupted: true },
    ];
    expect(run(...sent, interrupted('May I ask')).heard).toEqual(expected);
    expect(run(...sent, interrupted('Hello, I am an AI. May I ask')).heard).toEqual(expected);
  });

  it('counts confirmed pieces when the interruption itself says nothing', () => {
    const sent = [say('One two. ', false), say('Three four.'), played('One two.')];
    expect(run(...sent, interrupted('')).heard).toEqual([{ content: 'One two.', interrupted: true }]);
  });

  it('stores no entry for an utterance nobody heard', () => {
    expect(run(say('Hello'), interrupted('')).heard).toEqual([]);
    expect(run(interrupted('Hello')).heard).toEqual([]);
  });

  it('falls back to whole words that agree', () => {
    expect(run(say('I am calling you.'), interrupted("I'm calling you")).heard).toEqual([
      { content: 'I', interrupted: true },
    ]);
    expect(run(say('The price is 50 dollars.'), interrupted('The price is fifty')).heard).toEqual([
      { content: 'The price is', interrupted: true },
    ]);
  });

  it('stores only what was confirmed when the channel closes', () => {
    const sent = [say('One two. ', false), say('Three four. ', false), say('Five.'), played('One two.')];
    expect(run(...sent, closedAt(60_000)).heard).toEqual([{ content: 'One two.', interrupted: true }]);
  });

  it('estimates from the time that passed when the carrier confirms nothing', () => {
    const text = 'This sentence takes exactly three seconds ok.';
    expect(text).toHaveLength(3 * charactersPerSecond);
    expect(run(say(text), closedAt(3000)).heard).toEqual([{ content: text, interrupted: false }]);
    expect(run(say(text), closedAt(1000)).heard).toEqual([{ content: 'This sentence', interrupted: true }]);
    expect(run(say(text), closedAt(0)).heard).toEqual([]);
    expect(run(say(text), say('And this?'), closedAt(3000)).heard).toHaveLength(1);
  });

  it('believes a carrier without confirmations when it falls silent', () => {
    expect(run(say('Hello.'), speaking(true), speaking(false)).heard).toEqual([
      { content: 'Hello.', interrupted: false },
    ]);
    expect(run(say('Hello, ', false), speaking(true), speaking(false)).heard).toEqual([]);
    expect(run(speaking(true), say('Hello.'), speaking(false)).heard).toEqual([]);
  });

  it('does not take a pause between confirmed pieces for the end', () => {
    const sent = [say('One two. ', false), say('Three four.'), speaking(true), played('One two.')];
    expect(run(...sent, speaking(false)).heard).toEqual([]);
  });

  it('never claims more than was sent, never twice, never out of order', () => {
    const words = fc.constantFrom(
      'Yes',
      'no ',
      'well, ',
      'I see. ',
      'nine ',
      'o’clock',
      'then? ',
      '¿qué? ',
      '',
    );
    const event: fc.Arbitrary<PlayoutEvent> = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          type: fc.constant('sent' as const),
          text: words,
          last: fc.boolean(),
          atMs: fc.nat(9000),
        }),
      },
      fc.record({ type: fc.constant('played' as const), text: words }),
      fc.record({ type: fc.constant('interrupted' as const), heardText: words }),
      fc.record({ type: fc.constant('agent-speaking' as const), speaking: fc.boolean() }),
      fc.constant(calleeTurn),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), fc.nat(20_000), (events, atMs) => {
        const { state, heard } = run(...events, closedAt(atMs));
        expect(state.utterances).toEqual([]);
        const sent = events.map((each) => (each.type === 'sent' ? each.text : '')).join('');
        let from = 0;
        for (const { content } of heard) {
          const at = sent.indexOf(content, from);
          expect(at).toBeGreaterThanOrEqual(0);
          expect(content.trim()).toBe(content);
          expect(content).not.toBe('');
          from = at + content.length;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('cuts an interruption at any point to exactly the words played', () => {
    const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'we', 'are', 'you', 'at', '5');
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 15 }),
        fc.nat(),
        fc.nat(),
        (words, cutAt, splitAt) => {
          const text = words.join(' ');
          const cut = words.slice(0, (cutAt % words.length) + 1).join(' ');
          const split = splitAt % text.length;
          const { heard } = run(say(text.slice(0, split), false), say(text.slice(split)), interrupted(cut));
          expect(heard).toEqual([{ content: cut, interrupted: cut !== text }]);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('loses nothing that was confirmed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('alpha, ', 'beta. ', 'gamma ', 'delta? '), { minLength: 1 }),
        fc.nat(),
        (pieces, count) => {
          const confirmed = pieces.slice(0, count % (pieces.length + 1));
          const { heard } = run(
            ...pieces.map((piece, index) => say(piece, index === pieces.length - 1)),
            ...confirmed.map((piece) => played(piece.trim())),
            played(''),
            closedAt(0),
          );
          const content = heard.map((entry) => entry.content).join(' ');
          const letters = (text: string) => text.replace(/[^a-z]/g, '');
          expect(letters(content)).toBe(letters(confirmed.join('')));
        },
      ),
    );
  });
});

describe('unplayedCharacters', () => {
  it('counts what is still to be spoken', () => {
    expect(unplayedCharacters(run(say('12345', false), say('678'), played('12345')).state)).toBe(3);
  });
});
