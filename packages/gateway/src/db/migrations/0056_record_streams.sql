-- Record streams (ADR 0091). A stream of the installation belongs to `platform`, as the records of no organization do, so there is
-- no reference to organizations.
-- locks: alerts, organizations
create table record_streams (
  organization_id text not null check (organization_id <> ''),
  id              text primary key check (id <> ''),
  name            text not null,
  -- Without secrets.
  destination     jsonb not null,
  sealed_secrets  bytea not null,
  private         boolean not null default false,
  alerts          boolean not null default true,
  enabled         boolean not null default true,
  lease           text,
  leased_until    timestamptz,
  next_try        timestamptz not null default now(),
  attempts        integer not null default 0,
  delivered_at    timestamptz,
  failed_at       timestamptz,
  last_problem    text,
  behind_since    timestamptz,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  unique (organization_id, id)
);
-- Streams of every organization are looked for by time alone.
create index record_streams_due on record_streams (next_try) where enabled;

-- How far a stream is in the chain of an organization. `pending` is the end of the batch that is under way: a repeated batch has the
-- same records, and so the same id.
create table record_stream_cursors (
  organization_id text not null check (organization_id <> ''),
  stream_id       text not null,
  seq             bigint not null default 0,
  pending         bigint,
  moved_at        timestamptz not null default now(),
  primary key (organization_id, stream_id)
);

-- Alerts that a stream has not delivered.
create table record_stream_alerts (
  organization_id text not null,
  stream_id       text not null,
  alert_id        text not null references alerts on delete cascade,
  primary key (organization_id, stream_id, alert_id)
);
create index record_stream_alerts_alert on record_stream_alerts (alert_id);

do $$
declare
  named text;
begin
  foreach named in array array['record_streams', 'record_stream_cursors', 'record_stream_alerts'] loop
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

create function queue_stream_alerts() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  insert into record_stream_alerts (organization_id, stream_id, alert_id)
  select a.organization_id, s.id, a.id
    from added a join record_streams s on s.alerts and s.organization_id in (a.organization_id, 'platform');
  return null;
end
$$;
create trigger queue_stream_alerts after insert on alerts referencing new table as added
  for each statement execute function queue_stream_alerts();

-- A stream goes with its places, and with its organization.
create function end_record_streams() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  if tg_table_name = 'organizations' then
    delete from record_streams s using removed r where s.organization_id = r.id;
    delete from record_stream_cursors c using removed r
     where c.organization_id = r.id
       and not exists (select from record_streams s where s.organization_id = 'platform' and s.id = c.stream_id);
  else
    delete from record_stream_cursors c using removed r where c.stream_id = r.id;
    delete from record_stream_alerts a using removed r where a.stream_id = r.id;
  end if;
  return null;
end
$$;
create trigger end_record_streams after delete on record_streams referencing old table as removed
  for each statement execute function end_record_streams();
create trigger end_record_streams after delete on organizations referencing old table as removed
  for each statement execute function end_record_streams();
