import { expect, it } from 'vitest';
import { loggableError } from './loggable-error.ts';

it.each([
  ['Invalid message received', 'Invalid message received'],
  ['64101: Invalid voice', '64101: Invalid voice'],
  ['Invalid message received: token: Your visit is on Monday', 'Invalid message received'],
  ['Invalid message {"type":"text","token":"Hello Jordan"}', 'Invalid message'],
  ['Can\'t synthesize "Hello Jordan"', "Can't synthesize"],
  ["Unknown voice 'Jordan Avery'", 'Unknown voice'],
  ['No route to +1 202 555 0100 (error 64105)', 'No route to +… (error 64105)'],
  ['x'.repeat(1000), 'x'.repeat(200)],
  ['', ''],
])('%s', (description, logged) => {
  expect(loggableError(description)).toBe(logged);
});
