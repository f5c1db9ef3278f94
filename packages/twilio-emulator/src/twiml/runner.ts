import type { Call, Instruction, WebhookTarget } from '../calls/call.ts';
import { callOver } from '../calls/call.ts';
import { callParameters } from '../calls/webhook-parameters.ts';
import type { Emulation } from '../emulation.ts';
import { unlessAborted } from '../line/delay.ts';
import { connect } from './connect.ts';
import { dialVerb } from './dial-verb.ts';
import { parseTwiml, type TwimlElement } from './document.ts';
import { gather } from './gather.ts';
import { isBlockedOnTrial, trialLimits, trialNotice } from './trial.ts';
import {
  type DocumentRequest,
  instructionsReplaced,
  TwimlError,
  type Verb,
  type VerbContext,
} from './verb.ts';
import { hangUp, pause, play, redirect, reject, say, startRecording } from './voice-verbs.ts';

const MAXIMUM_DOCUMENTS = 1000;
const APPLICATION_ERROR = 'We are sorry, an application error has occurred. Goodbye.';

const verbs: Readonly<Record<string, Verb>> = {
  Say: say,
  Play: play,
  Pause: pause,
  Hangup: hangUp,
  Reject: reject,
  Redirect: redirect,
  Gather: gather,
  Dial: dialVerb,
  Connect: connect,
  Start: startRecording,
};

/** A document of `<Number url>` may speak and ask, and hang up. */
const notOnDialedLegs: ReadonlySet<string> = new Set(['Dial', 'Connect', 'Start', 'Reject']);

interface Run {
  instruction: Instruction;
  fallback: WebhookTarget | undefined;
  /** Resolves when the first document may be executed, with extra parameters of its request. */
  ready(): Promise<Record<string, string>>;
}

/** Executes the instructions of an answered call, and those that replace them, until the call is over. */
export async function runInstructions(emulation: Emulation, call: Call, first: Run): Promise<void> {
  let run: Run | undefined = first;
  while (run) {
    const stop = new AbortController();
    const over = () => stop.abort(callOver);
    call.signal.addEventListener('abort', over, { once: true });
    let next: Run | undefined;
    call.redirect = (instruction, fallback) => {
      next = { instruction, fallback, ready: async () => ({}) };
      stop.abort(instructionsReplaced);
    };
    try {
      if (call.isOver) throw callOver;
      await runDocuments(emulation, call, run, stop.signal);
      call.end('completed', 200);
    } catch (error) {
      if (error !== instructionsReplaced) throw error;
      call.line.stopAgent();
    } finally {
      call.signal.removeEventListener('abort', over);
    }
    run = next;
  }
}

/**
 * Executes the document of a dialed number on its leg, before the leg is bridged.
 *
 * @returns whether to bridge it: not when a document hung up, or could not be carried out
 */
export async function runScreening(
  emulation: Emulation,
  call: Call,
  document: WebhookTarget,
): Promise<Ending> {
  const run = { instruction: document, fallback: undefined, ready: async () => ({}) };
  return runDocuments(emulation, call, run, call.signal);
}

/** How documents end: out of verbs, or on purpose or for an error. */
type Ending = 'ran-out' | 'hang-up';

/** Executes document after document until one runs out or hangs up. */
async function runDocuments(
  emulation: Emulation,
  call: Call,
  run: Run,
  signal: AbortSignal,
): Promise<Ending> {
  const parameters = await unlessAborted(run.ready(), signal);
  let fallback = run.fallback;
  let next: DocumentRequest | { twiml: string } | Ending =
    'twiml' in run.instruction ? run.instruction : { ...run.instruction, parameters };
  const maximum = call.account.type === 'Trial' ? trialLimits.documents : MAXIMUM_DOCUMENTS;
  for (let count = 1; typeof next === 'object'; count += 1) {
    const url: string | undefined = 'url' in next ? next.url : undefined;
    try {
      if (count > maximum) throw new TwimlError(12400, `More than ${maximum} documents in one call`);
      next = await runDocument(next, { emulation, call, signal, documentUrl: url?.replace(/#.*$/, '') });
    } catch (error) {
      if (!(error instanceof TwimlError)) throw error;
      call.notify(error.code, error.message);
      if (!fallback) {
        await call.line.say(APPLICATION_ERROR, signal);
        return 'hang-up';
      }
      next = { ...fallback, parameters: { ErrorCode: String(error.code), ErrorUrl: url ?? '' } };
      fallback = undefined;
    }
  }
  return next;
}

async function runDocument(
  source: DocumentRequest | { twiml: string },
  context: VerbContext,
): Promise<DocumentRequest | Ending> {
  const xml =
    'twiml' in source ? inlineDocument(source.twiml, context) : await fetchDocument(source, context);
  let elements: TwimlElement[];
  try {
    elements = parseTwiml(xml);
  } catch (error) {
    throw new TwimlError(12100, `Document parse failure: ${error instanceof Error ? error.message : error}`);
  }
  if (context.call.account.type === 'Trial' && elements.some(isBlockedOnTrial)) {
    context.call.notify(10002, 'The instructions use a feature that trial accounts do not have');
    await context.call.line.say(trialNotice, context.signal);
    return 'hang-up';
  }
  for (const element of elements) {
    const verb = verbs[element.name];
    if (!verb) throw new TwimlError(12100, `Document parse failure: <${element.name}> is not a verb`);
    if (context.call.parent && notOnDialedLegs.has(element.name)) {
      throw new TwimlError(13201, `Dial: <${element.name}> is not allowed on a leg that was dialed`);
    }
    const outcome = await verb(element, context);
    if (outcome !== 'next') return outcome;
  }
  return 'ran-out';
}

function inlineDocument(twiml: string, { call }: VerbContext): string {
  call.record.documents.push({ at: new Date().toISOString(), url: 'inline' });
  return twiml;
}

async function fetchDocument(request: DocumentRequest, context: VerbContext): Promise<string> {
  const { emulation, call, signal } = context;
  const entry: { at: string; url: string; status?: number; error?: string } = {
    at: new Date().toISOString(),
    url: request.url,
  };
  call.record.documents.push(entry);
  const result = await unlessAborted(
    emulation.webhooks.send({
      url: request.url,
      method: request.method,
      parameters: { ...callParameters(call), ...request.parameters },
      authToken: call.account.authToken,
      totalTimeoutMs: call.account.type === 'Trial' ? trialLimits.fetchMs : undefined,
    }),
    signal,
  );
  if (result.status !== undefined) entry.status = result.status;
  if (!result.ok) {
    entry.error = result.error;
    throw new TwimlError(11200, `HTTP retrieval failure: ${result.error}`);
  }
  if (!/^(text|application)\/xml\b/i.test(result.contentType)) {
    entry.error = `content type '${result.contentType}'`;
    throw new TwimlError(12300, `Invalid content type '${result.contentType}': send text/xml`);
  }
  return result.body;
}
