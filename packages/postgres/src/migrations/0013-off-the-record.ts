import { type Kysely, sql } from 'kysely';

const ddl = `
-- The callee refused to be recorded. On the row that is locked by whatever stores or drops words, so that it is never
-- judged by a state of before the lock.
alter table calls add column off_the_record boolean not null default false;
update calls set off_the_record = true where id in (select call_id from recordings where consent = 'refused');
`;

export const offTheRecord = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
