import type { Call } from '../calls/call.ts';
import type { Exchange } from '../calls/exchange.ts';
import type { Emulation } from '../emulation.ts';
import { type CallRecord, newCallRecord } from '../ledger.ts';
import { ApiError, notFound } from './api-error.ts';
import {
  MAXIMUM_CALL_SECONDS,
  ParameterReader,
  readCallRequest,
  readInstruction,
  unknownStatusEvents,
} from './call-parameters.ts';
import { callResource } from './call-resource.ts';
import { listing } from './pages.ts';
import type { ApiRequest } from './request.ts';

/** How a create request is answered. All but `created` are faults. */
export type CreateAnswer =
  | { kind: 'created' | 'trickle'; body: Record<string, unknown> }
  | { kind: 'never' | 'reset' | 'bad-gateway' | 'garbled' | 'unavailable' };

/** What may go wrong with a create that is not accepted, and with one that is: HTTP status and answer. */
const refusedFaults = [
  ['createRefused5xx', 503, 'unavailable'],
  ['createRefusedReset', null, 'reset'],
  ['createRefusedTimeout', null, 'never'],
] as const;
const acceptedFaults = [
  ['createTimeout', null, 'never'],
  ['createReset', null, 'reset'],
  ['create5xx', 502, 'bad-gateway'],
  ['createGarbled', 201, 'garbled'],
  ['createTrickles', 201, 'trickle'],
] as const;

/** The Calls resource. */
export class CallsApi {
  readonly #emulation: Emulation;
  readonly #exchange: Exchange;

  constructor(emulation: Emulation, exchange: Exchange) {
    this.#emulation = emulation;
    this.#exchange = exchange;
  }

  /** Accepts a call, or throws why not. Either way the request is in the ledger. */
  create(request: ApiRequest, requestId: string): CreateAnswer {
    const { account, form } = request;
    const { faults, ledger } = this.#emulation;
    const url = pathAndQuery(form.get('Url'));
    const record = newCallRecord({
      requestId,
      accountSid: account.sid,
      to: form.get('To') ?? '',
      from: form.get('From') ?? '',
      ...(url === undefined ? {} : { url }),
      direction: 'outbound-api',
      outcome: { status: 201 },
    });
    let call: Call;
    try {
      for (const [fault, status, kind] of refusedFaults) {
        if (!faults.happens(fault)) continue;
        record.outcome = { status, fault };
        return { kind };
      }
      call = this.#accept(request, record);
    } catch (error) {
      if (error instanceof ApiError) {
        record.outcome = { ...record.outcome, status: error.status, code: error.code };
      }
      throw error;
    } finally {
      ledger.add(record);
    }
    return this.#answer(call, record);
  }

  fetch(request: ApiRequest, sid: string): Record<string, unknown> {
    this.#failPerhaps();
    return callResource(this.#find(request, sid));
  }

  list(request: ApiRequest): Record<string, unknown> {
    this.#failPerhaps();
    const { account, query } = request;
    const listedBefore = Date.now() - this.#emulation.faults.current.listLagMs;
    const matches = callFilter(query);
    const calls = this.#exchange
      .list(account, query.get('To') ?? undefined)
      .filter((call) => call.createdAt.getTime() <= listedBefore && matches(call));
    return listing(request, 'calls', calls, (call) => callResource(call));
  }

  /** Hangs up, cancels or redirects a call. @throws ApiError 21220 when its state does not allow that */
  update(request: ApiRequest, sid: string): Record<string, unknown> {
    const call = this.#find(request, sid);
    const { form } = request;
    const parameters = new ParameterReader(form, this.#emulation.allowInsecureLoopback);
    const status = form.get('Status') || undefined;
    if (status !== undefined && status !== 'completed' && status !== 'canceled') {
      throw new ApiError(400, 21200, "Status must be 'completed' or 'canceled'");
    }
    const instruction = readInstruction(form, parameters);
    if (instruction && form.get('Url') && form.get('Twiml')) {
      throw new ApiError(400, 21200, 'Send either Url or Twiml, not both');
    }
    const fallback = parameters.target('FallbackUrl', 'FallbackMethod', 21205);
    const statusCallback = parameters.target('StatusCallback', 'StatusCallbackMethod', 21609);
    const timeLimit = parameters.wholeNumber('TimeLimit', 21200, 1, MAXIMUM_CALL_SECONDS);
    const isStuck = call.isOver && call.shownStatus !== call.status;
    if (isStuck) return callResource(call);
    if (call.isOver) throw new ApiError(400, 21220, 'Call is not in-progress. Cannot redirect.');
    if (statusCallback) call.reportTo(statusCallback);
    if (timeLimit !== undefined) call.limitTo(timeLimit);
    if (status === 'completed' || (status === 'canceled' && !call.answeredAt)) {
      call.hangUp();
    } else if (instruction) {
      if (!call.redirect) throw new ApiError(400, 21220, 'Call is not in-progress. Cannot redirect.');
      call.redirect(instruction, fallback);
    }
    return callResource(call);
  }

  #accept(request: ApiRequest, record: CallRecord): Call {
    const { account, form } = request;
    if (this.#emulation.faults.happens('rateLimited')) {
      record.outcome.fault = 'rateLimited';
      throw new ApiError(429, 20429, 'Too Many Requests');
    }
    if (account.status !== 'active') {
      throw new ApiError(403, 10001, `Account is not active: it is ${account.status}`);
    }
    const callRequest = readCallRequest(form, account, this.#emulation);
    const limit = account.concurrentCalls;
    if (limit !== null && this.#exchange.liveCount(account) >= limit) {
      throw new ApiError(
        400,
        10004,
        `Call concurrency limit exceeded: the account may have ${limit} calls at once`,
      );
    }
    const call = this.#exchange.place(account, callRequest, record);
    for (const event of unknownStatusEvents(form)) {
      call.notify(21626, `Invalid status callback event '${event}'`);
    }
    if (callRequest.machineDetection?.async && !callRequest.machineDetection.callback) {
      call.notify(21262, 'Asynchronous answering machine detection without AsyncAmdStatusCallback');
    }
    return call;
  }

  #answer(call: Call, record: CallRecord): CreateAnswer {
    const body = callResource(call, true);
    for (const [fault, status, kind] of acceptedFaults) {
      if (!this.#emulation.faults.happens(fault)) continue;
      record.outcome = { status, fault };
      record.faults.push(fault);
      return { kind, body };
    }
    return { kind: 'created', body };
  }

  #find(request: ApiRequest, sid: string): Call {
    const call = this.#exchange.find(request.account, sid);
    if (!call) throw notFound(request.path);
    return call;
  }

  #failPerhaps(): void {
    if (this.#emulation.faults.happens('fetchFails')) {
      throw new ApiError(500, 20500, 'An internal server error has occurred');
    }
  }
}

function pathAndQuery(url: string | null): string | undefined {
  if (!url || !URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Whether a call passes the filters of a listing, `To` aside. @throws ApiError for a date that is none */
function callFilter(query: URLSearchParams): (call: Call) => boolean {
  const checks: ((call: Call) => boolean)[] = [];
  const equal = (name: string, value: (call: Call) => string | undefined) => {
    const wanted = query.get(name);
    if (wanted) checks.push((call) => value(call) === wanted);
  };
  equal('From', (call) => call.request.from);
  equal('Status', (call) => call.shownStatus);
  equal('ParentCallSid', (call) => call.parent?.sid);
  for (const [name, value] of [
    ['StartTime', (call: Call) => call.startedAt],
    ['EndTime', (call: Call) => call.endedAt],
  ] as const) {
    const on = dateRange(query, name);
    if (on) checks.push((call) => isWithin(value(call), on.first, on.last));
    const until = dateRange(query, `${name}<`);
    if (until) checks.push((call) => isWithin(value(call), 0, until.last));
    const since = dateRange(query, `${name}>`);
    if (since) checks.push((call) => isWithin(value(call), since.first, Number.POSITIVE_INFINITY));
  }
  return (call) => checks.every((check) => check(call));
}

function isWithin(date: Date | undefined, first: number, last: number): boolean {
  return date !== undefined && date.getTime() >= first && date.getTime() <= last;
}

/** The time a date filter covers: a whole day, or a second. */
function dateRange(query: URLSearchParams, name: string): { first: number; last: number } | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  const first = Date.parse(text);
  if (Number.isNaN(first)) throw new ApiError(400, 20001, `'${name}' is not a date`);
  const lengthMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? 24 * 60 * 60 * 1000 : 1000;
  return { first, last: first + lengthMs - 1 };
}
