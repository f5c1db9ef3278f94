import { addressFault } from '../addresses.ts';
import type { Call, WebhookMethod, WebhookTarget } from '../calls/call.ts';
import type { Emulation } from '../emulation.ts';
import type { TwimlElement } from './document.ts';

/** A document to fetch next, with what the verb found out as extra form parameters. */
export interface DocumentRequest extends WebhookTarget {
  parameters: Record<string, string>;
}

/** What a verb works with. */
export interface VerbContext {
  readonly emulation: Emulation;
  readonly call: Call;
  /** Aborts when the call is over or its instructions are replaced. */
  readonly signal: AbortSignal;
  /** Where the running document came from; undefined for inline instructions. */
  readonly documentUrl: string | undefined;
}

/** What happens after a verb: the next verb, another document, or the end of the call. */
type VerbOutcome = 'next' | 'hang-up' | DocumentRequest;

/** Executes one element of an instruction document. */
export type Verb = (element: TwimlElement, context: VerbContext) => Promise<VerbOutcome>;

/** Instructions that cannot be carried out: recorded as a notification, then the fallback document or the end. */
export class TwimlError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Why the running instructions stop when the application gives the call others. */
export const instructionsReplaced = new Error('the instructions of the call were replaced');

/** The webhook that a URL attribute and its method attribute name; undefined without the URL attribute. */
export function targetOf(
  element: TwimlElement,
  context: VerbContext,
  urlAttribute = 'action',
  methodAttribute = 'method',
): WebhookTarget | undefined {
  const reference = element.attributes[urlAttribute];
  if (!reference) return undefined;
  return resolveTarget(reference, element.attributes[methodAttribute], context);
}

/** Resolves a URL of a document against the document, and checks it. */
export function resolveTarget(
  reference: string,
  methodName: string | undefined,
  context: VerbContext,
): WebhookTarget {
  let url: string;
  try {
    url = /^[a-z][a-z0-9+.-]*:/i.test(reference) ? reference : new URL(reference, context.documentUrl).href;
  } catch {
    throw new TwimlError(11100, `Invalid URL '${reference}': inline instructions need absolute URLs`);
  }
  const { allowInsecureLoopback } = context.emulation;
  const fault = addressFault(url, { secureProtocol: 'https:', allowInsecureLoopback });
  if (fault !== undefined) throw new TwimlError(11100, `Invalid URL '${reference}': ${fault}`);
  return { url, method: methodOf(methodName) };
}

function methodOf(name: string | undefined): WebhookMethod {
  return name?.toUpperCase() === 'GET' ? 'GET' : 'POST';
}
