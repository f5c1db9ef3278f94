import { type WorkflowDefinitionInput, workflowDefinition } from '@callkite/contract';
import { describe, expect, it } from 'vitest';
import { languagesWithPhrases } from '../languages/phrases.ts';
import { disclosureLine, screeningLine, voicemailMessage } from './disclosure.ts';

describe('disclosureLine', () => {
  it.each(languagesWithPhrases)('names the organization in %s', (language) => {
    const definition = workflowDefinition.parse({ language, objective: 'Confirm a visit' });
    expect(disclosureLine(definition, 'Example Dental')).toContain('Example Dental');
  });

  it('says that it is an AI, for whom it calls, and how to stop it', () => {
    const definition = workflowDefinition.parse({ objective: 'Confirm a visit' });
    expect(disclosureLine(definition, 'Example Dental')).toBe(
      `Hello, I am an AI assistant calling on behalf of Example Dental. If you'd rather not get these calls, just say "stop calling" at any time.`,
    );
  });

  it('falls back to English and prefers the party the workflow names', () => {
    const definition = workflowDefinition.parse({
      language: 'ja-JP',
      objective: 'Confirm a visit',
      agent: { onBehalfOf: 'Dr. Rivera' },
    });
    expect(disclosureLine(definition, 'Example Dental')).toMatch(/^Hello, I am an AI .* Dr\. Rivera\./);
  });
});

const call = { voicemailMessage: null, workflowName: 'Visit on Monday' };
const introduction = 'Hello, I am an AI assistant calling on behalf of Example Dental.';

describe('voicemailMessage', () => {
  const messageOf = (definition: Partial<WorkflowDefinitionInput>, written: string | null = null) =>
    voicemailMessage(
      workflowDefinition.parse({ objective: 'Confirm a visit', ...definition }),
      'Example Dental',
      {
        ...call,
        voicemailMessage: written,
      },
    );

  it('introduces itself before the message', () => {
    const voicemail = { message: 'Please call us back.' };
    expect(messageOf({ voicemail })).toBe(`${introduction} Please call us back.`);
  });

  it('prefers what was written for the call', () => {
    const voicemail = { message: 'Please call us back.', generate: true };
    expect(messageOf({ voicemail }, 'Your visit is on Monday.')).toBe(
      `${introduction} Your visit is on Monday.`,
    );
    expect(messageOf({ voicemail })).toBe(`${introduction} Please call us back.`);
  });

  it('says what the call is about when nothing could be written', () => {
    const voicemail = { generate: true };
    expect(messageOf({ voicemail })).toBe(`${introduction} The call is about: Visit on Monday.`);
    expect(messageOf({ voicemail, purpose: 'We call about your visit.' })).toBe(
      `${introduction} We call about your visit.`,
    );
  });

  it('is null when nothing shall be left', () => {
    expect(messageOf({})).toBeNull();
  });
});

describe('screeningLine', () => {
  const lineOf = (definition: Partial<WorkflowDefinitionInput>) =>
    screeningLine(
      workflowDefinition.parse({ objective: 'Confirm a visit', ...definition }),
      'Example Dental',
      'Visit on Monday',
    );

  it('says who calls, that it is an AI, and why', () => {
    expect(lineOf({ agent: { name: 'Ava' }, purpose: 'We call about your visit.' })).toBe(
      'This is Ava, an AI assistant calling on behalf of Example Dental. We call about your visit.',
    );
  });

  it('takes the opening for the reason, unless it asks something', () => {
    expect(lineOf({ opening: 'I call about Monday.' })).toContain('Dental. I call about Monday.');
    expect(lineOf({ opening: 'Can you come?' })).toContain('Dental. The call is about: Visit on Monday.');
  });

  it.each(languagesWithPhrases)('names organization and agent in %s', (language) => {
    const line = lineOf({ language, agent: { name: 'Ava' } });
    expect(line).toMatch(/Ava, .*Example Dental.*Visit on Monday/);
  });
});
