import type { Route } from '../../kernel/route.ts';
import { introduction, sections } from './introduction.ts';
import { callCompletedWebhook, operationOf } from './operation.ts';
import { responseHeaders } from './responses.ts';
import { type Json, namedSchemas } from './schemas.ts';

/** The OpenAPI 3.1 document of the routes. */
export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Callkite API',
      version: '1.0.0',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '.', description: 'The server this document comes from' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name, description: sections[name] })),
    paths,
    webhooks: { callCompleted: callCompletedWebhook },
    components: { securitySchemes, headers: responseHeaders, schemas: namedSchemas() },
  };
}

const securitySchemes: Json = {
  apiKey: bearer('API key of an organization: `ck_live_…` dials real phones, `ck_test_…` does not'),
  publishableKey: bearer('Publishable key, `ck_pub_…`: works from pages of its origins only'),
  visitToken: bearer('Token of a call-back, from `POST /widget/callbacks`'),
  operatorToken: bearer('Token of the operator of this server, from `CALLKITE_OPERATOR_TOKEN`'),
};

function bearer(description: string): Json {
  return { type: 'http', scheme: 'bearer', description };
}
