-- What of a legacy client's session outlives the process that holds it, so that a restart, or another gateway on this
-- database, does not end it. Its name is a secret of its client: only a keyed hash is kept. `owner` is principal and
-- endpoint in one text, as the gateway binds a session to both; whoever comes with the name and is somebody else finds no row.
-- locks: organizations
create table sessions (
  hash            bytea primary key check (length(hash) = 32),
  organization_id text not null references organizations (id) on delete cascade,
  owner           text not null,
  principal       text not null,
  toolset         text, -- the slug; null at the endpoint of one connection
  connection      text, -- its alias or id; null at a toolset's endpoint
  revision        text not null,
  capabilities    jsonb not null,
  client          jsonb,
  log_level       text,
  watched         jsonb not null default '{}', -- resource addresses by connection
  opened_at       timestamptz not null,
  seen_at         timestamptz not null
);

-- For the reaper. Rows are touched every few minutes at most, and updates of `seen_at` alone are frequent all the same.
create index sessions_seen on sessions (seen_at);
create index sessions_organization on sessions (organization_id);

alter table sessions enable row level security;
alter table sessions force row level security;
create policy system_all on sessions to current_user using (true) with check (true);
create policy organization_own on sessions to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on sessions to toolway_organization;

-- A session that its client ended ends in every gateway that holds it. Comings and touches are nobody else's business, and
-- what is removed because nobody used it may be in use where the database was out of reach.
create function tell_session_ended() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_notify('toolway_changed',
                    json_build_object('organization', organization_id, 'table', tg_table_name, 'ended', encode(hash, 'hex'))::text)
     from ended where seen_at > now() - interval '30 minutes';
  return null;
end
$$;

create trigger tell_removed after delete on sessions referencing old table as ended
  for each statement execute function tell_session_ended();
