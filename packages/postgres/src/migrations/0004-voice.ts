import { type Kysely, sql } from 'kysely';

const ddl = `
alter table calls add column conversation_over boolean not null default false;

update workflow_versions set definition = definition || '{"voice": {}}' where not definition ? 'voice';
`;

/** Calls in which a speech model talks, and workflows that may ask for it. */
export const voice = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
