-- Calls of all connections together by hour, and of each connection, tool, caller, client and reason by day, for figures without a filter
-- (ADR 0140): in an organization with many tools, hours and days by all that calls have are as many as the calls.
--
-- Days that were counted before are summed one by one, the latest first, from what is counted (sum_usage): the migration sums nothing.
-- locks: usage_counted

-- Calls of an hour. A part is what one step counted, as in usage_hours; 0: what sum_usage made of them.
create table usage_totals (
  organization_id text not null,
  hour            timestamptz not null,
  refused         boolean not null,
  part            bigint not null,
  calls           int not null,
  failed          int not null, -- errors of tools among them
  tool_errors     int not null,
  sizes           smallint[] not null,
  counts          int[] not null,
  primary key (organization_id, hour, refused, part)
);

-- Calls of a day in UTC, by one of the things that calls have.
create table usage_sums (
  organization_id text not null,
  by              text not null check (by in ('connection', 'tool', 'caller', 'client', 'reason')),
  day             date not null,
  key             bytea not null, -- of connection and name, which may be longer than an index takes
  connection      text, -- of a connection and of a tool
  name            text not null,
  calls           int not null,
  failed          int not null,
  refused         int not null,
  primary key (organization_id, by, day, key)
);

alter table usage_totals enable row level security;
alter table usage_totals force row level security;
create policy system_all on usage_totals to current_user using (true) with check (true);
create policy organization_own on usage_totals to toolway_organization
  using (organization_id = current_setting('app.organization', true)) with check (organization_id = current_setting('app.organization', true));
alter table usage_sums enable row level security;
alter table usage_sums force row level security;
create policy system_all on usage_sums to current_user using (true) with check (true);
create policy organization_own on usage_sums to toolway_organization
  using (organization_id = current_setting('app.organization', true)) with check (organization_id = current_setting('app.organization', true));
grant select on usage_totals, usage_sums to toolway_organization;

-- Days from this one on are in usage_totals and usage_sums as they are in usage_hours and usage_days.
alter table usage_counted add column summed_from date not null default '-infinity';
-- No job counts meanwhile, because it reads usage_counted, which is locked. A day that is being counted anew is marked.
update usage_counted c
   set summed_from = 1 + greatest((now() at time zone 'UTC')::date,
                                  (select max(d.day) from usage_days d where d.organization_id = c.organization_id),
                                  (select max(s.day) from usage_stale s where s.organization_id = c.organization_id));

-- As in 0076, and the sums.
create or replace function add_usage(p_organization text, p_after bigint, p_until bigint, p_day date) returns void
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  most_clients constant int := 20;
  day_start constant timestamptz := coalesce(p_day::timestamp at time zone 'UTC', '-infinity');
  day_end constant timestamptz := coalesce((p_day + 1)::timestamp at time zone 'UTC', 'infinity');
begin
  with sized as materialized (
    select date_trunc('hour', r.at, 'UTC') as hour, grouping(usage_name(r.target, r.code), r.principal) as kind, r.connection,
           case grouping(usage_name(r.target, r.code), r.principal)
             when 1 then usage_name(r.target, r.code) when 2 then r.principal end as name,
           r.outcome = 'refused' as refused, usage_bucket(r.duration_us) as size, count(*)::int as calls,
           (count(*) filter (where r.outcome in ('failed', 'tool_error', 'unknown')))::int as failed,
           (count(*) filter (where r.outcome = 'tool_error'))::int as tool_errors
      from records r
     where r.organization_id = p_organization and r.seq > p_after and r.seq <= p_until and r.at >= day_start and r.at < day_end
       and r.kind = 'call'
     group by date_trunc('hour', r.at, 'UTC'), r.connection, r.outcome = 'refused', usage_bucket(r.duration_us),
              grouping sets ((), (usage_name(r.target, r.code)), (r.principal))
  ), summed as (
    select hour, refused, size, sum(calls)::int as calls, sum(failed)::int as failed, sum(tool_errors)::int as tool_errors
      from sized where kind = 3 group by hour, refused, size
  ), totals as (
    insert into usage_totals (organization_id, hour, refused, part, calls, failed, tool_errors, sizes, counts)
    select p_organization, hour, refused, p_until, sum(calls), sum(failed), sum(tool_errors),
           array_agg(size order by size), array_agg(calls order by size)
      from summed group by hour, refused
  )
  insert into usage_hours (organization_id, hour, by, key, refused, part, connection, name, calls, failed, tool_errors, sizes, counts)
  select p_organization, hour, case kind when 3 then 'connection' when 1 then 'tool' else 'caller' end,
         usage_key(array[connection, name]), refused, p_until, connection, name, sum(calls), sum(failed), sum(tool_errors),
         array_agg(size order by size), array_agg(calls order by size)
    from sized
   where kind = 3 or name is not null
   group by hour, kind, connection, name, refused;

  with counted as materialized (
    select (r.at at time zone 'UTC')::date as day, r.principal, r.connection, usage_name(r.target, r.code) as target, r.client, r.code,
           count(*) as calls, count(*) filter (where r.outcome in ('failed', 'tool_error', 'unknown')) as failed,
           count(*) filter (where r.outcome = 'refused') as refused
      from records r
     where r.organization_id = p_organization and r.seq > p_after and r.seq <= p_until and r.at >= day_start and r.at < day_end
       and r.kind = 'call'
     group by (r.at at time zone 'UTC')::date, r.principal, r.connection, usage_name(r.target, r.code), r.client, r.code
  ), known_clients as materialized (
    select distinct d.day, d.principal, d.client from usage_days d
     where d.organization_id = p_organization and d.day in (select c.day from counted c) and d.client is not null
  ), fresh as (
    select c.day, c.principal, c.client,
           row_number() over (partition by c.day, c.principal order by sum(c.calls) desc, c.client)
             + (select count(*) from known_clients k
                 where k.day = c.day and k.principal = c.principal and k.client <> '(other)') as place
      from counted c
     where c.client is not null and c.client <> '(other)'
       and not exists (select from known_clients k where k.day = c.day and k.principal = c.principal and k.client = c.client)
     group by c.day, c.principal, c.client
  ), named as materialized (
    select c.day, c.principal, c.connection, c.target, case when f.place > most_clients then '(other)' else c.client end as client,
           c.code, c.calls, c.failed, c.refused
      from counted c
      left join fresh f on f.day = c.day and f.principal = c.principal and f.client = c.client
  ), sums as (
    insert into usage_sums as known (organization_id, by, day, key, connection, name, calls, failed, refused)
    select p_organization, by, day, usage_key(array[connection, name]), connection, name, calls, failed, refused
      from (select case grouping(connection, target, principal, client, code)
                     when 15 then 'connection' when 7 then 'tool' when 27 then 'caller' when 29 then 'client' else 'reason' end as by, day, connection,
                   case when grouping(target) = 0 then target else coalesce(code, client, principal, connection) end as name,
                   sum(calls)::int as calls, sum(failed)::int as failed, sum(refused)::int as refused
              from named
             group by day, grouping sets ((connection), (connection, target), (principal), (client), (code))) as of_day
     where name is not null
        on conflict (organization_id, by, day, key) do update
       set calls = known.calls + excluded.calls, failed = known.failed + excluded.failed, refused = known.refused + excluded.refused
  )
  insert into usage_days as known (organization_id, day, key, principal, connection, target, client, code, calls, failed, refused)
  select p_organization, day, usage_key(array[principal, connection, target, client, code]), principal, connection, target, client, code,
         sum(calls)::int, sum(failed)::int, sum(refused)::int
    from named
   group by day, principal, connection, target, client, code
      on conflict (organization_id, day, key) do update
     set calls = known.calls + excluded.calls, failed = known.failed + excluded.failed, refused = known.refused + excluded.refused;
end
$$;

-- Sums the latest day that is counted and not summed. False: there is none.
-- The day is marked meanwhile, so that a change of its records waits and removes its sums, too. One that has a mark already, and one
-- with more rows than a step should read, is counted anew, which sums it.
create function sum_usage(p_organization text) returns boolean
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  most_rows constant int := 200000;
  summed date;
  next_day date;
  is_own boolean;
  row_count int;
  day_start timestamptz;
  day_end timestamptz;
begin
  perform lock_usage(p_organization);
  select summed_from into summed from usage_counted where organization_id = p_organization;
  if not found or summed = '-infinity' then return false; end if;
  select max(day) into next_day from usage_days where organization_id = p_organization and day < summed;
  if next_day is null then
    update usage_counted set summed_from = '-infinity' where organization_id = p_organization;
    return false;
  end if;
  update usage_counted set summed_from = next_day where organization_id = p_organization;
  insert into usage_stale (organization_id, day) values (p_organization, next_day)
      on conflict (organization_id, day) do update set reached = null
    returning xmax = 0 into is_own;
  select count(*) into row_count
    from (select from usage_days where organization_id = p_organization and day = next_day limit most_rows + 1) as few;
  if not is_own or row_count > most_rows then return true; end if;

  day_start := next_day::timestamp at time zone 'UTC';
  day_end := (next_day + 1)::timestamp at time zone 'UTC';
  delete from usage_totals where organization_id = p_organization and hour >= day_start and hour < day_end;
  delete from usage_sums
   where organization_id = p_organization and by = any (array['connection', 'tool', 'caller', 'client', 'reason']) and day = next_day;

  with hours as materialized (
    select hour, refused, calls, failed, tool_errors, sizes, counts from usage_hours
     where organization_id = p_organization and by = 'connection' and hour >= day_start and hour < day_end
  ), sized as (
    select hour, refused, size, sum(n)::int as calls from hours, unnest(sizes, counts) as of_hour (size, n) group by hour, refused, size
  ), arrays as (
    select hour, refused, array_agg(size order by size) as sizes, array_agg(calls order by size) as counts from sized group by hour, refused
  )
  insert into usage_totals (organization_id, hour, refused, part, calls, failed, tool_errors, sizes, counts)
  select p_organization, hour, refused, 0, sum(h.calls), sum(h.failed), sum(h.tool_errors), a.sizes, a.counts
    from hours h join arrays a using (hour, refused) group by hour, refused, a.sizes, a.counts;

  insert into usage_sums (organization_id, by, day, key, connection, name, calls, failed, refused)
  select p_organization, by, next_day, usage_key(array[connection, name]), connection, name, calls, failed, refused
    from (select case grouping(connection, target, principal, client, code)
                   when 15 then 'connection' when 7 then 'tool' when 27 then 'caller' when 29 then 'client' else 'reason' end as by, connection,
                 case when grouping(target) = 0 then target else coalesce(code, client, principal, connection) end as name,
                 sum(calls) as calls, sum(failed) as failed, sum(refused) as refused
            from usage_days where organization_id = p_organization and day = next_day
           group by grouping sets ((connection), (connection, target), (principal), (client), (code))) as of_day
   where name is not null;

  delete from usage_stale where organization_id = p_organization and day = next_day;
  return true;
end
$$;
revoke execute on function sum_usage(text) from public;

-- As in 0072, and the sums.
create or replace function forget_usage(p_organization text, p_days date[]) returns void
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
  delete from usage_sums where ctid = any (array(
    select s.ctid from usage_sums s where s.organization_id = p_organization and s.by = any (array['connection', 'tool', 'caller', 'client', 'reason'])
       and s.day = any (p_days) for update skip locked));
  delete from usage_totals where ctid = any (array(
    select t.ctid from usage_totals t, unnest(p_days) as d
     where t.organization_id = p_organization and t.hour >= d::timestamp at time zone 'UTC' and t.hour < (d + 1)::timestamp at time zone 'UTC'
       for update of t skip locked));
end
$$;

-- As in 0072, and the sums.
create or replace function check_usage(p_organization text, p_day date) returns boolean
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
  of_totals bigint[];
  are_sums_right boolean;
  is_summed boolean;
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
  select array[coalesce(sum(calls), 0), coalesce(sum(failed), 0), coalesce(sum(calls) filter (where refused), 0)]
    into of_totals from usage_totals where organization_id = p_organization and hour >= day_start and hour < day_end;
  with of_day as (
    select named.by, sum(d.calls) as calls, sum(d.failed) as failed, sum(d.refused) as refused
      from usage_days d,
           lateral (values ('connection', d.connection), ('tool', d.target), ('caller', d.principal), ('client', d.client), ('reason', d.code))
             as named (by, name)
     where d.organization_id = p_organization and d.day = p_day and named.name is not null group by named.by
  ), summed as (
    select by, sum(calls) as calls, sum(failed) as failed, sum(refused) as refused from usage_sums
     where organization_id = p_organization and by = any (array['connection', 'tool', 'caller', 'client', 'reason']) and day = p_day
     group by by
  )
  select not exists (table of_day except table summed) and not exists (table summed except table of_day) into are_sums_right;
  select coalesce(bool_or(p_day >= summed_from), true) into is_summed from usage_counted where organization_id = p_organization;
  if of_days = of_records and of_hours = of_records and (not is_summed or (of_totals = of_records and are_sums_right)) then
    return true;
  end if;
  perform forget_usage(p_organization, array[p_day]);
  return false;
end
$$;
