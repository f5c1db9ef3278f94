import type { Account } from '../accounts.ts';
import type { Emulation } from '../emulation.ts';
import { newSid } from '../identifiers.ts';
import { type CallRecord, newCallRecord } from '../ledger.ts';
import { Call, type CallRequest } from './call.ts';
import { CallQueue } from './call-queue.ts';
import { dial } from './dial.ts';

interface AccountCalls {
  /** In order of creation. */
  all: Map<string, Call>;
  byTo: Map<string, Set<Call>>;
  live: Set<Call>;
  queue: CallQueue<Call>;
}

/** Every call of every account: queues them, dials them, finds them again. */
export class Exchange {
  readonly #emulation: Emulation;
  readonly #accounts = new Map<string, AccountCalls>();
  readonly #bySid = new Map<string, Call>();

  constructor(emulation: Emulation) {
    this.#emulation = emulation;
  }

  /** Accepts a call into the account's queue. */
  place(account: Account, request: CallRequest, record: CallRecord): Call {
    const call = this.#create(account, request, record, undefined);
    this.#callsOf(account).queue.add(call);
    return call;
  }

  /** Dials another leg for `<Dial>`, at once: such legs do not count against calls per second. */
  placeChild(parent: Call, request: CallRequest): Call {
    const record = newCallRecord({
      requestId: newSid('RQ'),
      accountSid: parent.account.sid,
      to: request.to,
      from: request.from,
      direction: 'outbound-dial',
      outcome: { status: null },
      parentSid: parent.sid,
    });
    const call = this.#create(parent.account, request, record, parent);
    this.#emulation.ledger.add(record);
    void dial(this.#emulation, call);
    return call;
  }

  find(account: Account, sid: string): Call | undefined {
    const call = this.#bySid.get(sid);
    return call?.account.sid === account.sid ? call : undefined;
  }

  /** Calls of an account, the newest first; only those to a number when `to` is given. */
  list(account: Account, to?: string): Call[] {
    const calls = this.#callsOf(account);
    return [...(to === undefined ? calls.all.values() : (calls.byTo.get(to) ?? []))].reverse();
  }

  /** Calls of an account that are queued, ringing or connected. */
  liveCount(account: Account): number {
    return this.#callsOf(account).live.size;
  }

  forget(sid: string): void {
    const call = this.#bySid.get(sid);
    if (!call) return;
    call.silence();
    call.end('canceled');
    this.#bySid.delete(sid);
    const calls = this.#callsOf(call.account);
    calls.all.delete(sid);
    const sameTo = calls.byTo.get(call.request.to);
    sameTo?.delete(call);
    if (sameTo?.size === 0) calls.byTo.delete(call.request.to);
  }

  /** Ends every call without telling anybody. */
  close(): void {
    for (const { queue, live } of this.#accounts.values()) {
      queue.close();
      for (const call of [...live]) {
        call.silence();
        call.end('canceled');
      }
    }
  }

  #create(account: Account, request: CallRequest, record: CallRecord, parent: Call | undefined): Call {
    const sid = newSid('CA');
    record.sid = sid;
    const call = new Call(this.#emulation, { sid, account, parent, request, record });
    const calls = this.#callsOf(account);
    this.#bySid.set(sid, call);
    calls.all.set(sid, call);
    const sameTo = calls.byTo.get(request.to);
    if (sameTo) sameTo.add(call);
    else calls.byTo.set(request.to, new Set([call]));
    calls.live.add(call);
    call.signal.addEventListener('abort', () => calls.live.delete(call), { once: true });
    return call;
  }

  #callsOf(account: Account): AccountCalls {
    let calls = this.#accounts.get(account.sid);
    if (!calls) {
      const queue = new CallQueue<Call>({
        callsPerSecond: account.callsPerSecond,
        start: (call) => void dial(this.#emulation, call),
        isGone: (call) => call.isOver,
      });
      calls = { all: new Map(), byTo: new Map(), live: new Set(), queue };
      this.#accounts.set(account.sid, calls);
    }
    return calls;
  }
}
