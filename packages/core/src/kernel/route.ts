import type * as z from 'zod';
import type { ErrorCode } from './errors.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import type { Principal } from './mode.ts';

/** Whether this process should get requests, and why not. */
export interface Readiness {
  readonly ok: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

/**
 * `key`: an organization's API key. `operator`: the operator's token. `publishable`: a key of a web page, from a page of
 * its origins. `visit`: a token that the route judges itself.
 */
export type RouteAuth = 'key' | 'operator' | 'publishable' | 'visit' | 'none';

/** Who asks, as far as a route's `auth` tells. */
export interface Identity {
  readonly caller: Principal | null;
  /** Of a web page; what it is, its channel knows. */
  readonly visitor: unknown;
  readonly token: string | null;
}

type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string>> & PathParameters<Rest>
  : unknown;

interface RouteInput extends Identity {
  readonly headers: HttpRequest['headers'];
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}

interface TypedInput<
  Visitor,
  Auth extends RouteAuth,
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
> {
  readonly caller: Auth extends 'key' ? Principal : null;
  readonly visitor: Auth extends 'publishable' ? Visitor : null;
  readonly token: Auth extends 'visit' ? string : null;
  readonly headers: HttpRequest['headers'];
  readonly parameters: PathParameters<Path>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
}

/** An operation as far as it can be described: what is routed by and what the OpenAPI document tells. */
interface RouteDescription<
  Auth extends RouteAuth = RouteAuth,
  Path extends string = string,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With parameters as in `/calls/{call_id}`. */
  readonly path: Path;
  readonly auth: Auth;
  readonly tag: string;
  /** Unique; names the operation in the OpenAPI document. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** The query is ignored when absent. */
  readonly query?: Query;
  /** The body is not read when absent. */
  readonly body?: Body;
  /** An `Idempotency-Key` header stands for the body's `idempotency_key`. @default false */
  readonly idempotent?: boolean;
  /** Status of success. */
  readonly status: 200 | 201 | 202 | 204;
  /** Body of success; none when absent. */
  readonly answer?: Answer;
  /** Bodies of other statuses that are no errors, by status. */
  readonly otherAnswers?: Readonly<Record<number, { readonly meaning: string; readonly answer: z.ZodType }>>;
  /** Media type of a body of success that is no JSON. */
  readonly mediaType?: string;
  /** Errors beyond those that follow from `auth`, `query` and `body`. */
  readonly refusals?: readonly ErrorCode[];
}

/** One operation of the HTTP API, and the services that it needs to answer. */
export interface Route<Services = never> extends RouteDescription {
  respond(services: Services, input: RouteInput): Promise<HttpResponse>;
}

/** Makes the operations of one part of the product, which answer with these services. */
export function routesOf<Services, Visitor = never>() {
  /** A route that writes its response itself. */
  function rawRoute<
    Auth extends RouteAuth,
    Path extends string,
    Query extends z.ZodType = z.ZodUndefined,
    Body extends z.ZodType = z.ZodUndefined,
    Answer extends z.ZodType = z.ZodVoid,
  >(
    description: RouteDescription<Auth, Path, Query, Body, Answer>,
    respond: (
      services: Services,
      input: TypedInput<Visitor, Auth, Path, Query, Body>,
    ) => Promise<HttpResponse>,
  ): Route<Services> {
    // The handler builds the input from this very description, so the types hold.
    return { ...description, respond: respond as Route<Services>['respond'] };
  }

  /** A route that returns the value its `answer` schema describes. */
  function route<
    Auth extends RouteAuth,
    Path extends string,
    Query extends z.ZodType = z.ZodUndefined,
    Body extends z.ZodType = z.ZodUndefined,
    Answer extends z.ZodType = z.ZodVoid,
  >(
    description: RouteDescription<Auth, Path, Query, Body, Answer>,
    handle: (
      services: Services,
      input: TypedInput<Visitor, Auth, Path, Query, Body>,
    ) => Promise<z.input<Answer>>,
  ): Route<Services> {
    return rawRoute(description, async (services, input) => {
      const value = await handle(services, input);
      return value === undefined
        ? { status: description.status, headers: {}, body: null }
        : jsonResponse(description.status, value);
    });
  }

  return { route, rawRoute };
}

export function jsonResponse(status: number, value: unknown): HttpResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
