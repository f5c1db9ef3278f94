import type { Callkite, Mode } from '@callkite/core';
import type { Request, RequestHandler } from 'express';
import type { Settings } from './env.ts';
import { type HomeView, homeMarkup, homePolicy, type ShownCall } from './home-page.ts';
import { factsOf } from './welcome.ts';

const shownCalls = 8;

/** Serves the page at `/`. */
export function home(options: {
  callkite: Pick<Callkite, 'organizations' | 'calls' | 'handle'>;
  settings: Settings;
  hasStarted(): boolean;
}): RequestHandler {
  const { callkite, settings, hasStarted } = options;

  async function view(request: Request): Promise<HomeView> {
    const isLocal = isFromThisMachine(request);
    const readiness = hasStarted() ? await readinessOf(callkite) : null;
    const isReady = readiness?.ok ?? false;
    return {
      state: readiness === null ? 'starting' : isReady ? 'ready' : 'not ready',
      problems: readiness === null || isReady ? [] : readiness.problems,
      links: linksOf(settings),
      facts: isLocal && !settings.production ? factsOf(settings) : [],
      calls: isLocal && showsCalls(settings) && isReady ? await lastCalls(callkite) : null,
    };
  }

  return (request, response, next) => {
    if (request.path !== '/' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      next();
      return;
    }
    view(request)
      .then((shown) => {
        response
          .status(shown.state === 'ready' ? 200 : 503)
          .setHeader('content-security-policy', homePolicy)
          .setHeader('x-content-type-options', 'nosniff')
          .setHeader('cross-origin-resource-policy', 'same-origin')
          .setHeader('cache-control', 'no-store')
          .type('html')
          .send(homeMarkup(shown));
      })
      .catch(next);
  };
}

function linksOf({ production }: Settings): HomeView['links'] {
  return [
    { href: '/docs', name: 'API reference', meaning: 'every endpoint, described' },
    { href: '/openapi.json', name: 'OpenAPI document', meaning: 'the same, for tools' },
    ...(production
      ? []
      : [{ href: '/widget/demo', name: 'Widget', meaning: 'the agent on a page: talk or type' }]),
    { href: '/readyz', name: 'Readiness', meaning: 'the state of this server, for monitors' },
  ];
}

/** Real people are called on any other network. */
function showsCalls({ production, databaseUrl, twilio }: Settings): boolean {
  return !production && databaseUrl === null && twilio === null;
}

/**
 * Whether a browser on this machine asks, under a name of this machine. A proxy or a tunnel would make strangers look
 * local; another name would let a page of theirs read this one (DNS rebinding).
 */
export function isFromThisMachine({
  headers,
  socket,
}: Pick<Request, 'headers'> & { socket: { remoteAddress?: string | undefined } }): boolean {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const origin = `http://${headers.host ?? ''}`;
  const host = URL.canParse(origin) ? new URL(origin).hostname : '';
  const isForwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'].some(
    (name) => headers[name] !== undefined,
  );
  const isLoopback = address === '::1' || address.startsWith('127.');
  return isLoopback && !isForwarded && ['127.0.0.1', 'localhost', '[::1]'].includes(host);
}

/** What `/readyz` says. */
export async function readinessOf({ handle }: Pick<Callkite, 'handle'>) {
  const { status, body } = await handle({
    method: 'GET',
    target: '/readyz',
    headers: {},
    remoteAddress: null,
    readBody: async () => new Uint8Array(),
  });
  const { checks } = JSON.parse(String(body)) as { checks: Record<string, string> };
  const problems = Object.entries(checks)
    .filter(([, state]) => state !== 'ok')
    .map(([name, state]) => `${name}: ${state}`);
  return { ok: status === 200, checks, problems };
}

async function lastCalls({
  organizations,
  calls,
}: Pick<Callkite, 'organizations' | 'calls'>): Promise<readonly ShownCall[]> {
  const { items } = await organizations.list({ limit: 5, cursor: null });
  const pages = await Promise.all(
    items.flatMap(({ id: organizationId }) =>
      (['live', 'test'] satisfies Mode[]).map((mode) =>
        calls.list({ organizationId, mode }, {}, { limit: shownCalls, cursor: null }),
      ),
    ),
  );
  return pages
    .flatMap((page) => page.items)
    .sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
    .slice(0, shownCalls);
}
