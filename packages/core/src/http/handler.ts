import { randomUUID } from 'node:crypto';
import type { CarrierWebhooks } from '../channels/phone/carrier-webhooks.ts';
import { clientAddress } from '../kernel/client-address.ts';
import { CallkiteError } from '../kernel/errors.ts';
import type { HttpRequest, HttpResponse } from '../kernel/http.ts';
import type { Logger } from '../kernel/logger.ts';
import type { RateLimits } from '../kernel/rate-limit.ts';
import type { Route } from '../kernel/route.ts';
import { checkText, validate } from '../kernel/validation.ts';
import { apiRoutes } from './api-routes.ts';
import { createAuthentication } from './authentication.ts';
import { isForPages, pageHeaders, preflight } from './cors.ts';
import { documentationRoutes } from './documentation.ts';
import { readJson } from './json-body.ts';
import { problemResponse, toCallkiteError } from './problem.ts';
import { createRouter, type RouteMatch } from './router.ts';
import type { HttpServices } from './services.ts';

export interface HttpHandlerDeps extends HttpServices {
  carriers: CarrierWebhooks;
  /** Without it the operator's endpoints answer 404. */
  operatorToken?: string | undefined;
  rateLimits: RateLimits;
  /** As in `CallkiteOptions`. */
  trustedProxies: number;
  logger: Logger;
}

const findRoutes = createRouter([...apiRoutes, ...documentationRoutes]);
const carrierPath = /^\/carriers\/([\w-]{1,64})\/(.*)$/;

/** Whether a request target is one of Callkite's, so that a host can keep the others for itself. */
export function servesPath(target: string): boolean {
  const path = pathOf(target);
  return carrierPath.test(path) || findRoutes(path) !== null;
}

/**
 * One handler for the whole HTTP API and the carriers' webhooks. It never rejects: errors become answers, and what
 * was not meant to happen is logged. Checks are made in this order: path and method, who asks, how often, what is
 * asked.
 */
export function createHttpHandler(deps: HttpHandlerDeps): (request: HttpRequest) => Promise<HttpResponse> {
  const authenticate = createAuthentication(deps);

  return async (request) => {
    const requestId = requestIdOf(request);
    const headers: Record<string, string> = {
      'request-id': requestId,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    };
    const forPages = isForPages(pathOf(request.target));
    if (forPages) Object.assign(headers, pageHeaders(request));
    let response: HttpResponse;
    try {
      response = await answer(request, headers);
    } catch (thrown) {
      const error = toCallkiteError(thrown);
      if (error.code === 'internal') deps.logger.error({ requestId, err: thrown }, 'request failed');
      response = problemResponse(error, { withCode: forPages });
    }
    return {
      status: response.status,
      headers: { ...headers, ...response.headers },
      body: request.method === 'HEAD' ? null : response.body,
    };
  };

  async function answer(request: HttpRequest, headers: Record<string, string>): Promise<HttpResponse> {
    const path = pathOf(request.target);
    const carrier = carrierPath.exec(path);
    if (carrier) return deps.carriers.webhook(carrier[1] ?? '', carrier[2] ?? '', request);

    const match = findRoutes(path);
    if (isForPages(path) && match) {
      const answer = preflight(request, match.routes.keys());
      if (answer) return answer;
    }
    const route = match && routeOf(match, request.method, headers);
    if (!match || !route || (route.auth === 'operator' && deps.operatorToken === undefined)) {
      throw new CallkiteError('not_found', 'Not found');
    }
    const remoteAddress = clientAddress(request, deps.trustedProxies);
    const identity = await authenticate(route.auth, { headers: request.headers, remoteAddress });
    if (identity.caller) await countRequest(identity.caller.organizationId, headers);
    return route.respond(deps, {
      ...identity,
      headers: request.headers,
      parameters: match.parameters,
      query: route.query && validate(route.query, readQuery(request.target)),
      body: route.body && validate(route.body, await readBody(route, request)),
    });
  }

  async function countRequest(organizationId: string, headers: Record<string, string>): Promise<void> {
    try {
      const { limit, remaining, resetSeconds } = await deps.rateLimits.consume(organizationId);
      headers['ratelimit-policy'] = `"default";q=${limit};w=60`;
      headers.ratelimit = `"default";r=${remaining};t=${resetSeconds}`;
    } catch (error) {
      const { retryAfterSeconds } = toCallkiteError(error);
      if (retryAfterSeconds !== undefined) headers.ratelimit = `"default";r=0;t=${retryAfterSeconds}`;
      throw error;
    }
  }
}

/** Throws `method_not_allowed`, with the `Allow` header set. */
function routeOf(
  { routes }: RouteMatch,
  method: string,
  headers: Record<string, string>,
): Route<HttpServices> {
  const route = routes.get(method === 'HEAD' ? 'GET' : method);
  if (route) return route;
  const allowed = [...routes.keys()];
  headers.allow = (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).join(', ');
  throw new CallkiteError('method_not_allowed', `Use ${headers.allow}`);
}

function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

function readQuery(target: string): Record<string, string> {
  const start = target.indexOf('?');
  if (start === -1) return {};
  const parameters = [...new URLSearchParams(target.slice(start + 1))];
  for (const [name, value] of parameters) {
    checkText(name);
    checkText(value);
  }
  return Object.fromEntries(parameters);
}

async function readBody(route: Route, request: HttpRequest): Promise<unknown> {
  const body = await readJson(request);
  const key = request.headers['idempotency-key'];
  if (!route.idempotent || key === undefined || typeof body !== 'object' || body === null) return body;
  if (!('idempotency_key' in body)) return { ...body, idempotency_key: key };
  if (body.idempotency_key === key) return body;
  throw new CallkiteError('validation_failed', 'Validation failed', {
    details: { idempotency_key: ['differs from the Idempotency-Key header'] },
  });
}

function requestIdOf({ headers }: HttpRequest): string {
  const given = headers['request-id'] ?? headers['x-request-id'];
  return given !== undefined && /^[\w.:-]{8,128}$/.test(given) ? given : randomUUID();
}
