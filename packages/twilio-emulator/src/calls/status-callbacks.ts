import { rfc2822 } from '../dates.ts';
import type { Emulation } from '../emulation.ts';
import type { SentCallback } from '../ledger.ts';
import type { WebhookParameters } from '../signature.ts';
import type { Call, ProgressEvent, StatusCallbackTarget, WebhookTarget } from './call.ts';
import { callParameters } from './webhook-parameters.ts';

const OVERTAKEN_AT_MOST_MS = 2000;

/** The status callbacks of one call: requested events only, numbered, each a request of its own. */
export class StatusCallbacks {
  readonly #emulation: Emulation;
  readonly #call: Call;
  #target: StatusCallbackTarget | undefined;
  #sequenceNumber = 0;
  #releaseHeld: (() => void) | undefined;

  constructor(emulation: Emulation, call: Call, target: StatusCallbackTarget | undefined) {
    this.#emulation = emulation;
    this.#call = call;
    this.#target = target;
  }

  /** Sends later callbacks to `target`; the events stay those asked for at creation, `completed` at the least. */
  redirect(target: WebhookTarget): void {
    this.#target = { ...target, events: this.#target?.events ?? new Set(['completed']) };
  }

  stop(): void {
    this.#target = undefined;
  }

  report(event: ProgressEvent, callStatus: string): void {
    const target = this.#target;
    if (!target?.events.has(event)) return;
    const call = this.#call;
    const parameters: Record<string, string> = {
      ...callParameters(call),
      CallStatus: callStatus,
      CallbackSource: 'call-progress-events',
      SequenceNumber: String(this.#sequenceNumber),
      Timestamp: rfc2822(new Date()),
    };
    if (event === 'completed') {
      const seconds = call.durationSeconds ?? 0;
      parameters.CallDuration = String(seconds);
      parameters.Duration = String(Math.ceil(seconds / 60));
      parameters.SipResponseCode = String(call.record.sipResponseCode ?? 200);
      if (call.answeredBy !== undefined) parameters.AnsweredBy = call.answeredBy;
    } else if (event !== 'initiated') {
      parameters.StirStatus = 'B';
    }
    const entry = { event: callStatus, sequenceNumber: this.#sequenceNumber };
    this.#sequenceNumber += 1;
    this.#sendWithFaults(target, parameters, entry);
  }

  #sendWithFaults(
    target: WebhookTarget,
    parameters: WebhookParameters,
    entry: { event: string; sequenceNumber: number },
  ): void {
    const { faults } = this.#emulation;
    const send = () => void sendCallback(this.#emulation, this.#call, target, parameters, entry);
    const overtaken = this.#releaseHeld;
    this.#releaseHeld = undefined;
    if (faults.happens('callbacksLost')) {
      const lost = { at: new Date().toISOString(), ...entry, url: target.url, result: 'lost' };
      this.#call.record.callbacks.push(lost);
      this.#call.record.faults.push('callbacksLost');
      overtaken?.();
      return;
    }
    if (!overtaken && faults.happens('callbacksReordered')) {
      this.#call.record.faults.push('callbacksReordered');
      this.#hold(send);
    } else if (faults.happens('callbacksLate')) {
      this.#call.record.faults.push('callbacksLate');
      setTimeout(send, faults.current.callbacksLateMs);
    } else {
      send();
    }
    if (faults.happens('callbacksDuplicated')) {
      this.#call.record.faults.push('callbacksDuplicated');
      send();
    }
    overtaken?.();
  }

  #hold(send: () => void): void {
    const release = () => {
      clearTimeout(timer);
      if (this.#releaseHeld === release) this.#releaseHeld = undefined;
      // A moment later than the callback that overtakes it, which is being sent now.
      setTimeout(send, 50);
    };
    const timer = setTimeout(release, OVERTAKEN_AT_MOST_MS);
    this.#releaseHeld = release;
  }
}

/** Sends a webhook whose answer does not matter, and records it. */
export async function sendCallback(
  emulation: Emulation,
  call: Call,
  target: WebhookTarget,
  parameters: WebhookParameters,
  entry: { event: string; sequenceNumber?: number },
): Promise<void> {
  const sent: SentCallback = { at: new Date().toISOString(), ...entry, url: target.url };
  call.record.callbacks.push(sent);
  const result = await emulation.webhooks.send({ ...target, parameters, authToken: call.account.authToken });
  sent.result = result.ok ? result.status : (result.status ?? result.error);
  sent.attempts = result.attempts;
}
