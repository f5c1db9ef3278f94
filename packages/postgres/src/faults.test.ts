import { connect, createServer, type Socket } from 'node:net';
import { type AcceptCall, createId, type Storage } from '@callkite/core';
import { createTenant } from '@callkite/core/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../test/postgres/start-postgres.ts';
import { postgres } from './postgres.ts';

const unavailable = { code: 'storage_unavailable', retryable: true, retryAfterSeconds: 1 };

describe('with a Postgres server', () => {
  let server: TestPostgres;
  let storage: Storage;
  let stranger: pg.Client;
  let observer: pg.Client;
  let input: (key: string) => AcceptCall;

  beforeAll(async () => {
    server = await startPostgres();
    storage = postgres({ connectionString: server.url, statementTimeoutMs: 1000, maximumConnections: 3 });
    await storage.start();
    stranger = new pg.Client({ connectionString: server.url });
    observer = new pg.Client({ connectionString: server.url });
    await Promise.all([stranger.connect(), observer.connect()]);
    const tenant = await createTenant(storage);
    input = (key) =>
      tenant.input({
        idempotency: {
          endpoint: 'POST /call',
          key,
          keyHash: `hash of ${key}`,
          fingerprint: 'fingerprint',
          lifetimeMs: 300_000,
          answer: { status: 200, body: '{}' },
        },
      });
  });
  afterAll(async () => {
    await Promise.all([stranger.end(), observer.end()]);
    await storage.stop();
    await server.stop();
  });

  it('tells a repeated request that the first is still running', async () => {
    await stranger.query('begin');
    try {
      await holdKey(stranger, input('held'));
      await expect(storage.calls.accept(input('held'))).rejects.toMatchObject({
        code: 'request_in_progress',
        retryable: true,
        retryAfterSeconds: 1,
      });
    } finally {
      await stranger.query('rollback');
    }
  });

  it('accepts a repeated request whose first died before its commit', async () => {
    await stranger.query('begin');
    await holdKey(stranger, input('dropped'));
    const waiting = storage.calls.accept(input('dropped'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await stranger.query('rollback');
    expect((await waiting).result).toBe('accepted');
  });

  it('replays to a request that waited for the first', async () => {
    await stranger.query('begin');
    await holdKey(stranger, input('won'));
    const waiting = storage.calls.accept(input('won'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await stranger.query('commit');
    expect(await waiting).toMatchObject({ result: 'replayed', answer: { body: 'held', status: 202 } });
  });

  it('replays to a request that waited for the first longer than for any other lock', async () => {
    await stranger.query('begin');
    await holdKey(stranger, input('slow'));
    const waiting = storage.calls.accept(input('slow'));
    const begun = await waitingSince(observer);
    await expect.poll(() => waitingSince(observer), { timeout: 4_000 }).toBeGreaterThan(begun);
    await stranger.query('commit');
    expect(await waiting).toMatchObject({ result: 'replayed', answer: { body: 'held', status: 202 } });
  });

  it('gives up in time when a row is locked for long', async () => {
    await stranger.query('begin');
    try {
      await stranger.query('lock table callkite.calls in access exclusive mode');
      await expect(storage.calls.load('call_1')).rejects.toMatchObject(unavailable);
      await expect(storage.calls.adoptOrphans()).rejects.toMatchObject(unavailable);
    } finally {
      await stranger.query('rollback');
    }
    expect(await storage.calls.load('call_1')).toBeNull();
  });

  it('survives its connections being cut, idle and in use', async () => {
    const cut = () =>
      stranger.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'callkite' and datname = current_database()`,
      );
    await Promise.all([storage.ping(), storage.ping(), storage.ping()]);
    await cut();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await storage.ping();

    await stranger.query('begin');
    await stranger.query('lock table callkite.calls in access exclusive mode');
    const running = expect(
      storage.calls.cancel({ organizationId: 'org_1', mode: 'live' }, 'call_1'),
    ).rejects.toMatchObject(unavailable);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await cut();
    await running;
    await stranger.query('rollback');
    expect(await storage.calls.cancel({ organizationId: 'org_1', mode: 'live' }, 'call_1')).toBeNull();
  });

  it('knows of a call whose acceptance was stored and never answered', async () => {
    const line = await startCuttableLine(new URL(server.url));
    const behind = postgres({ connectionString: line.url, maximumConnections: 1 });
    await behind.ping();
    line.cutNextAnswer();
    const call = { ...input('unanswered'), idempotency: null };
    expect(await behind.calls.accept(call)).toMatchObject({ result: 'accepted' });
    expect(line.cuts).toBe(1);
    expect(await storage.calls.get(call, call.callId)).toMatchObject({ state: 'queued' });
    await behind.stop();
    await line.close();
  });

  it('refuses in time when every connection is busy', async () => {
    await stranger.query('begin');
    await stranger.query('lock table callkite.calls in access exclusive mode');
    try {
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, () =>
          storage.calls.cancel({ organizationId: 'org_1', mode: 'live' }, 'call_1'),
        ),
      );
      for (const result of results) {
        expect(result.status === 'rejected' && result.reason).toMatchObject(unavailable);
      }
    } finally {
      await stranger.query('rollback');
    }
    await storage.ping();
  });

  it('recovers a reduced concurrency by one a minute', async () => {
    const tenant = await createTenant(storage);
    for (let count = 0; count < 4; count += 1) await tenant.accept();
    await tenant.claim();
    await storage.calls.reduceConcurrency(tenant.connectionId);
    const next = async () =>
      (await storage.calls.claimNext(tenant.connectionId, createId('att'), null)).result;
    expect(await next()).toBe('wait');
    await stranger.query(
      `update callkite.connections set reduced_at = now() - interval '125 seconds' where id = $1`,
      [tenant.connectionId],
    );
    expect([await next(), await next(), await next()]).toEqual(['claimed', 'claimed', 'wait']);
  });

  it('gives calls that lost their owner a new one', async () => {
    const tenant = await createTenant(storage);
    const unwatched = await tenant.placed();
    const stranded = await tenant.placed();
    await stranger.query(`delete from callkite.jobs where subject_id = any($1)`, [
      [unwatched.attemptId, stranded.attemptId],
    ]);
    await stranger.query(`update callkite.attempts set state = 'ended' where id = $1`, [stranded.attemptId]);
    expect(await storage.calls.adoptOrphans()).toBe(2);
    expect((await tenant.jobs('watch_attempt')).map((job) => job.subjectId)).toEqual([unwatched.attemptId]);
    expect((await tenant.jobs('finish_call')).map((job) => job.subjectId)).toEqual([stranded.callId]);
    expect(await tenant.call(stranded.callId)).toMatchObject({
      outcome: { callStatus: 'not_picked_up', providerStatus: 'failed' },
      reason: 'internal',
    });
    expect(await storage.calls.adoptOrphans()).toBe(0);
  });

  it('forgets idempotency records an hour after they expired, not earlier', async () => {
    await storage.calls.accept(input('old'));
    const age = (interval: string) =>
      stranger.query(`update callkite.idempotency set expires_at = now() - $1::interval where key = 'old'`, [
        interval,
      ]);
    const count = async () =>
      (await stranger.query(`select 1 from callkite.idempotency where key = 'old'`)).rowCount;
    await age('59 minutes');
    await storage.calls.purgeIdempotency();
    expect(await count()).toBe(1);
    await age('61 minutes');
    await storage.calls.purgeIdempotency();
    expect(await count()).toBe(0);
  });

  it('migrates from many processes at once, into a schema of its own', async () => {
    const others = Array.from({ length: 4 }, () =>
      postgres({ connectionString: server.url, schema: 'second', maximumConnections: 2 }),
    );
    await Promise.all(others.map((other) => other.start()));
    const [other] = others;
    expect((await other?.organizations.list({ limit: 10, cursor: null }))?.items).toEqual([]);
    expect((await storage.organizations.list({ limit: 10, cursor: null })).items).not.toEqual([]);
    await Promise.all(others.map((each) => each.stop()));
    await expect(other?.ping()).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  it('says so when a newer version has been on the database', async () => {
    const schema = 'newer';
    const upgraded = postgres({ connectionString: server.url, schema });
    await upgraded.start();
    await upgraded.stop();
    const pool = new pg.Pool({ connectionString: server.url, max: 1 });
    await pool.query(
      `insert into newer.kysely_migration (name, timestamp) values ('9999-of-tomorrow', 'now')`,
    );
    await pool.end();
    const older = postgres({ connectionString: server.url, schema });
    await expect(older.start()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/newer version of Callkite: it has 9999-of-tomorrow,/),
    });
    await older.stop();
  });

  it('limits exactly across processes', async () => {
    const other = postgres({ connectionString: server.url });
    const options = { keyPrefix: 'requests', points: 60, durationSeconds: 60 };
    const limiters = [storage.createRateLimiter(options), other.createRateLimiter(options)];
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) => limiters[index % 2]?.consume('org_1')),
    );
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(60);
    await other.stop();
  });

  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
  ])('limits by its own clock, whoever has one that is %s', async (_what, jumpMs) => {
    const other = postgres({ connectionString: server.url });
    const options = { keyPrefix: `requests${jumpMs}`, points: 60, durationSeconds: 60 };
    const limiter = storage.createRateLimiter(options);
    await limiter.consume('org_1');
    const { now } = Date;
    Date.now = () => now() + jumpMs;
    try {
      const jumped = other.createRateLimiter(options);
      const { consumedPoints, msBeforeNext } = await jumped.consume('org_1');
      expect(consumedPoints).toBe(2);
      expect(msBeforeNext).toBeGreaterThan(0);
      expect(msBeforeNext).toBeLessThanOrEqual(60_000);
      expect((await jumped.get('org_1'))?.consumedPoints).toBe(2);
    } finally {
      Date.now = now;
    }
    const { consumedPoints, msBeforeNext } = await limiter.consume('org_1');
    expect(consumedPoints).toBe(3);
    expect(msBeforeNext).toBeGreaterThan(0);
    expect(msBeforeNext).toBeLessThanOrEqual(60_000);
    await other.stop();
  });

  it('works on a pool of the host, and leaves it open', async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 2 });
    const lent = postgres({ pool });
    await lent.start();
    await lent.ping();
    await lent.stop();
    await lent.stop();
    await expect(lent.ping()).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });
});

describe('without a Postgres server', () => {
  it('is unavailable when nobody listens', async () => {
    const storage = postgres({ connectionString: 'postgres://callkite@127.0.0.1:1/callkite' });
    await expect(storage.start()).rejects.toMatchObject(unavailable);
    await expect(storage.ping()).rejects.toMatchObject(unavailable);
    await expect(
      storage.calls.get({ organizationId: 'org_1', mode: 'live' }, 'call_1'),
    ).rejects.toMatchObject(unavailable);
    await expect(
      storage.createRateLimiter({ keyPrefix: 'requests', points: 1, durationSeconds: 1 }).consume('org_1'),
    ).rejects.toBeInstanceOf(Error);
    await storage.stop();
  });

  it('is unavailable when the server accepts and then stays silent', async () => {
    const silent = createServer();
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : null;
    const storage = postgres({
      connectionString: `postgres://callkite@127.0.0.1:${port}/callkite`,
      connectionTimeoutMs: 200,
    });
    await expect(storage.ping()).rejects.toMatchObject(unavailable);
    await storage.stop();
    silent.close();
  });
});

/** A way to the server that can break after a statement went through and before its answer comes back. */
async function startCuttableLine(server: URL) {
  const url = new URL(server);
  const sockets = new Set<Socket>();
  const line = { url: '', cuts: 0, cutNextAnswer, close };
  let armed = false;
  const proxy = createServer((client) => {
    const upstream = connect(Number(server.port), server.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    client.pipe(upstream);
    client.on('close', () => upstream.destroy());
    upstream.on('data', (chunk) => {
      if (!armed) {
        client.write(chunk);
        return;
      }
      armed = false;
      line.cuts += 1;
      client.destroy();
    });
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  url.port = String(address.port);
  line.url = url.href;
  return line;

  function cutNextAnswer(): void {
    armed = true;
  }
  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => proxy.close(closed));
  }
}

/** What a request that has not committed yet has written. */
async function holdKey(client: pg.Client, { organizationId, idempotency }: AcceptCall): Promise<void> {
  await client.query(
    `insert into callkite.idempotency (organization_id, endpoint, key, fingerprint, status, body, expires_at)
     values ($1, $2, $3, 'fingerprint', 202, 'held', now() + interval '5 minutes')`,
    [organizationId, idempotency?.endpoint, idempotency?.key],
  );
}

/** When the statement began that waits for a lock, in milliseconds since 1970. */
async function waitingSince(client: pg.Client): Promise<number> {
  for (;;) {
    const { rows } = await client.query<{ began: Date }>(
      `select query_start as began from pg_stat_activity
       where datname = current_database() and application_name = 'callkite' and wait_event_type = 'Lock'`,
    );
    if (rows[0]) return rows[0].began.getTime();
  }
}
