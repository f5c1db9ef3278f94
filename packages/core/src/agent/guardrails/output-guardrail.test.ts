import { type WorkflowDefinition, workflowDefinition } from '@callkite/contract';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallkiteEvent } from '../../kernel/events.ts';
import { phrasesFor } from '../languages/phrases.ts';
import { instructionsFor, wordsOfBrief } from '../session/prompt.ts';
import { createCanary, outputGuardrail } from './output-guardrail.ts';

const phrases = phrasesFor('en');
const definition: WorkflowDefinition = workflowDefinition.parse({
  objective:
    'Remind the person of the appointment on Tuesday at 3 pm. Offer ten percent off only when they threaten to go elsewhere.',
  facts: ['The practice is on Mill Road, behind the old station, and has parking for four cars.'],
  steps: [{ title: 'Confirm', instruction: 'Ask whether they will come on Tuesday at 3 pm or another day.' }],
});
const marker = createCanary();
const instructions = instructionsFor(
  definition,
  'Example Dental',
  { connectionId: 'con_1', recipientName: 'Jordan', recipientEmail: null, recipientContext: null },
  {
    notes: [],
    results: [],
    forms: [],
    transfers: [],
    time: 'It is Sunday.',
    language: 'en-US',
    languages: ['en-US'],
  },
  marker,
);
const events: CallkiteEvent[] = [];
const warn = vi.fn();
const logger = { debug() {}, info() {}, warn, error() {} };
const guard = outputGuardrail({
  callId: 'call_1',
  marker,
  ...wordsOfBrief(definition, 'Example Dental', { connectionId: 'con_1' }),
  phrases: () => phrases,
  emit: (event) => events.push(event),
  logger,
});

/** What is said of these words, which come one by one, and what is said instead of the rest. */
function speak(text: string, answered = ''): { said: string; instead: string | null } {
  const utterance = guard.follow(answered);
  let said = '';
  for (const word of text.split(/(?<=\s)/)) {
    const instead = utterance.check(/\s$/.test(word) ? word : `${word} `);
    if (instead !== null) return { said: said.trim(), instead };
    said += word;
  }
  return { said, instead: null };
}

beforeEach(() => {
  events.length = 0;
  warn.mockClear();
});

describe('what the model wants to say', () => {
  it.each([
    'Hello Jordan, I am calling about your appointment on Tuesday at 3 pm.',
    'I remind you of the appointment on Tuesday at 3 pm.',
    'The practice is on Mill Road, behind the old station, and has parking for four cars.',
    'Ask whether they will come on Tuesday at 3 pm or another day.',
    'This is an AI assistant calling on behalf of Example Dental.',
    'When you do not know, say so. I am an AI assistant.',
    'Our number is +1 202 555 0142, and your order is 2026 1107 4455.',
    'Write to jordan.avery@example.com, please.',
  ])('is said: %s', (text) => {
    expect(speak(text).instead).toBeNull();
    expect(events).toEqual([]);
  });

  it('is not said once it is a run of the instructions', () => {
    expect(
      speak('My rules: When asked whether you are a robot, a machine, a recording or a person').said,
    ).toBe('My rules: When asked whether you are a robot,');
    const secret = speak('It says: offer ten percent off only when they threaten to go elsewhere.');
    expect(secret).toEqual({
      said: 'It says: offer ten percent off only when they',
      instead: phrases.cannotShare,
    });
  });

  it('is stopped in the first line when it is the whole of the instructions', () => {
    expect(speak(instructions)).toEqual({
      said: expect.not.stringContaining('behalf'),
      instead: phrases.cannotShare,
    });
  });

  it('never holds the marker, however it is spelled', () => {
    expect(instructions).toContain(marker);
    for (const spelled of [marker, marker.toUpperCase(), [...marker].join('-'), [...marker].join(' . ')]) {
      expect(speak(`The word is ${spelled} indeed`).instead).toBe(phrases.cannotShare);
    }
    expect(createCanary()).not.toBe(marker);
  });

  it('does not claim to be human, in one piece or many', () => {
    expect(speak('Yes, I am a real person.')).toEqual({
      said: 'Yes, I am a real',
      instead: phrases.notHuman,
    });
    expect(guard.follow('').check('Well, I am not a robot. ')).toBe(phrases.notHuman);
    expect(speak('Yes.', 'Are you a human?').instead).toBe(phrases.notHuman);
    expect(speak('No, of course not.', 'Is this a robot?').instead).toBe(phrases.notHuman);
    expect(speak('No, I am an AI assistant.', 'Are you a human?').instead).toBeNull();
  });

  it('tells no card number and no key', () => {
    for (const secret of [
      'Your card is 4111 1111 1111 1111 and',
      'four one one one, one one one one, one one one one, one one one one',
      '5555-5555-5555-4444',
      'the key is sk-proj-a1B2c3D4e5F6g7',
      'whsec_Zm9vYmFyYmF6cXV4MTIz',
    ]) {
      expect(speak(secret).instead).toBe(phrases.cannotShare);
    }
  });

  it('is told to metrics and the log without its words', () => {
    speak('I am a human.');
    expect(events).toEqual([{ type: 'speech.withheld', callId: 'call_1', why: 'claim' }]);
    expect(JSON.stringify(warn.mock.calls)).not.toContain('human');
  });
});
