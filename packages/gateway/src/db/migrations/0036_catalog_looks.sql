-- When each connection is to be asked next for its lists, and which gateway asks it now: of several gateways on this database, one
-- asks. It is no part of the connection or of its catalog, so that a look that found nothing new tells nobody anything.
-- locks: catalogs, connections, organizations
create table catalog_looks (
  connection_id   text primary key,
  organization_id text not null references organizations (id) on delete cascade,
  version         text,        -- of the connection, as it was asked last
  began_at        timestamptz, -- the last look
  due_at          timestamptz, -- the next look; null: at once
  failures        integer not null default 0, -- looks in a row that failed
  checked_at      timestamptz, -- whether its server is there was last asked then
  lease           text,
  leased_until    timestamptz,
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade
);

alter table catalog_looks enable row level security;
alter table catalog_looks force row level security;
create policy system_all on catalog_looks to current_user using (true) with check (true);
create policy organization_own on catalog_looks to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on catalog_looks to toolway_organization;

-- What a server offers and the gateway does not take, each with its reason.
alter table catalogs add column left_out json;

-- A look that found everything as it was changes nothing that a gateway holds in memory, so no gateway loads its organization anew.
create function tell_catalogs_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_notify('toolway_changed', json_build_object('organization', organization_id, 'table', 'catalogs')::text)
     from (select distinct a.organization_id
             from changed a join before b using (connection_id)
            where (a.digest, a.stale_reason, a.left_out::text) is distinct from (b.digest, b.stale_reason, b.left_out::text))
       as touched;
  return null;
end
$$;
drop trigger tell_changed on catalogs;
create trigger tell_changed after update on catalogs referencing old table as before new table as changed
  for each statement execute function tell_catalogs_changed();
