import type { Callkite } from '@callkite/core';
import { attachSockets, callkiteMiddleware } from '@callkite/core/node';

import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** Injects the `Callkite` of the module: `constructor(@Inject(CALLKITE) callkite: Callkite)`. */
export const CALLKITE = Symbol.for('callkite.nestjs');

const options = Symbol.for('callkite.nestjs.options');

export interface CallkiteModuleOptions {
  callkite: Callkite;
  /** Path the API is mounted at; not affected by a global prefix. @default '' */
  path?: string | undefined;
  /** Milliseconds that live conversations get to end when the application shuts down. @default 600 000 */
  drainMs?: number | undefined;
}

export interface CallkiteAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  inject?: FactoryProvider['inject'];
  useFactory(...dependencies: never[]): CallkiteModuleOptions | Promise<CallkiteModuleOptions>;
}

/**
 * Serves Callkite in a Nest application on `@nestjs/platform-express`: the API and the carriers' webhooks in front of
 * Nest's body parsers, whether these are on or off; the carriers' sockets on the application's server; started with
 * the application, stopped with it (`app.enableShutdownHooks()`). In an application context without a server, calls
 * are dialed and nothing is served.
 */
@Module({})
export class CallkiteModule implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #host: HttpAdapterHost;
  readonly #callkite: Callkite;
  readonly #basePath: string;
  readonly #drainMs: number | undefined;
  #detachSockets: (() => void) | undefined;

  constructor(
    @Inject(HttpAdapterHost) host: HttpAdapterHost,
    @Inject(options) { callkite, path = '', drainMs }: CallkiteModuleOptions,
  ) {
    this.#host = host;
    this.#callkite = callkite;
    this.#basePath = path;
    this.#drainMs = drainMs;
    if (!this.#hasServer()) return;
    // Nest installs its body parsers when the application is initialized, after modules were constructed: from here,
    // and from no later hook, the middleware gets in front of them.
    host.httpAdapter.use(path === '' ? '/' : path, callkiteMiddleware(callkite));
  }

  static forRoot(given: CallkiteModuleOptions): DynamicModule {
    return describe([{ provide: options, useValue: given }], []);
  }

  static forRootAsync({ imports = [], inject = [], useFactory }: CallkiteAsyncOptions): DynamicModule {
    return describe([{ provide: options, inject, useFactory }], imports);
  }

  async onModuleInit(): Promise<void> {
    await this.#callkite.start();
  }

  onApplicationBootstrap(): void {
    if (!this.#hasServer()) return;
    const server = this.#host.httpAdapter.getHttpServer();
    this.#detachSockets = attachSockets(server, this.#callkite, { basePath: this.#basePath });
  }

  /** Before the server closes: live conversations end over its sockets. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#callkite.stop(this.#drainMs === undefined ? {} : { drainMs: this.#drainMs });
    this.#detachSockets?.();
  }

  /** @throws Error on another platform than Express */
  #hasServer(): boolean {
    const platform = this.#host.httpAdapter?.getType?.();
    if (!platform) return false;
    if (platform === 'express') return true;
    throw new Error(
      `CallkiteModule serves on @nestjs/platform-express, not on ${platform}: mount nodeHandler of @callkite/core/node yourself`,
    );
  }
}

function describe(providers: Provider[], imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
  const callkite: Provider = {
    provide: CALLKITE,
    inject: [options],
    useFactory: (given: CallkiteModuleOptions) => given.callkite,
  };
  return {
    module: CallkiteModule,
    global: true,
    imports,
    providers: [...providers, callkite],
    exports: [CALLKITE],
  };
}
