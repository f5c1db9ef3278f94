import { type Kysely, sql } from 'kysely';

const ddl = `
alter table integrations add column former_sealed_secret text, add column former_secret_expires_at timestamptz(3);

alter table calls add column erased_at timestamptz(3);
`;

export const secretsAndErasure = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
