import type {
  WidgetCallback,
  WidgetCallbackRequest,
  WidgetCallbackState,
  WidgetErrorBody,
  WidgetErrorCode,
  WidgetSession,
  WidgetSessionRequest,
  WidgetSettings,
} from '@callkite/contract';
import type { ErrorCode } from './call-state.ts';

/** A request to the server that failed, in the widget's own words. */
export class WidgetError extends Error {
  readonly code: ErrorCode;
  /** When it may work again. */
  readonly until: Date | null;

  constructor(code: ErrorCode, message: string, until: Date | null = null) {
    super(message);
    this.code = code;
    this.until = until;
  }
}

/** What the server refuses with, as visitors see it. Anything else is the server's trouble. */
const codes: Partial<Record<WidgetErrorCode, ErrorCode>> = {
  origin_not_allowed: 'origin_not_allowed',
  rate_limited: 'rate_limited',
  spending_limit: 'budget_used_up',
  workflow_disabled: 'workflow_disabled',
  unauthenticated: 'key_invalid',
  invalid_phone_number: 'phone_invalid',
  destination_not_allowed: 'phone_not_allowed',
  number_opted_out: 'phone_not_allowed',
};

/** Whoever has to wait longer is told until when. */
const soonSeconds = 600;

/** The server's endpoints for widgets. Every method rejects with a `WidgetError`. */
export interface ServerApi {
  settings(): Promise<WidgetSettings>;
  createSession(request: WidgetSessionRequest): Promise<WidgetSession>;
  createCallback(request: WidgetCallbackRequest): Promise<WidgetCallback>;
  callbackState(callback: WidgetCallback): Promise<WidgetCallbackState>;
  cancelCallback(callback: WidgetCallback): Promise<WidgetCallbackState>;
}

/** @param url where the server's API begins, without a slash at its end */
export function serverApi(url: string, publicKey: string): ServerApi {
  const post = <Answer>(path: string, body: unknown = {}) =>
    ask<Answer>(`${url}/widget/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${publicKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const callback = (method: 'GET' | 'DELETE', { call_id, token }: WidgetCallback) =>
    ask<WidgetCallbackState>(`${url}/widget/callbacks/${call_id}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
  return {
    settings: () => post('settings'),
    createSession: (request) => post('sessions', request),
    createCallback: (request) => post('callbacks', request),
    callbackState: (requested) => callback('GET', requested),
    cancelCallback: (requested) => callback('DELETE', requested),
  };
}

async function ask<Answer>(url: string, request: RequestInit): Promise<Answer> {
  let answer: Response;
  try {
    answer = await fetch(url, request);
  } catch (error) {
    throw new WidgetError('network', String(error));
  }
  const body: unknown = await answer.json().catch(() => null);
  if (answer.ok && body !== null) return body as Answer;
  const { code, error, details } = (body ?? {}) as Partial<WidgetErrorBody>;
  const waitSeconds = Number(answer.headers.get('retry-after'));
  const until = waitSeconds > soonSeconds ? new Date(Date.now() + waitSeconds * 1000) : null;
  const known = codes[code as WidgetErrorCode] ?? 'server';
  throw new WidgetError(
    // By the server's clock, the time may have passed.
    details?.when ? 'time_invalid' : known === 'rate_limited' && until ? 'budget_used_up' : known,
    error ?? `The server answered with ${answer.status}`,
    until,
  );
}
