import { badInput } from './http/bad-input.ts';
import { createProbe, type HttpProbe, type HttpUnderTest } from './http/http-probe.ts';
import { placingCalls } from './http/placing-calls.ts';
import { resources } from './http/resources.ts';
import { surface } from './http/surface.ts';
import { webPages } from './http/web-pages.ts';

export interface HttpConformanceOptions {
  /** The test runner's `it`. */
  it(name: string, test: () => Promise<void>): unknown;
  /** Called once, with the first test. Stopping is up to the caller, after the last. */
  start(): Promise<HttpUnderTest>;
}

/**
 * The suite every way of mounting Callkite passes: statuses, bodies, headers and the order of checks of the whole
 * HTTP API, over real connections. It creates organizations of its own, and places about twenty calls as the one it
 * is given. Callkite has to allow private callbacks: the suite sends nothing beyond this machine.
 */
export function httpConformance({ it, start }: HttpConformanceOptions): void {
  let started: Promise<HttpProbe> | undefined;
  for (const [name, test] of Object.entries({
    ...placingCalls,
    ...badInput,
    ...resources,
    ...webPages,
    ...surface,
  })) {
    it(name, async () => {
      started ??= start().then(createProbe);
      await test(await started);
    });
  }
}
