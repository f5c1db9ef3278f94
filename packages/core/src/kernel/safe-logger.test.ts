import { expect, it } from 'vitest';
import { errorFields, safeLogger } from './safe-logger.ts';

const row = 'Failing row contains (Jordan Avery, +12025550142)';

it('logs of an error of a database what was broken, and nothing of the row', () => {
  const refused = Object.assign(new Error(`invalid input syntax for type integer: "Jordan Avery"`), {
    name: 'error',
    severity: 'ERROR',
    code: '23514',
    detail: row,
    constraint: 'calls_state',
    table: 'calls',
    where: row,
  });
  const fields = errorFields(new Error('the store failed', { cause: refused }));
  expect(fields).toMatchObject({
    type: 'Error',
    message: 'the store failed',
    cause: {
      code: '23514',
      constraint: 'calls_state',
      table: 'calls',
      message: expect.stringContaining('23514'),
    },
  });
  expect(fields.stack).toContain('safe-logger.test.ts');
  expect(JSON.stringify(fields)).not.toMatch(/Jordan|12025550142/);
  expect(errorFields(fields)).toEqual(fields);
});

it.each([
  ['no call to +1 (202) 555-0142 from 12025550100', 'no call to [number] from [number]'],
  ['jordan@example.com is unknown', '[email] is unknown'],
  ['connect to postgres://me:secret@host/db', 'connect to postgres://[credentials]@host/db'],
  ['key ck_live_abc123, Bearer abc', 'key [secret] Bearer [secret]'],
  ['nothing after 60000 ms', 'nothing after 60000 ms'],
])('masks %s', (message, masked) => {
  expect(errorFields(new Error(message)).message).toBe(masked);
});

it('gives a logger the safe fields only', () => {
  const lines: object[] = [];
  const note = (fields: object) => void lines.push(fields);
  const logger = safeLogger({ debug: note, info: note, warn: note, error: note });
  logger.warn({ callId: 'call_1', err: Object.assign(new Error('no'), { detail: row }) }, 'failed');
  logger.error({ error: Object.assign(new Error('no'), { query: row }) }, 'failed');
  expect(lines).toMatchObject([{ callId: 'call_1', err: { message: 'no' } }, { error: { message: 'no' } }]);
  expect(JSON.stringify(lines)).not.toContain('Jordan');
});
