-- "Always for this tool" (ledger S2-QRK-05): the word of somebody who may approve, for every call of one caller, of one tool as it is
-- defined, with one account, as long as the very same rules ask. Never for what destroys.
-- locks: approvals, connections, credentials, organizations

-- What a lasting grant given as an answer would be for; null: none may be given.
alter table approvals add column lasting_digest text check (lasting_digest ~ '^[0-9a-f]{64}$');
alter table approvals add column tool_hash text check (tool_hash ~ '^[0-9a-f]{64}$');

create table lasting_grants (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  connection_id   text not null,
  tool            text not null check (tool <> '' and length(tool) <= 500), -- its server's own name of it
  effect          text not null check (effect in ('read', 'write')),
  digest          text not null check (digest ~ '^[0-9a-f]{64}$'),
  tool_hash       text not null check (tool_hash ~ '^[0-9a-f]{64}$'), -- part of the digest: tells whether the tool is another by now
  principal       text not null, -- who calls
  caller          text not null, -- the same for people: an address, or the name of a key
  user_id         text, -- the person behind the calls; null: a machine
  client          text,
  account         text,
  rules           jsonb not null, -- those that asked, whole
  granted_by      text not null, -- `usr_…`, `operator`, `command line`
  approval_id     text not null, -- the question that it was an answer to; it may be gone by now
  note            text check (length(note) <= 500),
  created_at      timestamptz not null default now(),
  used_at         timestamptz,
  uses            integer not null default 0,
  unique (organization_id, id),
  unique (organization_id, digest, granted_by), -- a quorum is of different people
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade
);
create index lasting_grants_listed on lasting_grants (organization_id, created_at);
create index lasting_grants_age on lasting_grants (coalesce(used_at, created_at));

alter table lasting_grants enable row level security;
alter table lasting_grants force row level security;
create policy system_all on lasting_grants to current_user using (true) with check (true);
create policy organization_own on lasting_grants to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on lasting_grants to toolway_organization;

-- Whoever looks at the list hears of it.
create trigger tell_added after insert on lasting_grants referencing new table as changed
  for each statement execute function tell_of_approvals();
create trigger tell_removed after delete on lasting_grants referencing old table as changed
  for each statement execute function tell_of_approvals();

-- "Always" was said of calls that act with a certain account at a certain server. Where another account may be meant from now on, or
-- another server, somebody is asked again: for a member's account the calls of that member, for a shared one all.
create function end_lasting_of_account() returns trigger
  language plpgsql
  set search_path = pg_catalog, public
as $$
declare
  touched record;
begin
  if tg_op = 'DELETE' then touched := old; else touched := new; end if;
  delete from lasting_grants
   where organization_id = touched.organization_id
     and (touched.connection_id is null or connection_id = touched.connection_id)
     and (touched.user_id is null or user_id = touched.user_id);
  return null;
end
$$;
create trigger end_lasting after insert or delete or update of account, is_default, provider_user_id on credentials
  for each row execute function end_lasting_of_account();

create function end_lasting_of_connection() returns trigger
  language plpgsql
  set search_path = pg_catalog, public
as $$
begin
  delete from lasting_grants where organization_id = new.organization_id and connection_id = new.id;
  return null;
end
$$;
create trigger end_lasting after update of settings on connections
  for each row when (old.settings is distinct from new.settings) execute function end_lasting_of_connection();
