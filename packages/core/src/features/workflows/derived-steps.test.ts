import { describe, expect, it } from 'vitest';
import { stepsOf } from './derived-steps.ts';

describe('the steps of a workflow', () => {
  it('are its own where it has any', () => {
    const steps = [{ title: 'Ask', instruction: 'Ask for a day.' }];
    expect(stepsOf({ steps, objective: 'Find a day. Ask for a time.' })).toBe(steps);
  });

  it('are what its objective asks for, where it has none', () => {
    const objective =
      'Confirm the visit on Monday at 10, and ask whether they need parking. Tell them to bring an ID.';
    expect(stepsOf({ steps: [], objective }).map(({ instruction }) => instruction)).toEqual([
      'Confirm the visit on Monday at 10.',
      'Ask whether they need parking.',
      'Tell them to bring an ID.',
    ]);
    expect(stepsOf({ steps: [], objective: 'Confirm the visit' })).toEqual([
      { title: 'Confirm the visit', instruction: 'Confirm the visit.' },
    ]);
  });
});
