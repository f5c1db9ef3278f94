import type { Route as RouteOf } from '../kernel/route.ts';
import type { HttpServices } from './services.ts';

type Route = RouteOf<HttpServices>;

/** What a path leads to: its routes by method, and the values of the path's parameters. */
export interface RouteMatch {
  readonly routes: ReadonlyMap<string, Route>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds what a path (without the query) leads to; `null` for nothing. */
export type FindRoutes = (path: string) => RouteMatch | null;

const parameter = /\{(\w+)\}/g;

export function createRouter(routes: readonly Route[]): FindRoutes {
  const byPath = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const methods = byPath.get(route.path) ?? new Map<string, Route>();
    byPath.set(route.path, methods.set(route.method, route));
  }
  const fixed = new Map<string, RouteMatch>();
  const patterns: { pattern: RegExp; routes: ReadonlyMap<string, Route> }[] = [];
  for (const [path, methods] of byPath) {
    if (path.includes('{')) {
      // Values of parameters are ids of ours and phone numbers: anything else cannot exist.
      const pattern = new RegExp(`^${path.replaceAll(parameter, '(?<$1>(?:\\+|%2[Bb])?[\\w-]{1,64})')}$`);
      patterns.push({ pattern, routes: methods });
    } else {
      fixed.set(path, { routes: methods, parameters: {} });
    }
  }

  return (path) => {
    const match = fixed.get(path);
    if (match) return match;
    for (const { pattern, routes } of patterns) {
      const groups = pattern.exec(path)?.groups;
      if (groups) return { routes, parameters: decoded(groups) };
    }
    return null;
  };
}

function decoded(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
}
