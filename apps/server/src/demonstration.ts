import type { CallState } from '@callkite/contract';
import type { Callkite, CallkiteEvent } from '@callkite/core';
import type { CallEvents } from './call-events.ts';
import { type CallLog, stateWords } from './call-log.ts';
import { type Terminal, wrap } from './terminal.ts';

const callee = '+12025550100';
const prompt =
  'Call Jordan Avery on behalf of Example Dental: remind them of the check-up tomorrow at 10 am, and ask for an e-mail address to send a confirmation to.';

/**
 * Places one prompt call on the emulated network and prints it as it happens. The only place that shows what is said
 * on a call: the callee is fictional.
 */
export async function demonstrate(options: {
  callkite: Pick<Callkite, 'organizations' | 'calls'>;
  /** An API key whose calls go out on the emulated network. */
  key: string;
  events: CallEvents;
  /** Leaves the call out: it is shown here. */
  callLog: Pick<CallLog, 'ignore'>;
  terminal: Terminal;
}): Promise<void> {
  const { callkite, events, callLog, terminal } = options;
  terminal.printText(`A first call, to a fictional person at ${callee}, with this task:`);
  terminal.print('');
  printEntry(terminal, 'prompt', prompt);
  // Events may come before the answer that tells the call's id: the first call accepted from here on is this one.
  let callId: string | null = null;
  let state: CallState = 'queued';
  const show = (event: CallkiteEvent) => {
    if (event.type === 'call.accepted' && callId === null) {
      callId = event.callId;
      callLog.ignore(callId);
    }
    if (!('callId' in event) || event.callId !== callId) return;
    if (event.type === 'call.state') {
      if (event.state === state) return;
      state = event.state;
    }
    printEvent(terminal, event);
    if (event.type === 'call.finished') events.off('event', show);
  };
  // Before the log hears of it.
  events.prependListener('event', show);
  const caller = await callkite.organizations.authenticate(options.key);
  await callkite.calls.prompt(caller, { prompt, recipientPhone: callee });
}

function printEvent(terminal: Terminal, event: CallkiteEvent): void {
  switch (event.type) {
    case 'call.state':
      if (event.state !== 'completed') printEntry(terminal, '', `(${stateWords[event.state]})`);
      break;
    case 'call.spoken':
      printEntry(terminal, event.role === 'assistant' ? 'agent' : 'callee', event.content);
      break;
    case 'call.completed': {
      const { callStatus, providerStatus } = event.outcome;
      printEntry(terminal, '', '(hung up)');
      printEntry(terminal, 'result', [callStatus, providerStatus, event.reason ?? []].flat().join(', '));
      break;
    }
    case 'call.finished':
      printEntry(terminal, 'summary', event.summary);
      terminal.print('');
      break;
  }
}

function printEntry({ print, columns, paint }: Terminal, label: string, text: string): void {
  for (const [index, line] of wrap(text, columns - 10).entries()) {
    const shown = label === '' ? paint.quiet(line) : line;
    print(`  ${paint.strong((index === 0 ? label : '').padEnd(8))}${shown}`);
  }
}
