import { expect, it } from 'vitest';
import type { SpeechSession } from '../ports/speech-model.ts';
import { commandBuffer } from './command-buffer.ts';

/** A session that writes down what it is told. */
function notedSession(): { session: SpeechSession; told: string[] } {
  const told: string[] = [];
  const note = (name: string) => (text: unknown) => void told.push(`${name} ${text}`);
  const session = {
    listen() {},
    hear: note('hear'),
    say: note('say'),
    respond: () => told.push('respond'),
    stop: () => told.push('stop'),
    tell: note('tell'),
    answerTool: note('answer'),
    heardOnly: note('heard'),
    instruct: note('instruct'),
    close() {},
  };
  return { session, told };
}

it('gives commands in order, then the sound', () => {
  const held = commandBuffer();
  held.hear('AAAA');
  held.add((session) => session.say('Hello.'));
  held.hear('BBBB');
  held.add((session) => session.stop());
  const { session, told } = notedSession();
  held.giveTo(session);
  expect(told).toEqual(['say Hello.', 'stop', 'hear AAAA', 'hear BBBB']);
});

it('keeps ten seconds of sound at most, and drops what is older', () => {
  const held = commandBuffer();
  const pieces = Array.from({ length: 600 }, (_, index) => Buffer.alloc(160, index % 256).toString('base64'));
  for (const piece of pieces) held.hear(piece);
  const { session, told } = notedSession();
  held.giveTo(session);
  expect(told.length).toBeGreaterThan(480);
  expect(told.length).toBeLessThanOrEqual(500);
  expect(told).toEqual(pieces.slice(-told.length).map((piece) => `hear ${piece}`));
});

it('gives nothing twice, and nothing that was dropped', () => {
  const held = commandBuffer();
  held.hear('AAAA');
  held.drop();
  held.add((session) => session.respond());
  const { session, told } = notedSession();
  held.giveTo(session);
  expect(told).toEqual([]);
});
