import { expect, it } from 'vitest';
import { silentLogger } from '../../kernel/logger.ts';
import { openTranscript } from '../session/transcript.ts';
import { keypadTool } from './keypad.ts';

function start() {
  const pressed: string[] = [];
  const transcript = openTranscript({
    callId: 'call_1',
    store: { appendTranscript: async () => 1, transcript: async () => [] },
    earlier: [],
    emit: () => {},
    logger: silentLogger,
  });
  const tool = keypadTool({ pressDigits: (digits) => pressed.push(digits) }, transcript);
  return { pressed, transcript, press: (digits: string) => tool.run({ digits }, { turn: 1, index: 0 }) };
}

it('presses keys and notes it', async () => {
  const { press, pressed, transcript } = start();
  expect(await press('1w#*')).toEqual({ nothingToSay: true });
  expect(pressed).toEqual(['1w#*']);
  expect(transcript.entries).toEqual([{ role: 'assistant', content: '(pressed 1w#*)', interrupted: false }]);
});

it.each(['', '1'.repeat(33), '+1', '1 2', 'A'])('refuses "%s" in words', async (digits) => {
  const { press, pressed, transcript } = start();
  expect(await press(digits)).toEqual({ answer: expect.stringContaining('Nothing was pressed') });
  expect(pressed).toEqual([]);
  expect(transcript.entries).toEqual([]);
});

it('goes five menus deep, no deeper; keys of the callee do not count', async () => {
  const { press, pressed, transcript } = start();
  transcript.add({ role: 'user', content: '(pressed 1)', interrupted: false });
  for (let depth = 0; depth < 5; depth += 1) expect(await press('1')).toEqual({ nothingToSay: true });
  expect(await press('1')).toEqual({ answer: expect.stringContaining('too deep') });
  expect(pressed).toHaveLength(5);
});
