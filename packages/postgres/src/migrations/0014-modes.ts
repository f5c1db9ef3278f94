import { type Kysely, sql } from 'kysely';

const ddl = `
-- What was shared by live and test keys belongs to live mode from now on. The default is for processes of an earlier
-- version that still write while others are upgraded.
alter table workflows add column mode text not null default 'live';
alter table forms add column mode text not null default 'live';
alter table integrations add column mode text not null default 'live';
alter table transfer_integrations add column key_mode text not null default 'live';
alter table deliveries add column mode text not null default 'live';
alter table do_not_call add column mode text not null default 'live';

alter table do_not_call drop constraint do_not_call_pkey;
alter table do_not_call add primary key (organization_id, mode, phone_number);

-- Where it is on record that only test calls are concerned, it stays test mode's.
update deliveries d set mode = c.mode from calls c where c.id = d.call_id and c.mode <> 'live';
update workflows w set mode = 'test'
where w.source = 'prompt'
  and exists (select from calls c where c.workflow_id = w.id and c.mode = 'test')
  and not exists (select from calls c where c.workflow_id = w.id and c.mode <> 'test');
`;

export const modes = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
