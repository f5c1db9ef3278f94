import { type Kysely, sql } from 'kysely';

const ddl = `
alter table calls add column heard text, add column voicemail_message text;
`;

export const whoAnswered = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
