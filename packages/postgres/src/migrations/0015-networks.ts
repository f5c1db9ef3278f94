import { type Kysely, sql } from 'kysely';

const ddl = `
-- Which phone network a connection belongs to. The accounts of the emulator exist nowhere else; other connections get
-- their network from the server that next uses them.
alter table connections add column network text;
update connections set network = 'emulated' where account_id ~ '^AC0{31}[123]$';
`;

export const networks = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
