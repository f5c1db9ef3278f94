import { postgres } from '@callkite/postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../embedded.ts';
import { startPostgres, type TestPostgres } from './start-postgres.ts';

let database: TestPostgres;
let embedded: Embedded;
const logged: string[] = [];
const note = (fields: object, message: string) => {
  logged.push(`${message} ${JSON.stringify(fields)}`);
};

beforeAll(async () => {
  database = await startPostgres();
  embedded = await startEmbedded({
    storage: postgres({ connectionString: database.url }),
    callkite: { logger: { debug: note, info: note, warn: note, error: note } },
  });
}, 120_000);

afterAll(async () => {
  await embedded?.stop();
  await database?.stop();
});

it('logs the rule that a row broke, and nothing of the row', async () => {
  const administrator = new pg.Client({ connectionString: database.url });
  await administrator.connect();
  await administrator.query(
    "alter table callkite.calls add constraint nobody_of_that_name check (recipient_name <> 'Jordan Avery')",
  );
  const row = {
    recipient_phone: '+12025550123',
    recipient_name: 'Jordan Avery',
    recipient_email: 'jordan.avery@example.com',
    recipient_context: 'The tooth on the left',
  };
  // What Postgres says about it holds all of this.
  const refused = administrator.query(
    `insert into callkite.calls select * from jsonb_populate_record(null::callkite.calls, $1)`,
    [{ id: 'call_x', ...row, to_number: row.recipient_phone }],
  );
  await expect(refused).rejects.toMatchObject({ detail: expect.stringContaining(row.recipient_name) });
  await administrator.end();

  const answer = await embedded.request('POST', '/call', { workflow_id: embedded.workflowId, ...row });
  expect(answer.status).toBe(500);
  const line = logged.find((each) => each.includes('nobody_of_that_name')) ?? '';
  expect(line).toContain('"code":"23514"');
  expect(line).toContain('"table":"calls"');
  const everything = logged.join('\n') + (await answer.text());
  for (const value of Object.values(row)) expect(everything).not.toContain(value);
});
