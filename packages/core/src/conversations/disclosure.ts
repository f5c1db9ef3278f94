import type { WorkflowDefinition } from '../contract/workflow-definition.ts';
import { phrasesFor } from './phrases.ts';
import { sounds } from './spoken-text.ts';

function callsFor(definition: WorkflowDefinition, organizationName: string): string {
  return definition.agent.onBehalfOf ?? organizationName;
}

/**
 * The line every call opens with, with what is to be said of a recording. It is ours, never the model's, and the callee
 * cannot talk over it.
 */
export function disclosureLine(definition: WorkflowDefinition, organizationName: string): string {
  const phrases = phrasesFor(definition.language);
  const { introduction, howToStop } = phrases.disclosure(callsFor(definition, organizationName));
  const { mode } = definition.recording;
  return [
    introduction,
    ...(mode === 'announce' ? [phrases.recordingNotice] : []),
    howToStop,
    ...(mode === 'ask' ? [phrases.recordingQuestion] : []),
  ].join(' ');
}

/** Whether this is that line as it was spoken: in a model's spelling, say, or with words after it. */
export function isDisclosure(
  { role, content, interrupted }: { role: string; content: string; interrupted: boolean },
  disclosure: string,
): boolean {
  if (role !== 'assistant' || interrupted) return false;
  return sounds(content).letters.startsWith(sounds(disclosure).letters);
}

/** What is left on a machine, introduced like a call; `null` when the workflow leaves nothing. */
export function voicemailMessage(definition: WorkflowDefinition, organizationName: string): string | null {
  const { message } = definition.voicemail;
  if (message === undefined) return null;
  const { introduction } = phrasesFor(definition.language).disclosure(callsFor(definition, organizationName));
  return `${introduction} ${message}`;
}
