import { afterAll, afterEach, beforeAll } from 'vitest';
import { type PageOptions, type Site, startWorld, type World } from './world.ts';

/** The world of a file of tests, and the pages its tests visit. */
export interface WorldOfTests {
  /** There once the first test runs. */
  readonly world: World;
  /** Opens a page that is closed after the test. */
  visit(options?: PageOptions): Promise<Site>;
  visitDemo(initScript?: string): Promise<Site>;
}

/** Starts a world before the tests of a file, and stops it after them. */
export function worldOfTests(...options: Parameters<typeof startWorld>): WorldOfTests {
  let started: World | undefined;
  const open: Site[] = [];

  beforeAll(async () => {
    started = await startWorld(...options);
  }, 180_000);
  afterEach(async () => {
    for (const site of open.splice(0)) await site.close();
  });
  afterAll(() => started?.stop());

  function world(): World {
    if (!started) throw new Error('the world is there once the first test runs');
    return started;
  }

  async function kept(opening: Promise<Site>): Promise<Site> {
    const site = await opening;
    open.push(site);
    return site;
  }

  return {
    get world() {
      return world();
    },
    visit: (options) => kept(world().open(options)),
    visitDemo: (initScript) => kept(world().openDemo(initScript)),
  };
}
