import type { IWebhookFunctions } from 'n8n-workflow';

/** What the trigger keeps in n8n's static data: the calls that started its workflow, newest last. */
export interface StartedCalls {
  callIds?: string[];
}

/** Calls that are recognized when their webhooks arrive again. */
const rememberedCalls = 500;

/**
 * Started calls by trigger. n8n replaces static data as a whole, so of two webhooks that arrive together only one would
 * be kept there; this process knows both, and writes both the next time.
 */
const startedHere = new Map<string, readonly string[]>();

/** Whether this call already started the workflow; remembers it if not. */
export function isRepeated(context: IWebhookFunctions, memory: StartedCalls, callId: string): boolean {
  const trigger = `${context.getWorkflow().id}/${context.getNode().id}/${context.getMode()}`;
  const here = startedHere.get(trigger) ?? [];
  const known = [...new Set([...(memory.callIds ?? []), ...here])];
  if (known.includes(callId)) return true;
  const callIds = [...known, callId].slice(-rememberedCalls);
  startedHere.set(trigger, callIds);
  memory.callIds = callIds;
  return false;
}
