import type { WorkflowDefinition } from '../contract/workflow-definition.ts';
import { phrasesFor } from './phrases.ts';
import { sounds } from './spoken-text.ts';

function callsFor(definition: WorkflowDefinition, organizationName: string): string {
  return definition.agent.onBehalfOf ?? organizationName;
}

/**
 * The line every call opens with. It is ours, never the model's, and the callee cannot talk over it.
 * @param where the callee is: visitors of a web page came by themselves, and are not told how to stop calls
 */
export function disclosureLine(
  definition: WorkflowDefinition,
  organizationName: string,
  where: 'phone' | 'browser' = 'phone',
): string {
  const phrases = phrasesFor(definition.language);
  const organization = callsFor(definition, organizationName);
  if (where === 'browser') return phrases.greeting(organization);
  const { introduction, howToStop } = phrases.disclosure(organization);
  return `${introduction} ${howToStop}`;
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
