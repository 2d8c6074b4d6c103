-- What is known of each tool of a connection, which of it was accepted, and the name that clients know it by.
-- locks: catalogs, connections, organizations, tool_states, toolsets
alter table connections
  add column tool_lock text not null default 'off' check (tool_lock in ('off', 'additions', 'descriptions', 'all')),
  add column trusted   boolean not null default false; -- whether what its server says of its tools' effects is believed

-- Stands for the lists as they were stored, so that who holds them in memory need not read them again. Null: not known.
alter table catalogs add column digest text;

-- Definitions are `json`, byte for byte as the server wrote them; a hash is SHA-256 over their canonical form (RFC 8785).
create table tool_locks (
  organization_id text not null references organizations (id) on delete cascade,
  connection_id   text not null,
  tool            text not null check (tool <> '' and length(tool) <= 500),
  accepted_hash   text check (accepted_hash ~ '^[0-9a-f]{64}$'), -- null: it never was
  accepted        json,
  accepted_effect text check (accepted_effect in ('read', 'write', 'destructive')), -- who could see it before it was held
  accepted_by     text, -- a principal; null: came in by itself, as the lock allowed
  accepted_at     timestamptz,
  held_hash       text check (held_hash ~ '^[0-9a-f]{64}$'), -- null: nothing is held
  held            json,
  held_at         timestamptz,
  rejected_by     text, -- who looked and said no; what is held stays held
  rejected_at     timestamptz,
  gone_at         timestamptz, -- since when its server does not list it
  check (accepted_hash is not null or held_hash is not null),
  primary key (organization_id, connection_id, tool),
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade
);

-- The way back from a name that a client has seen: once given it is never given to another, also after what it names is gone.
create table exposed_names (
  organization_id text not null references organizations (id) on delete cascade,
  connection_id   text not null,
  kind            text not null check (kind in ('tool', 'prompt')),
  original        text not null check (original <> '' and length(original) <= 500), -- the server's own name
  name            text not null check (name ~ '^[A-Za-z0-9_-]{1,64}$'),
  plain           boolean not null, -- it is what the rule of names gives, without regard to others
  given_at        timestamptz not null default now(),
  primary key (organization_id, connection_id, kind, original),
  unique (organization_id, connection_id, kind, name),
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade
);

-- How often what an organization offers was changed; the same in every gateway.
create table organization_versions (
  organization_id text primary key references organizations (id) on delete cascade,
  version         bigint not null default 1,
  changed_in      xid8 not null default pg_current_xact_id()
);

do $$
declare
  named text;
begin
  foreach named in array array['tool_locks', 'exposed_names', 'organization_versions'] loop
    execute format('alter table %I enable row level security', named);
    execute format('alter table %I force row level security', named);
    execute format('create policy system_all on %I to current_user using (true) with check (true)', named);
    execute format('create policy organization_own on %I to toolway_organization
                      using (organization_id = current_setting(''app.organization'', true))
                      with check (organization_id = current_setting(''app.organization'', true))', named);
    execute format('grant select, insert, update, delete on %I to toolway_organization', named);
  end loop;
end
$$;

create trigger tell_added after insert on tool_locks referencing new table as changed
  for each statement execute function tell_changed('organization_id');
create trigger tell_changed after update on tool_locks referencing new table as changed
  for each statement execute function tell_changed('organization_id');
create trigger tell_removed after delete on tool_locks referencing old table as changed
  for each statement execute function tell_changed('organization_id');

-- Counted when the transaction commits, after every other lock is held, so that two that change the same organization only wait
-- for one another; and once for each transaction, however much it changes.
create function count_change() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  owner text;
begin
  if tg_table_name = 'organizations' then owner := new.id;
  elsif tg_op = 'DELETE' then owner := old.organization_id;
  else owner := new.organization_id;
  end if;
  insert into public.organization_versions as held (organization_id)
  select id from public.organizations where id = owner
      on conflict (organization_id) do update
     set version = held.version + 1, changed_in = pg_current_xact_id()
   where held.changed_in <> pg_current_xact_id();
  return null;
end
$$;

do $$
declare
  named text;
begin
  foreach named in array array['connections', 'toolsets', 'tool_states', 'tool_locks'] loop
    execute format('create constraint trigger count_change after insert or update or delete on %I
                      deferrable initially deferred for each row execute function count_change()', named);
  end loop;
end
$$;
create constraint trigger count_change after update on organizations
  deferrable initially deferred for each row execute function count_change();
-- A look that found the same lists is no change.
create constraint trigger count_added after insert or delete on catalogs
  deferrable initially deferred for each row execute function count_change();
create constraint trigger count_change after update on catalogs
  deferrable initially deferred for each row
  when (old.digest is distinct from new.digest or old.stale_reason is distinct from new.stale_reason)
  execute function count_change();

-- Two digests say as much as two lists of megabytes.
create or replace function tell_of_catalogs() returns trigger
  language plpgsql
  set search_path = pg_catalog, public
as $$
begin
  if tg_op = 'INSERT' then
    perform tell_integration(organization_id, connection_id, 'synced') from added;
  else
    perform tell_integration(a.organization_id, a.connection_id, 'synced')
       from added a join removed r using (connection_id)
      where (a.digest, a.stale_reason) is distinct from (r.digest, r.stale_reason);
  end if;
  return null;
end
$$;
