import { delay } from '../line/delay.ts';
import type { CalleeListener } from '../line/line.ts';
import type { TwimlElement } from './document.ts';
import { TwimlError, targetOf, type Verb, type VerbContext } from './verb.ts';
import { pause, play, say } from './voice-verbs.ts';

const DEFAULT_TIMEOUT_SECONDS = 5;

const prompts: Readonly<Record<string, Verb>> = { Say: say, Play: play, Pause: pause };

/** Plays its prompts while it waits for keys or speech, and posts what it got to `action`. */
export const gather: Verb = async (element, context) => {
  const { call, emulation, signal } = context;
  const action = targetOf(element, context) ?? {
    url: requireDocumentUrl(context),
    method: element.attributes.method?.toUpperCase() === 'GET' ? ('GET' as const) : ('POST' as const),
  };
  const timeoutMs = Number(element.attributes.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  const stopPrompts = new AbortController();
  const input = new GatheredInput(element, call.line, () => stopPrompts.abort(promptsStopped));
  const abort = () => stopPrompts.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  call.line.calleeListener = input;
  try {
    await playPrompts(element, { ...context, signal: stopPrompts.signal });
    let quietSince = -1;
    while (!input.isComplete && quietSince !== input.activity) {
      quietSince = input.activity;
      await Promise.race([input.completed, delay(emulation.pace.real(timeoutMs), signal)]);
    }
  } finally {
    signal.removeEventListener('abort', abort);
    if (call.line.calleeListener === input) call.line.calleeListener = undefined;
  }
  const parameters = input.parameters;
  const isReported = parameters !== undefined || element.attributes.actionOnEmptyResult === 'true';
  return isReported ? { ...action, parameters: parameters ?? {} } : 'next';
};

const promptsStopped = new Error('the callee answered during the prompts');

async function playPrompts(element: TwimlElement, context: VerbContext): Promise<void> {
  try {
    for (const child of element.children) {
      const verb = prompts[child.name];
      if (!verb) throw new TwimlError(12100, `<Gather><${child.name}> is not allowed`);
      await verb(child, context);
    }
  } catch (error) {
    if (error !== promptsStopped) throw error;
  }
}

function requireDocumentUrl(context: VerbContext): string {
  if (context.documentUrl !== undefined) return context.documentUrl;
  throw new TwimlError(11100, 'Invalid URL: <Gather> in inline instructions needs an absolute action');
}

class GatheredInput implements CalleeListener {
  readonly completed: Promise<void>;
  /** Grows with every sign of life. */
  activity = 0;
  isComplete = false;
  readonly #line: VerbContext['call']['line'];
  readonly #stopPrompts: () => void;
  readonly #wantsKeys: boolean;
  readonly #wantsSpeech: boolean;
  readonly #bargeIn: boolean;
  readonly #finishOnKey: string;
  readonly #numberOfDigits: number;
  #complete: () => void = () => {};
  #digits = '';
  #speech: string | undefined;

  constructor(element: TwimlElement, line: VerbContext['call']['line'], stopPrompts: () => void) {
    const inputs = (element.attributes.input ?? 'dtmf').split(/\s+/);
    this.#wantsKeys = inputs.includes('dtmf');
    this.#wantsSpeech = inputs.includes('speech');
    this.#bargeIn = element.attributes.bargeIn !== 'false';
    this.#finishOnKey = element.attributes.finishOnKey ?? '#';
    this.#numberOfDigits = Number(element.attributes.numDigits ?? Number.POSITIVE_INFINITY);
    this.#line = line;
    this.#stopPrompts = stopPrompts;
    this.completed = new Promise((resolve) => {
      this.#complete = resolve;
    });
  }

  get parameters(): Record<string, string> | undefined {
    if (this.#digits !== '') return { Digits: this.#digits };
    if (this.#speech !== undefined) return { SpeechResult: this.#speech, Confidence: '0.93' };
    return undefined;
  }

  speechStarted(): void {
    if (!this.#wantsSpeech) return;
    this.activity += 1;
    this.#interruptPrompts();
  }

  speechGoesOn(): void {
    this.activity += 1;
  }

  speechEnded(text: string): void {
    if (!this.#wantsSpeech) return;
    this.#speech = text;
    this.#finish();
  }

  digit(digit: string): void {
    if (!this.#wantsKeys || this.isComplete) return;
    this.activity += 1;
    this.#interruptPrompts();
    if (digit === this.#finishOnKey) {
      this.#finish();
      return;
    }
    this.#digits += digit;
    if (this.#digits.length >= this.#numberOfDigits) this.#finish();
  }

  #interruptPrompts(): void {
    if (!this.#bargeIn) return;
    this.#line.interruptAgent();
    this.#stopPrompts();
  }

  #finish(): void {
    this.isComplete = true;
    this.#complete();
  }
}
