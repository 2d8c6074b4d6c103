-- What happens to connections and credentials is told at once, by the database itself, so that it is told however it came about and
-- in every gateway; and addresses of organizations that are told too, until they have answered.
-- locks: alerts, catalogs, connections, credentials, organizations

create table webhooks (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  url             text not null check (length(url) between 1 and 2000),
  private         boolean not null default false, -- whether the address may lie in a private network
  description     text,
  events          text[] not null check (cardinality(events) > 0),
  enabled         boolean not null default true,
  off_reason      text, -- why the gateway switched it off; null: it did not
  sealed_secret   bytea not null,
  sealed_previous bytea, -- of before the last rotation, and signs too until then
  previous_until  timestamptz,
  delivered_at    timestamptz,
  failed_at       timestamptz,
  last_problem    text,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  unique (organization_id, id)
);

-- One message to one address. Whoever leases it tries; who dies loses its lease, and the message keeps its id, by which a receiver
-- knows one that came twice.
create table webhook_deliveries (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  webhook_id      text not null,
  about           text not null, -- what it tells, so that nothing is told twice
  payload         jsonb not null,
  created_at      timestamptz not null default now(),
  attempts        integer not null default 0,
  next_try        timestamptz not null default now(),
  lease           text,
  leased_until    timestamptz,
  delivered_at    timestamptz,
  given_up_at     timestamptz,
  last_status     integer,
  last_problem    text,
  unique (webhook_id, about),
  foreign key (organization_id, webhook_id) references webhooks (organization_id, id) on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (next_try) where delivered_at is null and given_up_at is null;
create index webhook_deliveries_age on webhook_deliveries (created_at);

do $$
declare
  named text;
begin
  foreach named in array array['webhooks', 'webhook_deliveries'] loop
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

-- A message for every address that asked for it. Not more than so many wait for one that does not answer: what is too much is not
-- told there, and the list of alerts has it. An organization that is being removed is told nothing.
create function add_deliveries(organization text, about text, kind text, grouped text, payload jsonb) returns void
  language sql
  set search_path = pg_catalog, public
as $$
  insert into webhook_deliveries (id, organization_id, webhook_id, about, payload)
  select 'msg_' || replace(gen_random_uuid()::text, '-', ''), w.organization_id, w.id, about, payload
    from webhooks w
    join organizations o on o.id = w.organization_id
   where w.organization_id = organization and w.enabled and w.events && array[kind, grouped]
     and (select count(*) from webhook_deliveries d
           where d.webhook_id = w.id and d.delivered_at is null and d.given_up_at is null) < 1000
  on conflict (webhook_id, about) do nothing
$$;

-- What the followers of an organization hear, and the addresses that asked for it. Equal notices of one transaction are one.
create function tell_integration(organization text, connection text, action text) returns void
  language plpgsql
  set search_path = pg_catalog, public
as $$
begin
  perform pg_notify('toolway_changed', json_build_object('organization', organization, 'event',
                      json_build_object('id', connection, 'action', action))::text);
  perform add_deliveries(organization, concat_ws(' ', pg_current_xact_id()::text, connection, action),
    'integrations_changed', 'integrations_changed',
    jsonb_build_object('type', 'integrations_changed', 'timestamp', to_json(now()), 'data',
      jsonb_build_object('organization_id', organization, 'connection_id', connection, 'action', action)));
end
$$;

create function tell_of_connections() returns trigger
  language plpgsql
  set search_path = pg_catalog, public
as $$
begin
  if tg_op = 'INSERT' then
    perform tell_integration(organization_id, id, 'created') from added;
  elsif tg_op = 'DELETE' then
    perform tell_integration(organization_id, id, 'deleted') from removed;
  else
    perform tell_integration(a.organization_id, a.id,
              case when a.updated_at is distinct from r.updated_at then 'updated' else 'synced' end)
       from added a join removed r using (id)
      where (a.updated_at, a.status, a.status_reason, a.enabled)
            is distinct from (r.updated_at, r.status, r.status_reason, r.enabled);
  end if;
  return null;
end
$$;
create trigger tell_events_added after insert on connections referencing new table as added
  for each statement execute function tell_of_connections();
create trigger tell_events_changed after update on connections referencing old table as removed new table as added
  for each statement execute function tell_of_connections();
create trigger tell_events_removed after delete on connections referencing old table as removed
  for each statement execute function tell_of_connections();

-- A fetch that found everything as it was is nothing new.
create function tell_of_catalogs() returns trigger
  language plpgsql
  set search_path = pg_catalog, public
as $$
begin
  if tg_op = 'INSERT' then
    perform tell_integration(organization_id, connection_id, 'synced') from added;
  else
    perform tell_integration(a.organization_id, a.connection_id, 'synced')
       from added a join removed r using (connection_id)
      where (a.tools::text, a.resources::text, a.templates::text, a.prompts::text, a.stale_reason)
            is distinct from (r.tools::text, r.resources::text, r.templates::text, r.prompts::text, r.stale_reason);
  end if;
  return null;
end
$$;
create trigger tell_events_added after insert on catalogs referencing new table as added
  for each statement execute function tell_of_catalogs();
create trigger tell_events_changed after update on catalogs referencing old table as removed new table as added
  for each statement execute function tell_of_catalogs();

-- A renewal is nothing new; an account that is connected (again), lost or ended is. What goes with its connection is not told beside it.
create function tell_of_credentials() returns trigger
  language plpgsql
  set search_path = pg_catalog, public
as $$
begin
  if tg_op = 'INSERT' then
    perform tell_integration(organization_id, connection_id, 'connected') from added;
  elsif tg_op = 'DELETE' then
    perform tell_integration(r.organization_id, r.connection_id, 'disconnected')
       from removed r
      where r.connection_id is null or exists (select from connections c where c.id = r.connection_id);
  else
    perform tell_integration(a.organization_id, a.connection_id,
              case when a.problem is null then 'connected' else 'disconnected' end)
       from added a join removed r using (id)
      where a.problem is distinct from r.problem or a.updated_at is distinct from r.updated_at;
  end if;
  return null;
end
$$;
create trigger tell_events_added after insert on credentials referencing new table as added
  for each statement execute function tell_of_credentials();
create trigger tell_events_changed after update on credentials referencing old table as removed new table as added
  for each statement execute function tell_of_credentials();
create trigger tell_events_removed after delete on credentials referencing old table as removed
  for each statement execute function tell_of_credentials();

-- The notice names the alert; whom it concerns is asked of the row. What a row says at length stays in the list of alerts.
create function tell_of_alerts() returns trigger
  language plpgsql
  set search_path = pg_catalog, public
as $$
begin
  perform pg_notify('toolway_changed', json_build_object('organization', organization_id, 'alert', id)::text) from added;
  perform add_deliveries(organization_id, id, kind, 'alert',
            jsonb_build_object('type', kind, 'timestamp', to_json(created_at), 'data',
              jsonb_build_object('organization_id', organization_id, 'alert_id', id, 'connection_id', connection_id,
                                 'user_id', user_id, 'detail',
                                 case when length(detail::text) > 16384 then '{"too_long": true}'::jsonb else detail end)))
     from added;
  return null;
end
$$;
create trigger tell_events_added after insert on alerts referencing new table as added
  for each statement execute function tell_of_alerts();
