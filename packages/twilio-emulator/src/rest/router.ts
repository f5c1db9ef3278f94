import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../accounts.ts';
import type { Emulation } from '../emulation.ts';
import { newSid } from '../identifiers.ts';
import type { AccountApi } from './account-api.ts';
import { ApiError, notFound, unauthenticated } from './api-error.ts';
import type { CallsApi } from './calls.ts';
import type { RecordingsApi } from './recordings.ts';
import { type ApiRequest, authenticate, readForm } from './request.ts';

const BAD_GATEWAY_PAGE =
  '<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>';
const UNAVAILABLE = { code: 20503, message: 'Service unavailable', more_info: '', status: 503 };
const TRICKLE_MS = 1000;

/** Answers the REST API of the emulated Twilio. */
export class RestRouter {
  readonly #emulation: Emulation;
  readonly #accounts: ReadonlyMap<string, Account>;
  readonly #calls: CallsApi;
  readonly #account: AccountApi;
  readonly #recordings: RecordingsApi;
  #underWay = 0;

  constructor(parts: {
    emulation: Emulation;
    accounts: ReadonlyMap<string, Account>;
    calls: CallsApi;
    account: AccountApi;
    recordings: RecordingsApi;
  }) {
    this.#emulation = parts.emulation;
    this.#accounts = parts.accounts;
    this.#calls = parts.calls;
    this.#account = parts.account;
    this.#recordings = parts.recordings;
  }

  async handle(request: IncomingMessage, response: ServerResponse, baseUrl: string): Promise<void> {
    const requestId = newSid('RQ');
    this.#underWay += 1;
    response.setHeader('Twilio-Request-Id', requestId);
    response.setHeader('Twilio-Concurrent-Requests', String(this.#underWay));
    try {
      await this.#dispatch(request, response, requestId, baseUrl);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) response.setHeader('WWW-Authenticate', 'Basic realm="Twilio API"');
      sendJson(response, error.status, error.body);
    } finally {
      this.#underWay -= 1;
    }
  }

  async #dispatch(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    baseUrl: string,
  ): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', baseUrl);
    const form = await readForm(request);
    const sender = authenticate(this.#accounts.values(), request.headers.authorization);
    const method = request.method ?? 'GET';
    const apiRequest: ApiRequest = { method, path, query, form, baseUrl, ...sender };
    const inAccount = /^\/2010-04-01\/Accounts\/([^/]+?)(\/.*)?\.json$/.exec(path);
    if (inAccount) {
      if (inAccount[1] !== sender.account.sid) throw unauthenticated();
      const resource = inAccount[2] ?? '';
      if (method === 'POST' && resource === '/Calls') {
        this.#create(apiRequest, response, requestId);
        return;
      }
      const recordings = this.#recordings.answer(apiRequest, resource);
      if (recordings) {
        sendJson(response, recordings.status, recordings.body);
        return;
      }
      const { listSlowMs } = this.#emulation.faults.current;
      if (method === 'GET' && resource === '/Calls' && listSlowMs > 0) await sleep(listSlowMs);
      sendJson(response, 200, this.#accountResource(apiRequest, resource));
      return;
    }
    const sound = /^\/2010-04-01\/Accounts\/([^/]+)\/Recordings\/(\w+)(?:\.wav)?$/.exec(path);
    if (sound && method === 'GET') {
      if (sound[1] !== sender.account.sid) throw unauthenticated();
      const wav = this.#recordings.wav(apiRequest, sound[2] ?? '');
      response.writeHead(200, { 'content-type': 'audio/x-wav', 'content-length': wav.length }).end(wav);
      return;
    }
    if (method === 'GET' && path === '/v1/CustomerProfiles') {
      sendJson(response, 200, this.#account.customerProfiles(apiRequest));
    } else if (method === 'GET' && path === '/v1/DialingPermissions/Countries') {
      sendJson(response, 200, this.#account.dialingCountries(apiRequest));
    } else {
      throw notFound(path);
    }
  }

  #accountResource(request: ApiRequest, resource: string): Record<string, unknown> {
    const [, collection = '', sid, ...rest] = resource.split('/');
    const route = `${request.method} ${collection}${sid === undefined ? '' : '/:sid'}`;
    if (rest.length > 0) throw notFound(request.path);
    switch (route) {
      case 'GET ':
        return this.#account.account(request);
      case 'GET Balance':
        return this.#account.balance(request);
      case 'GET Calls':
        return this.#calls.list(request);
      case 'GET Calls/:sid':
        return this.#calls.fetch(request, sid ?? '');
      case 'POST Calls/:sid':
        return this.#calls.update(request, sid ?? '');
      case 'GET IncomingPhoneNumbers':
        return this.#account.numbers(request);
      case 'GET IncomingPhoneNumbers/:sid':
        return this.#account.number(request, sid ?? '');
      case 'POST IncomingPhoneNumbers/:sid':
        return this.#account.updateNumber(request, sid ?? '');
      case 'GET OutgoingCallerIds':
        return this.#account.callerIds(request);
      default:
        throw notFound(request.path);
    }
  }

  #create(request: ApiRequest, response: ServerResponse, requestId: string): void {
    const answer = this.#calls.create(request, requestId);
    switch (answer.kind) {
      case 'created':
        sendJson(response, 201, answer.body);
        break;
      case 'trickle':
        trickle(response, JSON.stringify(answer.body));
        break;
      case 'bad-gateway':
        response.writeHead(502, { 'content-type': 'text/html' }).end(BAD_GATEWAY_PAGE);
        break;
      case 'garbled':
        response.writeHead(201, { 'content-type': 'text/html' }).end('<html>Please wait</html>');
        break;
      case 'unavailable':
        sendJson(response, 503, UNAVAILABLE);
        break;
      case 'reset':
        response.socket?.resetAndDestroy();
        break;
      case 'never':
        break;
    }
  }
}

/** Answers a create a byte a second, until it is whole or the client has had enough. */
function trickle(response: ServerResponse, body: string): void {
  response.writeHead(201, { 'content-type': 'application/json;charset=utf-8' });
  let sent = 0;
  const clock = setInterval(() => {
    response.write(body.slice(sent, sent + 1));
    sent += 1;
    if (sent === body.length) response.end();
  }, TRICKLE_MS);
  response.once('close', () => clearInterval(clock));
}

/** Sends a JSON body. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (status === 204) {
    response.writeHead(204).end();
    return;
  }
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'content-type': 'application/json;charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    .end(text);
}
