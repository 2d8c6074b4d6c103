-- A name that a client has seen does not lead to another server by itself (ADR 28): the aliases of connections that were removed, and
-- where each led. A connection that is named by its title gets none of them, unless it leads there again; an administrator who names one
-- takes it over, which is on record.
-- locks: connections, organizations
create table spent_aliases (
  organization_id text not null references organizations (id) on delete cascade,
  alias           text not null,
  led_to          jsonb not null, -- connector, url, command and args, as they are shown: no secret is in them
  removed_at      timestamptz not null default now(),
  primary key (organization_id, alias)
);
alter table spent_aliases enable row level security;
alter table spent_aliases force row level security;
create policy system_all on spent_aliases to current_user using (true) with check (true);
create policy organization_own on spent_aliases to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select on spent_aliases to toolway_organization;

create function keep_alias() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, public
as $$
begin
  -- An organization that is removed takes its aliases along.
  if not exists (select from organizations where id = old.organization_id) then return null; end if;
  insert into spent_aliases (organization_id, alias, led_to)
  values (old.organization_id, old.alias,
          jsonb_strip_nulls(jsonb_build_object('connector', old.settings -> 'connector', 'url', old.settings -> 'url',
                                               'command', old.settings -> 'command', 'args', old.settings -> 'args')))
  on conflict (organization_id, alias) do update set led_to = excluded.led_to, removed_at = now();
  return null;
end
$$;
revoke execute on function keep_alias() from public;
create trigger keep_alias after delete on connections for each row execute function keep_alias();
