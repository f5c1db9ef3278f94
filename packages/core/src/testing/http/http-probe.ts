import assert from 'node:assert/strict';

/** An embedded Callkite behind a real server, as the suite needs it. */
export interface HttpUnderTest {
  /** Where the API is mounted, without a trailing slash. */
  readonly url: string;
  readonly operatorToken: string;
  /** Live key of an organization with a connected number. */
  readonly liveKey: string;
  /** Test key of the same organization. */
  readonly testKey: string;
  /** A workflow of that organization. */
  readonly workflowId: string;
  /** E.164 number that may be called. */
  readonly callee: string;
  /** Path segment of a carrier that is configured. */
  readonly carrier: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `undefined` when it is no JSON. */
  readonly json: unknown;
}

export interface Sending {
  key?: string;
  /** Sent as JSON, with the header that says so. */
  json?: unknown;
  /** Sent as it is. */
  bytes?: Uint8Array | string;
  headers?: Readonly<Record<string, string>>;
}

/** What every test of the suite works with. */
export interface HttpProbe extends HttpUnderTest {
  send(method: string, path: string, sending?: Sending): Promise<Answer>;
  /** A new organization without connections, and a live key of it. */
  createOrganization(): Promise<{ readonly id: string; readonly key: string }>;
}

export function createProbe(target: HttpUnderTest): HttpProbe {
  async function send(method: string, path: string, sending: Sending = {}): Promise<Answer> {
    const headers = new Headers(sending.headers);
    if (sending.key !== undefined) headers.set('authorization', `Bearer ${sending.key}`);
    if (sending.json !== undefined) headers.set('content-type', 'application/json');
    const body = sending.json === undefined ? sending.bytes : JSON.stringify(sending.json);
    const response = await fetch(target.url + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? new TextEncoder().encode(body) : body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  }

  return {
    ...target,
    send,
    async createOrganization() {
      const key = target.operatorToken;
      const organization = await send('POST', '/organizations', { key, json: { name: 'Conformance' } });
      const { id } = record(organization.json);
      assert.ok(typeof id === 'string', organization.text);
      const created = await send('POST', `/organizations/${id}/api-keys`, {
        key,
        json: { name: 'Conformance', mode: 'live' },
      });
      return { id, key: text(created.json, 'key') };
    },
  };
}

/** Asserts an error answer: status, stable code and a body of exactly `{error}` or `{error, details}`. */
export function assertProblem(answer: Answer, status: number, code: string): Record<string, unknown> {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers.get('callkite-error-code'), code);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.ok(answer.headers.get('request-id'));
  const body = record(answer.json);
  assert.deepEqual(Object.keys(body), code === 'validation_failed' ? ['error', 'details'] : ['error']);
  assert.ok(typeof body.error === 'string' && body.error.length > 0);
  return body;
}

/** Asserts failed validation, naming exactly these fields. */
export function assertInvalid(answer: Answer, fields: readonly string[]): void {
  const body = assertProblem(answer, 400, 'validation_failed');
  assert.equal(body.error, 'Validation failed');
  assert.deepEqual(Object.keys(record(body.details)), fields);
}

export function record(value: unknown): Record<string, unknown> {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), 'expected a JSON object');
  return value as Record<string, unknown>;
}

export function list(value: unknown, name: string): Record<string, unknown>[] {
  const items = record(value)[name];
  assert.ok(Array.isArray(items), `expected a list ${name}`);
  return items.map(record);
}

export function text(value: unknown, name: string): string {
  const found = record(value)[name];
  assert.ok(typeof found === 'string', `expected a text ${name}`);
  return found;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
