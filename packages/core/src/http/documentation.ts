import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { CallkiteError } from '../kernel/errors.ts';
import type { HttpResponse } from '../kernel/http.ts';
import { routesOf } from '../kernel/route.ts';
import type { ApiReference, ApiReferenceScript } from './api-reference.ts';
import { apiRoutes } from './api-routes.ts';
import { plainPage, plainPageStyle, referencePage } from './docs-page.ts';
import { openApiDocument } from './open-api/document.ts';

const { rawRoute } = routesOf<{ apiReference?: ApiReference | undefined }>();

let openApiText: string | undefined;

const plainPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The machine-readable description of the API, and a page to read and try it. */
export const documentationRoutes = [
  rawRoute(describe('/openapi.json', 'openApi', 'This API as an OpenAPI 3.1 document'), async () => {
    openApiText ??= JSON.stringify(openApiDocument(apiRoutes));
    return textResponse('application/json', openApiText);
  }),
  rawRoute(describe('/docs', 'docs', 'A page to read and try this API'), async ({ apiReference }) => {
    const script = await apiReference?.script();
    const page = script ? referencePage(script.version) : plainPage(apiRoutes);
    const policy = script ? apiReference?.contentSecurityPolicy : undefined;
    return textResponse('text/html; charset=utf-8', page, {
      'content-security-policy': policy ?? plainPolicy,
    });
  }),
  rawRoute(
    describe('/docs/reference.js', 'docsScript', 'Script of the page'),
    async ({ apiReference }, { headers }) => {
      const script = await apiReference?.script();
      if (!script) throw new CallkiteError('not_found', 'This server shows no API reference');
      return scriptResponse(script, headers['accept-encoding']);
    },
  ),
  rawRoute(describe('/docs/page.css', 'docsStyle', 'Style of the page without a script'), async () =>
    textResponse('text/css; charset=utf-8', plainPageStyle),
  ),
];

/** Kept for good: the page names the script by its version. */
async function scriptResponse({ gzip }: ApiReferenceScript, accepted = ''): Promise<HttpResponse> {
  const isCompressed = /\bgzip\b(?!\s*;\s*q=0(\.0*)?(\s|,|$))/.test(accepted);
  return {
    status: 200,
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    },
    body: isCompressed ? gzip : await promisify(gunzip)(gzip),
  };
}

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

function textResponse(
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': contentType, 'cache-control': 'no-cache', ...headers },
    body,
  };
}
