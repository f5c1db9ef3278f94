import type { Callee } from '../callees/callee.ts';
import type { Emulation } from '../emulation.ts';
import { calleeLine } from '../line/callee-line.ts';
import { delay, unlessAborted } from '../line/delay.ts';
import { runInstructions, runScreening } from '../twiml/runner.ts';
import { detectMachine } from './answering-machine-detection.ts';
import { type Call, callOver, type MachineDetection, type WebhookTarget } from './call.ts';
import { sendCallback } from './status-callbacks.ts';

const DEFAULT_RING_AFTER_MS = 150;
const DEFAULT_PICK_UP_AFTER_MS = 1500;

/** Takes a leg from the queue to its end: rings the callee and, if it answers, lets both sides talk. */
export async function dial(emulation: Emulation, call: Call): Promise<void> {
  try {
    call.initiated();
    const callee = emulation.calleeAt(call.request.to);
    if (!callee) {
      call.end('failed', 404);
      return;
    }
    call.record.callee = callee.name;
    if (!(await isPickedUp(emulation, call, callee))) return;
    call.answered();
    if (call.request.screening) {
      await Promise.all([talk(call, callee), screen(emulation, call, call.request.screening)]);
    } else if (call.request.instruction === undefined) {
      call.onBridgeable?.();
    } else {
      await Promise.all([talk(call, callee), instruct(emulation, call, callee)]);
    }
  } catch (error) {
    if (error === callOver) return;
    call.notify(0, `The emulator failed: ${String(error)}`);
    call.end('failed', 500);
  }
}

async function isPickedUp(emulation: Emulation, call: Call, callee: Callee): Promise<boolean> {
  const { pace } = emulation;
  const pickUp = callee.pickUp ?? { afterMs: DEFAULT_PICK_UP_AFTER_MS };
  const timeoutMs = call.request.timeoutSeconds * 1000;
  await delay(pace.real(callee.ring?.afterMs ?? DEFAULT_RING_AFTER_MS), call.signal);
  if (pickUp === 'failed') {
    call.end('failed', callee.sipResponseCode ?? 404);
    return false;
  }
  call.rings();
  if (pickUp === 'busy') {
    call.end('busy', callee.sipResponseCode ?? 486);
    return false;
  }
  if (pickUp === 'no-answer' || pickUp.afterMs > timeoutMs) {
    await delay(pace.real(timeoutMs), call.signal);
    call.end('no-answer', callee.sipResponseCode ?? 487);
    return false;
  }
  await delay(pace.real(pickUp.afterMs), call.signal);
  return true;
}

/** The callee's side. A script that fails is recorded and leaves the callee silent. */
async function talk(call: Call, callee: Callee): Promise<void> {
  const line = calleeLine(call.line, {
    to: call.request.to,
    from: call.request.from,
    calleeHangsUp: () => call.end('completed', 200),
  });
  try {
    if (typeof callee.answeredBy === 'object' && 'greeting' in callee.answeredBy) {
      await line.say(callee.answeredBy.greeting);
      if (callee.answeredBy.beep) await line.beep();
    }
    await callee.converse?.(line);
  } catch (error) {
    if (error === callOver) return;
    call.notify(0, `The script of callee '${callee.name}' failed: ${String(error)}`);
  }
}

/** What the dialed party hears, and may refuse, before it is bridged. */
async function screen(emulation: Emulation, call: Call, document: WebhookTarget): Promise<void> {
  if ((await runScreening(emulation, call, document)) === 'hang-up') call.end('completed', 200);
  else call.onBridgeable?.();
}

/** The application's side: machine detection and instructions. */
async function instruct(emulation: Emulation, call: Call, callee: Callee): Promise<void> {
  const { instruction, fallback, machineDetection, sendDigits } = call.request;
  if (instruction === undefined) return;
  if (sendDigits !== undefined) call.line.sendDigits(sendDigits);
  const verdict = machineDetection ? detect(emulation, call, callee, machineDetection) : undefined;
  verdict?.catch(ignoreCallOver);
  const isNeverFetched = emulation.faults.happens('answerNeverFetched');
  if (isNeverFetched) call.record.faults.push('answerNeverFetched');
  await runInstructions(emulation, call, {
    instruction,
    fallback,
    ready: async () => {
      if (isNeverFetched) await new Promise(() => {});
      return machineDetection?.async ? {} : ((await verdict) ?? {});
    },
  });
}

/** Waits for the verdict, notes it on the call, and sends it when it is asynchronous. */
async function detect(
  emulation: Emulation,
  call: Call,
  callee: Callee,
  detection: MachineDetection,
): Promise<Record<string, string>> {
  const { answeredBy, afterMs } = detectMachine(callee, detection, emulation.pace);
  const isMistaken = typeof callee.answeredBy === 'object' && 'mistakenFor' in callee.answeredBy;
  if (isMistaken) await unlessAborted(call.line.calleeHasSpoken, call.signal);
  await delay(emulation.pace.real(afterMs), call.signal);
  call.answeredBy = answeredBy;
  call.record.answeredBy = answeredBy;
  const verdict = { AnsweredBy: answeredBy, MachineDetectionDuration: String(Math.round(afterMs)) };
  if (detection.async && detection.callback) {
    const parameters = { CallSid: call.sid, AccountSid: call.account.sid, ...verdict };
    void sendCallback(emulation, call, detection.callback, parameters, { event: 'amd' });
  }
  return verdict;
}

function ignoreCallOver(error: unknown): void {
  if (error !== callOver) throw error;
}
