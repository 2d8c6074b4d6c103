-- Changes for gateways that hear of them through Redis Streams (ADR 0090). Every notice goes through `announce_change`: NOTIFY as
-- before, and a row in `changes`, in the transaction of the change, while a gateway wants that. One gateway, the holder of
-- `change_relay`, moves the rows to the stream.
create table changes (
  seq     bigint generated always as identity primary key,
  -- Equal notices of one transaction are one, as with NOTIFY.
  xact    xid8 not null default pg_current_xact_id(),
  payload text not null
);
create unique index changes_once on changes (xact, md5(payload));

create table change_relay (
  one          boolean primary key default true check (one),
  wanted_until timestamptz not null default '-infinity',
  -- The number of the last entry of the stream. A number that is missing in the stream means that entries were lost.
  relayed      bigint not null default 0,
  holder       text,
  held_until   timestamptz not null default '-infinity'
);
insert into change_relay default values;

do $$
declare
  named text;
begin
  foreach named in array array['changes', 'change_relay'] loop
    execute format('alter table %I enable row level security', named);
    execute format('alter table %I force row level security', named);
    execute format('create policy system_all on %I to current_user using (true) with check (true)', named);
  end loop;
end
$$;

-- The lock orders this with `want_changes`: a change whose transaction began before rows were wanted is committed before the
-- gateway that wants them goes on.
create function announce_change(p_payload text) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  -- An organization tells of itself alone; `role` is still the caller's in here.
  if current_setting('role') = 'toolway_organization'
     and p_payload::jsonb ->> 'organization' <> current_setting('app.organization', true) then
    raise exception 'this change belongs to another organization' using errcode = 'insufficient_privilege';
  end if;
  perform pg_notify('toolway_changed', p_payload);
  perform pg_advisory_xact_lock_shared(8665934);
  if exists (select from change_relay where wanted_until > clock_timestamp()) then
    insert into changes (payload) values (p_payload) on conflict do nothing;
  end if;
end
$$;

-- Whoever wants rows says so for a day. Only the first waits for the changes that are under way. What was announced while nobody
-- wanted rows is in no row, so a number is left out: every reader of the stream sees the gap.
create function want_changes() returns void
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  update change_relay set wanted_until = clock_timestamp() + interval '1 day'
   where wanted_until > clock_timestamp();
  if found then return; end if;
  perform pg_advisory_xact_lock(8665934);
  update change_relay
     set wanted_until = clock_timestamp() + interval '1 day',
         relayed = relayed + case when wanted_until > clock_timestamp() then 0 else 1 end;
end
$$;
revoke execute on function want_changes() from public;

-- Every function that tells a change tells it through `announce_change`.
do $$
declare
  definition text;
begin
  for definition in
    select pg_get_functiondef(p.oid) from pg_proc p
     where p.pronamespace = 'public'::regnamespace and p.proname <> 'announce_change'
       and p.prosrc ~ 'pg_notify\(''toolway_changed'','
  loop
    execute regexp_replace(definition, 'pg_notify\(''toolway_changed'',\s*', 'public.announce_change(', 'g');
  end loop;
end
$$;
