import type { HttpResponse } from '../ports/http.ts';
import { apiRoutes } from './api-routes.ts';
import { docsMarkup, docsScript, docsStyle } from './docs-page.ts';
import { openApiDocument } from './open-api.ts';
import { type Route, rawRoute } from './route.ts';

let openApiText: string | undefined;

const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The machine-readable description of the API, and a page to read and try it. */
export const documentationRoutes: readonly Route[] = [
  rawRoute(describe('/openapi.json', 'openApi', 'This API as an OpenAPI 3.1 document'), async () => {
    openApiText ??= JSON.stringify(openApiDocument(apiRoutes));
    return textResponse('application/json', openApiText);
  }),
  rawRoute(describe('/docs', 'docs', 'A page to read and try this API'), async () => {
    const { headers, ...page } = textResponse('text/html; charset=utf-8', docsMarkup);
    return { ...page, headers: { ...headers, 'content-security-policy': docsPolicy } };
  }),
  rawRoute(describe('/docs/page.js', 'docsScript', 'Script of the page'), async () =>
    textResponse('text/javascript; charset=utf-8', docsScript),
  ),
  rawRoute(describe('/docs/page.css', 'docsStyle', 'Style of the page'), async () =>
    textResponse('text/css; charset=utf-8', docsStyle),
  ),
];

function describe<Path extends string>(path: Path, operationId: string, summary: string) {
  return {
    method: 'GET',
    path,
    auth: 'none',
    tag: 'Documentation',
    operationId,
    summary,
    status: 200,
  } as const;
}

function textResponse(contentType: string, body: string): HttpResponse {
  return { status: 200, headers: { 'content-type': contentType, 'cache-control': 'no-cache' }, body };
}
