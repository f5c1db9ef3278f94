import type { CallState } from '@callkite/contract';
import type { Callkite, CallkiteEvent } from '@callkite/core';
import type { CallEvents } from './call-events.ts';

const callee = '+12025550100';
const prompt =
  'Call Jordan Avery on behalf of Example Dental: remind them of the check-up tomorrow at 10 am, and ask for an e-mail address to send a confirmation to.';

const stateWords: Record<Exclude<CallState, 'completed'>, string> = {
  queued: 'queued',
  dialing: 'dialling',
  ringing: 'ringing',
  in_progress: 'answered',
  unknown: 'asking the carrier what became of the call',
};

/**
 * Places one prompt call on the emulated network and prints it as it happens. The only place that shows what is said
 * on a call: the callee is fictional.
 */
export async function demonstrate(options: {
  callkite: Pick<Callkite, 'organizations' | 'calls'>;
  /** An API key whose calls go out on the emulated network. */
  key: string;
  events: CallEvents;
  print: (line: string) => void;
}): Promise<void> {
  const { callkite, events, print } = options;
  print(`A first call, to a fictional callee at ${callee}, of which this was asked:`);
  print('');
  printEntry(print, 'prompt', prompt);
  // Events may come before the answer that tells the call's id: the first call accepted from here on is this one.
  let callId: string | null = null;
  let state: CallState = 'queued';
  const show = (event: CallkiteEvent) => {
    if (event.type === 'call.accepted') callId ??= event.callId;
    if (!('callId' in event) || event.callId !== callId) return;
    if (event.type === 'call.state') {
      if (event.state === state) return;
      state = event.state;
    }
    printEvent(print, event);
    if (event.type === 'call.finished') events.off('event', show);
  };
  events.on('event', show);
  const caller = await callkite.organizations.authenticate(options.key);
  await callkite.calls.prompt(caller, { prompt, recipientPhone: callee });
}

function printEvent(print: (line: string) => void, event: CallkiteEvent): void {
  switch (event.type) {
    case 'call.state':
      if (event.state !== 'completed') printEntry(print, '', `(${stateWords[event.state]})`);
      break;
    case 'call.spoken':
      printEntry(print, event.role === 'assistant' ? 'agent' : 'callee', event.content);
      break;
    case 'call.completed': {
      const { callStatus, providerStatus } = event.outcome;
      printEntry(print, '', '(hung up)');
      printEntry(print, 'result', [callStatus, providerStatus, event.reason ?? []].flat().join(', '));
      break;
    }
    case 'call.finished':
      printEntry(print, 'summary', event.summary);
      print('');
      break;
  }
}

function printEntry(print: (line: string) => void, label: string, text: string): void {
  for (const [index, line] of wrap(text, 88).entries()) {
    print(`  ${(index === 0 ? label : '').padEnd(8)}${line}`);
  }
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
