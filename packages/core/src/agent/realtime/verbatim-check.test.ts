import { beforeEach, describe, expect, it } from 'vitest';
import { type VerbatimCheck, verbatimCheck } from './verbatim-check.ts';

const text = 'Hello, I am an AI assistant.';
let released: string[];
let refusals: number;
let line: VerbatimCheck;

beforeEach(() => {
  released = [];
  refusals = 0;
  line = verbatimCheck(text, {
    release: (audio) => released.push(audio),
    onRefused: () => {
      refusals += 1;
    },
  });
});

describe('a line a model was asked to say', () => {
  it('is heard as far as its words are known', () => {
    line.sound('a');
    expect(released).toEqual([]);
    line.text('Hello, I');
    expect(released).toEqual(['a']);
    line.sound('b');
    line.sound('c');
    expect(released).toEqual(['a']);
    line.text(' am an A.I. assistant');
    expect(released).toEqual(['a', 'b', 'c']);
    line.sound('d');
    line.ended();
    expect(released).toEqual(['a', 'b', 'c', 'd']);
    expect([line.isOpen, refusals]).toEqual([false, 0]);
  });

  it('is refused at the first wrong word', () => {
    line.text('Hello, I am');
    line.sound('a');
    line.text(' Sam from');
    line.sound('b');
    line.text('the dentist');
    line.ended();
    expect(released).toEqual([]);
    expect([line.isOpen, refusals]).toEqual([false, 1]);
  });

  it.each([
    ['half of it', 'Hello, I am'],
    ['nothing', ''],
  ])('is refused when the model says %s', (_, spoken) => {
    line.text(spoken);
    line.ended();
    expect(refusals).toBe(1);
  });

  it('may be followed by more', () => {
    line.text(`${text} How are you?`);
    line.ended();
    expect([line.isOpen, refusals]).toEqual([false, 0]);
  });
});
