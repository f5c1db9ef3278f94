import { type Kysely, sql } from 'kysely';

const ddl = `
alter table calls add column agent_failed boolean not null default false;
`;

export const agentFailed = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
