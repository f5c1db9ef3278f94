import { type WorkflowDefinitionInput, workflowDefinition } from '@callkite/contract';
import { describe, expect, it } from 'vitest';
import { workflowWarnings } from './linter.ts';

const warned = (input: WorkflowDefinitionInput) =>
  workflowWarnings(workflowDefinition.parse(input)).map(({ path }) => path);

const step = { title: 'Ask', instruction: 'Ask whether Monday suits.' };

describe('what is warned of', () => {
  it('is nothing where everything works', () => {
    expect(warned({ objective: 'Confirm the visit on Monday' })).toEqual([]);
    expect(warned({ objective: 'Test', steps: [step] })).toEqual([]);
  });

  it.each<[WorkflowDefinitionInput, string]>([
    [{ objective: 'Test' }, 'definition.objective'],
    [{ objective: 'Confirm the visit', language: 'pl-PL' }, 'definition.language'],
    [
      { objective: 'Confirm the visit', voice: { mode: 'relay', speaker: 'marin' } },
      'definition.voice.speaker',
    ],
    [
      { objective: 'Confirm the visit', voicemail: { message: 'Hi.' }, dialing: { detectMachine: false } },
      'definition.voicemail.message',
    ],
    [{ objective: 'Put them through to the front desk if they ask.' }, 'definition.objective'],
    [
      {
        objective: 'Confirm the visit',
        steps: [step, { title: 'Send', instruction: 'Send them an e-mail with the address.' }],
      },
      'definition.steps.1.instruction',
    ],
    [{ objective: 'Call the office and press 2 in the menu.' }, 'definition.objective'],
    [
      {
        objective: 'Confirm the visit',
        steps: Array.from({ length: 5 }, (_, index) => ({ ...step, title: `Ask ${index}` })),
        endRules: { maximumDurationSeconds: 40 },
      },
      'definition.endRules.maximumDurationSeconds',
    ],
  ])('%j: %s', (definition, path) => {
    expect(warned(definition)).toEqual([path]);
  });
});
