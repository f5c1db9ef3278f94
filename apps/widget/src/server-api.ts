import type {
  WidgetCallback,
  WidgetCallbackRequest,
  WidgetCallbackState,
  WidgetErrorBody,
  WidgetErrorCode,
  WidgetSession,
  WidgetSessionRequest,
} from '@callkite/contract';
import type { ErrorCode } from './call-state.ts';

/** A request to the server that failed, in the widget's own words. */
export class WidgetError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** What the server refuses with, as visitors see it. Anything else is the server's trouble. */
const codes: Partial<Record<WidgetErrorCode, ErrorCode>> = {
  origin_not_allowed: 'origin_not_allowed',
  rate_limited: 'rate_limited',
  spending_limit: 'rate_limited',
  workflow_disabled: 'workflow_disabled',
  unauthenticated: 'workflow_disabled',
  invalid_phone_number: 'phone_invalid',
  destination_not_allowed: 'phone_not_allowed',
  number_opted_out: 'phone_not_allowed',
};

/** The server's endpoints for widgets. Every method rejects with a `WidgetError`. */
export interface ServerApi {
  createSession(request: WidgetSessionRequest): Promise<WidgetSession>;
  createCallback(request: WidgetCallbackRequest): Promise<WidgetCallback>;
  callbackState(callback: WidgetCallback): Promise<WidgetCallbackState>;
}

/** @param url where the server's API begins, without a slash at its end */
export function serverApi(url: string, publicKey: string): ServerApi {
  const post = <Answer>(path: string, body: unknown) =>
    ask<Answer>(`${url}/widget/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${publicKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    createSession: (request) => post('sessions', request),
    createCallback: (request) => post('callbacks', request),
    callbackState: ({ call_id, token }) =>
      ask(`${url}/widget/callbacks/${call_id}`, { headers: { authorization: `Bearer ${token}` } }),
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
  throw new WidgetError(
    // By the server's clock, the time may have passed.
    details?.when ? 'time_invalid' : (codes[code as WidgetErrorCode] ?? 'server'),
    error ?? `The server answered with ${answer.status}`,
  );
}
