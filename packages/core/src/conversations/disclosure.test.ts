import { describe, expect, it } from 'vitest';
import { workflowDefinition } from '../contract/workflow-definition.ts';
import { disclosureLine, voicemailMessage } from './disclosure.ts';
import { languagesWithPhrases } from './phrases.ts';

describe('disclosureLine', () => {
  it.each(languagesWithPhrases)('names the organization in %s', (language) => {
    const definition = workflowDefinition.parse({ language, objective: 'Confirm a visit' });
    expect(disclosureLine(definition, 'Example Dental')).toContain('Example Dental');
  });

  it('says that it is an AI, for whom it calls, and how to stop it', () => {
    const definition = workflowDefinition.parse({ objective: 'Confirm a visit' });
    expect(disclosureLine(definition, 'Example Dental')).toBe(
      'Hello, I am an AI assistant calling on behalf of Example Dental. If you want no more calls, just say "stop calling" at any time.',
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

describe('voicemailMessage', () => {
  it('introduces itself before the message', () => {
    const definition = workflowDefinition.parse({
      objective: 'Confirm a visit',
      voicemail: { message: 'Please call us back.' },
    });
    expect(voicemailMessage(definition, 'Example Dental')).toBe(
      'Hello, I am an AI assistant calling on behalf of Example Dental. Please call us back.',
    );
  });

  it('is null when nothing shall be left', () => {
    expect(voicemailMessage(workflowDefinition.parse({ objective: 'x' }), 'Example Dental')).toBeNull();
  });
});
