-- What was sent and what came back, of calls of connections whose administrator wants it kept. Beside the chain of records and not in
-- it, so that it can be removed: a record holds a hash of it, salted, which tells nothing once it is gone.
-- locks: connections, organizations
alter table connections add column keep_payloads boolean not null default false;

create table record_payloads (
  id              text primary key check (id <> ''), -- of the record; the record is stored by the same transaction
  organization_id text not null references organizations (id) on delete cascade,
  connection      text not null, -- its alias
  at              timestamptz not null,
  sealed          bytea not null
);
create index record_payloads_age on record_payloads (at);
create index record_payloads_of_connection on record_payloads (organization_id, connection);

alter table record_payloads enable row level security;
alter table record_payloads force row level security;
create policy system_all on record_payloads to current_user using (true) with check (true);
create policy organization_own on record_payloads to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, delete on record_payloads to toolway_organization;
