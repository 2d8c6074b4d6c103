-- Calls by hour and by day, counted from the records, so that figures of a month do not read the records of a month (ADR 0129).
--
-- Records are counted behind them, up to a place in each chain (usage_counted), and never while they are appended: gateways of any
-- version append, and an append costs what it did. Readers add what lies behind that place. A day whose records changed or went is
-- read from its records until it is counted anew (usage_stale).
-- locks: records

-- How far the records of a chain are counted.
create table usage_counted (
  organization_id text primary key,
  seq             bigint not null,
  updated_at      timestamptz not null default now()
);

-- Days to count anew, in UTC. They are counted in ranges of the chain: what lies behind `reached` and up to `until` is still to do.
-- Without `reached` a day is not begun; a change of its records takes it away again. `failed_at`: days that could not be counted come last.
--
-- Whoever takes several locks takes them in this order: lock_usage, the table of records, this table, the tables of counts.
create table usage_stale (
  organization_id text not null,
  day             date not null,
  reached         bigint,
  until           bigint,
  failed_at       timestamptz,
  primary key (organization_id, day)
);

-- Calls of an hour: of a connection; of a tool; of a caller through a connection. A part is what one step counted, by its last place.
-- How long calls took is counted by size (usage_bucket): `sizes` and how many calls had each, `counts`.
create table usage_hours (
  organization_id text not null,
  hour            timestamptz not null,
  by              text not null check (by in ('connection', 'tool', 'caller')),
  key             bytea not null, -- of connection and name, which may be longer than an index takes
  refused         boolean not null,
  part            bigint not null,
  connection      text,
  name            text,
  calls           int not null,
  failed          int not null, -- errors of tools among them
  tool_errors     int not null,
  sizes           smallint[] not null,
  counts          int[] not null,
  primary key (organization_id, by, hour, key, refused, part)
);
create index usage_hours_of_caller on usage_hours (organization_id, name, hour) where by = 'caller';

-- Calls of a day in UTC, by all that figures are grouped by.
create table usage_days (
  organization_id text not null,
  day             date not null,
  key             bytea not null,
  principal       text not null,
  connection      text,
  target          text,
  client          text,
  code            text,
  calls           int not null,
  failed          int not null,
  refused         int not null,
  primary key (organization_id, day, key)
);

alter table usage_counted enable row level security;
alter table usage_counted force row level security;
create policy system_all on usage_counted to current_user using (true) with check (true);
create policy organization_own on usage_counted to toolway_organization
  using (organization_id = current_setting('app.organization', true)) with check (organization_id = current_setting('app.organization', true));
alter table usage_stale enable row level security;
alter table usage_stale force row level security;
create policy system_all on usage_stale to current_user using (true) with check (true);
create policy organization_own on usage_stale to toolway_organization
  using (organization_id = current_setting('app.organization', true)) with check (organization_id = current_setting('app.organization', true));
alter table usage_hours enable row level security;
alter table usage_hours force row level security;
create policy system_all on usage_hours to current_user using (true) with check (true);
create policy organization_own on usage_hours to toolway_organization
  using (organization_id = current_setting('app.organization', true)) with check (organization_id = current_setting('app.organization', true));
alter table usage_days enable row level security;
alter table usage_days force row level security;
create policy system_all on usage_days to current_user using (true) with check (true);
create policy organization_own on usage_days to toolway_organization
  using (organization_id = current_setting('app.organization', true)) with check (organization_id = current_setting('app.organization', true));
grant select on usage_counted, usage_stale, usage_hours, usage_days to toolway_organization;

-- The size of a time in microseconds: 4 % lie between two of them, so that a time told by its size is wrong by 2 %.
create function usage_bucket(p_microseconds int) returns smallint
  language sql immutable
  return pg_catalog.round(pg_catalog.ln(greatest(p_microseconds, 1)::float8) * 25)::smallint;

create function usage_key(p_names text[]) returns bytea
  language sql immutable
  return substr(sha256(convert_to(array_to_json(p_names)::text, 'UTF8')), 1, 16);

-- Counts the calls of a part of a chain, behind `p_after` and up to `p_until`; where a day is named, those of it alone.
create function add_usage(p_organization text, p_after bigint, p_until bigint, p_day date) returns void
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  day_start constant timestamptz := coalesce(p_day::timestamp at time zone 'UTC', '-infinity');
  day_end constant timestamptz := coalesce((p_day + 1)::timestamp at time zone 'UTC', 'infinity');
begin
  with sized as (
    select date_trunc('hour', r.at, 'UTC') as hour, grouping(r.target, r.principal) as kind, r.connection,
           case grouping(r.target, r.principal) when 1 then r.target when 2 then r.principal end as name,
           r.outcome = 'refused' as refused, usage_bucket(r.duration_us) as size, count(*)::int as calls,
           (count(*) filter (where r.outcome in ('failed', 'tool_error', 'unknown')))::int as failed,
           (count(*) filter (where r.outcome = 'tool_error'))::int as tool_errors
      from records r
     where r.organization_id = p_organization and r.seq > p_after and r.seq <= p_until and r.at >= day_start and r.at < day_end
       and r.kind = 'call'
     group by date_trunc('hour', r.at, 'UTC'), r.connection, r.outcome = 'refused', usage_bucket(r.duration_us),
              grouping sets ((), (r.target), (r.principal))
  )
  insert into usage_hours (organization_id, hour, by, key, refused, part, connection, name, calls, failed, tool_errors, sizes, counts)
  select p_organization, hour, case kind when 3 then 'connection' when 1 then 'tool' else 'caller' end,
         usage_key(array[connection, name]), refused, p_until, connection, name, sum(calls), sum(failed), sum(tool_errors),
         array_agg(size order by size), array_agg(calls order by size)
    from sized
   where kind = 3 or name is not null
   group by hour, kind, connection, name, refused;

  insert into usage_days as known (organization_id, day, key, principal, connection, target, client, code, calls, failed, refused)
  select p_organization, (r.at at time zone 'UTC')::date, usage_key(array[r.principal, r.connection, r.target, r.client, r.code]),
         r.principal, r.connection, r.target, r.client, r.code, count(*)::int,
         (count(*) filter (where r.outcome in ('failed', 'tool_error', 'unknown')))::int,
         (count(*) filter (where r.outcome = 'refused'))::int
    from records r
   where r.organization_id = p_organization and r.seq > p_after and r.seq <= p_until and r.at >= day_start and r.at < day_end
     and r.kind = 'call'
   group by (r.at at time zone 'UTC')::date, r.principal, r.connection, r.target, r.client, r.code
      on conflict (organization_id, day, key) do update
     set calls = known.calls + excluded.calls, failed = known.failed + excluded.failed, refused = known.refused + excluded.refused;
end
$$;

-- Whoever writes counts holds it. Readers read in one snapshot, in which what is counted and how far it is counted belong together.
create function lock_usage(p_organization text) returns void
  language sql
  set search_path = pg_catalog
begin atomic
  select pg_advisory_xact_lock(8665936, hashtext(p_organization));
end;

-- Counts the next records of a chain, at most so many. Returns how many places it went on.
create function count_usage(p_organization text, p_most int) returns bigint
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  chain record_chains;
  counted bigint;
  reached bigint;
begin
  perform lock_usage(p_organization);
  select * into chain from record_chains where organization_id = p_organization;
  if not found then return 0; end if;
  select seq into counted from usage_counted where organization_id = p_organization;
  counted := greatest(coalesce(counted, 0), chain.anchor_seq);
  reached := least(chain.seq, counted + p_most);
  if reached <= counted then return 0; end if;
  perform add_usage(p_organization, counted, reached, null);
  insert into usage_counted (organization_id, seq) values (p_organization, reached)
      on conflict (organization_id) do update set seq = excluded.seq, updated_at = now();
  return reached - counted;
end
$$;

-- Marks days: readers read them from their records at once, and a job counts them anew.
create function mark_usage(p_organization text, p_days date[]) returns void
  language sql
  set search_path = pg_catalog, public, pg_temp
begin atomic
  insert into usage_stale (organization_id, day) select p_organization, d from (select distinct unnest(p_days) as d) as days order by d
      on conflict (organization_id, day) do update set reached = null;
end;

-- Marks days and removes what was counted of them.
create function forget_usage(p_organization text, p_days date[]) returns void
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform mark_usage(p_organization, p_days);
  -- What is being counted at this moment goes when the day is counted anew: waiting for it could be a deadlock.
  delete from usage_days where ctid = any (array(
    select u.ctid from usage_days u where u.organization_id = p_organization and u.day = any (p_days) for update skip locked));
  delete from usage_hours h using unnest(p_days) as d
   where h.organization_id = p_organization and h.by = any (array['connection', 'tool', 'caller'])
     and h.hour >= d::timestamp at time zone 'UTC' and h.hour < (d + 1)::timestamp at time zone 'UTC';
end
$$;

-- Counts the next part of a marked day anew: at most so many places of the chain. True: the day is done, and has no mark any more.
-- The mark is locked before the records are read: a change of them that comes meanwhile waits for it, and marks the day again.
-- Records behind `until` are counted by count_usage.
create function recount_usage(p_organization text, p_day date, p_most int) returns boolean
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  day_start constant timestamptz := p_day::timestamp at time zone 'UTC';
  day_end constant timestamptz := (p_day + 1)::timestamp at time zone 'UTC';
  mark usage_stale;
  next_seq bigint;
begin
  perform lock_usage(p_organization);
  lock table only records in access share mode;
  select * into mark from usage_stale where organization_id = p_organization and day = p_day for update;
  if not found then return true; end if;
  if mark.reached is null then
    perform forget_usage(p_organization, array[p_day]);
    -- The sums keep the planner from walking through the whole chain for its first and last place of the day.
    select min(r.seq + 0) - 1, max(r.seq + 0) into mark.reached, mark.until from records r
     where r.organization_id = p_organization and r.at >= day_start and r.at < day_end and r.kind = 'call'
       and r.seq <= (select c.seq from usage_counted c where c.organization_id = p_organization);
  end if;
  next_seq := least(mark.reached + p_most, mark.until);
  if mark.reached is not null then perform add_usage(p_organization, mark.reached, next_seq, p_day); end if;
  if next_seq < mark.until then
    update usage_stale set reached = next_seq, until = mark.until where organization_id = p_organization and day = p_day;
    return false;
  end if;
  delete from usage_stale where organization_id = p_organization and day = p_day;
  return true;
end
$$;

-- Whether a day is counted as its records are. What is not is counted anew.
create function check_usage(p_organization text, p_day date) returns boolean
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  day_start constant timestamptz := p_day::timestamp at time zone 'UTC';
  day_end constant timestamptz := (p_day + 1)::timestamp at time zone 'UTC';
  counted bigint;
  of_records bigint[];
  of_days bigint[];
  of_hours bigint[];
begin
  perform lock_usage(p_organization);
  lock table only records in access share mode;
  if exists (select from usage_stale where organization_id = p_organization and day = p_day) then return true; end if;
  select coalesce(max(seq), 0) into counted from usage_counted where organization_id = p_organization;
  select array[count(*), count(*) filter (where outcome in ('failed', 'tool_error', 'unknown')), count(*) filter (where outcome = 'refused')]
    into of_records from records
   where organization_id = p_organization and at >= day_start and at < day_end and seq <= counted and kind = 'call';
  select array[coalesce(sum(calls), 0), coalesce(sum(failed), 0), coalesce(sum(refused), 0)]
    into of_days from usage_days where organization_id = p_organization and day = p_day;
  select array[coalesce(sum(calls), 0), coalesce(sum(failed), 0), coalesce(sum(calls) filter (where refused), 0)]
    into of_hours from usage_hours
   where organization_id = p_organization and by = 'connection' and hour >= day_start and hour < day_end;
  if of_days = of_records and of_hours = of_records then return true; end if;
  perform forget_usage(p_organization, array[p_day]);
  return false;
end
$$;

-- Records that were redacted or removed. What was redacted is gone from the counts at once; a removal of many records only marks their
-- days, because it holds the lock of the chain.
create function forget_changed_usage() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  days record;
begin
  for days in select c.organization_id, array_agg(distinct (c.at at time zone 'UTC')::date) as list from changed c
               where c.kind = 'call' group by c.organization_id order by c.organization_id loop
    if tg_op = 'UPDATE' then
      perform forget_usage(days.organization_id, days.list);
    else
      perform mark_usage(days.organization_id, days.list);
    end if;
  end loop;
  return null;
end
$$;
create trigger forget_usage_changed after update on records
  referencing old table as changed for each statement execute function forget_changed_usage();
create trigger forget_usage_removed after delete on records
  referencing old table as changed for each statement execute function forget_changed_usage();

-- As in 0059, and the days of the month are marked, so that a job removes what was counted of them.
create or replace function drop_record_months(
  p_before timestamptz, p_at timestamptz, p_principal text, p_actor_type text, p_correlation_id text)
  returns table (organization_id text, month text, removed bigint)
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
  set lock_timeout = '3s'
as $$
#variable_conflict use_column
declare
  part record;
  chain record_chains;
  last_in bigint;
  point record_checkpoints;
  points record_checkpoints[];
  lengths bigint[];
  first_day date;
begin
  for part in select p.name, p.since, p.until from record_partitions() p where p.until <= p_before order by p.until loop
    points := '{}';
    lengths := '{}';
    for chain in select * from record_chains c order by c.organization_id for update loop
      execute format('select max(seq) from %I where organization_id = $1', part.name) into last_in using chain.organization_id;
      continue when last_in is null;
      select * into point from record_checkpoints k
       where k.organization_id = chain.organization_id and k.seq >= last_in order by k.seq limit 1;
      if not found or exists (select from records r where r.organization_id = chain.organization_id and r.seq <= point.seq
                                 and r.at >= part.until and r.at >= p_before) then
        return;
      end if;
      if not exists (select from records r where r.organization_id = chain.organization_id and r.seq = point.seq and r.hash = point.hash) then
        raise exception 'the checkpoint at % does not fit the chain: nothing is pruned', point.seq
          using errcode = 'integrity_constraint_violation';
      end if;
      points := points || point;
      lengths := lengths || (point.seq - chain.anchor_seq);
    end loop;

    perform set_config('toolway.records', 'prune_records', true);
    execute format('drop table %I', part.name);
    foreach point in array points loop
      select coalesce((part.since at time zone 'UTC')::date, min(u.day)) into first_day
        from usage_days u where u.organization_id = point.organization_id;
      perform mark_usage(point.organization_id, array(
        select d::date from generate_series(first_day::timestamp, (part.until at time zone 'UTC') - interval '1 day', interval '1 day') as d));
      delete from records r where r.organization_id = point.organization_id and r.seq <= point.seq;
      delete from record_checkpoints k where k.organization_id = point.organization_id and k.seq < point.seq;
      update record_chains c set anchor_seq = point.seq, anchor_hash = point.hash where c.organization_id = point.organization_id;
    end loop;
    for place in 1 .. cardinality(points) loop
      point := points[place];
      perform append_records(
        point.organization_id, array['rec_' || upper(replace(gen_random_uuid()::text, '-', ''))], array[p_at], array['change'],
        array[p_principal], array[null::text], array[null::text], array[null::text], array['record.prune'], array[null::text],
        array[null::text], array[null::text], array[null::text], array[0], array[0], array[0], array['ok'], array[null::text],
        array['allow'], array[p_correlation_id], array[p_actor_type], array['record'], array[null::text], array[null::text],
        array[null::text], array[jsonb_build_object('removed', lengths[place], 'up_to', point.seq, 'before', part.until)]);
      organization_id := point.organization_id;
      month := part.name;
      removed := lengths[place];
      return next;
    end loop;
  end loop;
end
$$;

revoke execute on function add_usage, lock_usage, count_usage, mark_usage, forget_usage, recount_usage, check_usage, forget_changed_usage from public;
