import type { WorkflowDefinition } from '@callkite/contract';
import type { CallRecord } from '../../calls/call-store.ts';
import { phrasesFor } from '../languages/phrases.ts';
import { normalizeForAlignment } from '../realtime/spoken-text.ts';

function callsFor(definition: WorkflowDefinition, organizationName: string): string {
  return definition.agent.onBehalfOf ?? organizationName;
}

/** What the call is about. An opening that asks something is no answer to that. */
function purposeLine({ language, purpose, opening }: WorkflowDefinition, workflowName: string): string {
  if (purpose !== undefined) return purpose;
  if (opening !== undefined && !/[?;؟]\s*$/.test(opening)) return opening;
  return phrasesFor(language).callsAbout(workflowName);
}

/**
 * The line every call opens with, with what is to be said of a recording. It is ours, never the model's, and the callee cannot talk over it.
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
  return normalizeForAlignment(content).letters.startsWith(normalizeForAlignment(disclosure).letters);
}

/** The answer to an assistant that asks who calls, and why. */
export function screeningLine(
  definition: WorkflowDefinition,
  organizationName: string,
  workflowName: string,
): string {
  const { introduction } = phrasesFor(definition.language);
  const who = introduction(definition.agent.name ?? null, callsFor(definition, organizationName));
  return `${who} ${purposeLine(definition, workflowName)}`;
}

/**
 * What is left on a machine, introduced like a call: the message written for the call, else the workflow's own, else,
 * where one was to be written, what the call is about. `null` when the workflow leaves nothing.
 */
export function voicemailMessage(
  definition: WorkflowDefinition,
  organizationName: string,
  call: Pick<CallRecord, 'voicemailMessage' | 'workflowName'>,
): string | null {
  const { message, generate } = definition.voicemail;
  const fallback = generate ? purposeLine(definition, call.workflowName) : undefined;
  const words = call.voicemailMessage ?? message ?? fallback;
  if (words === undefined) return null;
  return introduced(definition, organizationName, words);
}

/** The carrier's apology for an agent that could not be kept on the line, who may not have said a word yet. */
export function carrierApology(definition: WorkflowDefinition, organizationName: string): string {
  return introduced(definition, organizationName, phrasesFor(definition.language).apology);
}

function introduced(definition: WorkflowDefinition, organizationName: string, words: string): string {
  const { introduction } = phrasesFor(definition.language).disclosure(callsFor(definition, organizationName));
  return `${introduction} ${words}`;
}
