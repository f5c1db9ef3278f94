import { type DependencyContainer, instanceCachingFactory } from 'tsyringe';
import type { Callkite, CallkiteOptions } from './callkite.ts';
import { createCallkite } from './create-callkite.ts';

/** Token of the whole `Callkite`. */
export const CALLKITE: unique symbol = Symbol.for('callkite.callkite');
/** Token of its `Organizations`. */
export const ORGANIZATIONS: unique symbol = Symbol.for('callkite.organizations');
/** Token of its `Workflows`. */
export const WORKFLOWS: unique symbol = Symbol.for('callkite.workflows');
/** Token of its `Forms`. */
export const FORMS: unique symbol = Symbol.for('callkite.forms');
/** Token of its `Calls`. */
export const CALLS: unique symbol = Symbol.for('callkite.calls');
/** Token of its `Webhooks`. */
export const WEBHOOKS: unique symbol = Symbol.for('callkite.webhooks');

/**
 * Registers one Callkite and its services in a tsyringe container. It is created when it is first resolved; the host
 * calls `start()` and `stop()`. tsyringe needs a Reflect polyfill: import `reflect-metadata` before this module.
 *
 * @param options given outright, or made from what the container holds
 *
 * ```ts
 * registerCallkite(container, options);
 * await container.resolve<Callkite>(CALLKITE).start();
 * ```
 */
export function registerCallkite(
  container: DependencyContainer,
  options: CallkiteOptions | ((from: DependencyContainer) => CallkiteOptions),
): void {
  container.register<Callkite>(CALLKITE, {
    useFactory: instanceCachingFactory((from) =>
      createCallkite(typeof options === 'function' ? options(from) : options),
    ),
  });
  const serve = (token: symbol, serviceOf: (callkite: Callkite) => unknown) =>
    container.register(token, {
      useFactory: (resolver) => serviceOf(resolver.resolve<Callkite>(CALLKITE)),
    });
  serve(ORGANIZATIONS, ({ organizations }) => organizations);
  serve(WORKFLOWS, ({ workflows }) => workflows);
  serve(FORMS, ({ forms }) => forms);
  serve(CALLS, ({ calls }) => calls);
  serve(WEBHOOKS, ({ webhooks }) => webhooks);
}
