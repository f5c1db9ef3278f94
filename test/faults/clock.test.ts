import { postgres } from '@callkite/postgres';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../embedded.ts';
import { startPostgres, type TestPostgres } from '../postgres/start-postgres.ts';

let database: TestPostgres;
let embedded: Embedded;
const { now } = Date;

beforeAll(async () => {
  database = await startPostgres();
  embedded = await startEmbedded({
    storage: postgres({ connectionString: database.url }),
    callkite: { requestsPerMinute: 3 },
  });
}, 180_000);
afterEach(() => {
  Date.now = now;
});
afterAll(async () => {
  await embedded.stop();
  await database.stop();
});

const readiness = async () => {
  const response = await fetch(`${embedded.url}/readyz`);
  return { status: response.status, body: await response.json() };
};

it.each([
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
])(
  'a process whose clock jumped an hour %s is not ready, and limits requests as before',
  async (_, jumpMs) => {
    expect(await readiness()).toEqual({
      status: 200,
      body: { ok: true, checks: { storage: 'ok', clock: 'ok' } },
    });
    Date.now = () => now() + jumpMs;
    expect(await readiness()).toEqual({
      status: 503,
      body: {
        ok: false,
        checks: { storage: 'ok', clock: expect.stringMatching(/^off by 3\d{3} s from the store's$/) },
      },
    });
    for (let request = 1; request <= 5; request += 1) {
      const response = await embedded.request('GET', '/workflows');
      const retryAfter = response.headers.get('retry-after');
      if (retryAfter !== null) expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    }
    expect((await embedded.request('GET', '/workflows')).status).toBe(429);
    Date.now = now;
    expect((await readiness()).status).toBe(200);
  },
);
