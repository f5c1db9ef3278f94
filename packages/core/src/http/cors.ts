import type { HttpRequest, HttpResponse } from '../kernel/http.ts';

/** The only paths pages of other origins may use. */
export function isForPages(path: string): boolean {
  return path.startsWith('/widget/');
}

/**
 * Lets a page read the answer, refusals too. Credentials of the browser, such as cookies, are never let through; what
 * the page may do is decided by its key, which a preflight does not know.
 */
export function pageHeaders({ headers: { origin } }: HttpRequest): Record<string, string> {
  return {
    vary: 'Origin',
    ...(origin !== undefined && {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'request-id, retry-after, callkite-error-code',
    }),
  };
}

/** The answer to a preflight; `null` when the request is none. */
export function preflight({ method, headers }: HttpRequest, methods: Iterable<string>): HttpResponse | null {
  if (method !== 'OPTIONS' || headers.origin === undefined) return null;
  if (headers['access-control-request-method'] === undefined) return null;
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': [...methods].join(', '),
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '600',
    },
    body: null,
  };
}
