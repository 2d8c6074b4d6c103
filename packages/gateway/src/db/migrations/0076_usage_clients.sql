-- Clients say their own names: of each caller and day, twenty are counted by name, the most used of a part first, and the others as one,
-- so that counts do not grow with what somebody makes up (ADR 0129). The records keep what was said.
-- locks: usage_days, usage_stale

-- As in 0075, but for the clients of usage_days.
create or replace function add_usage(p_organization text, p_after bigint, p_until bigint, p_day date) returns void
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  most_clients constant int := 20;
  day_start constant timestamptz := coalesce(p_day::timestamp at time zone 'UTC', '-infinity');
  day_end constant timestamptz := coalesce((p_day + 1)::timestamp at time zone 'UTC', 'infinity');
begin
  with sized as (
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
  ), named as (
    select c.day, c.principal, c.connection, c.target, case when f.place > most_clients then '(other)' else c.client end as client,
           c.code, c.calls, c.failed, c.refused
      from counted c
      left join fresh f on f.day = c.day and f.principal = c.principal and f.client = c.client
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

-- Days on which a caller had more are counted anew.
insert into usage_stale (organization_id, day)
select organization_id, day from (
  select organization_id, day from usage_days where client is not null
   group by organization_id, day, principal having count(distinct client) > 20) d
 group by organization_id, day
    on conflict (organization_id, day) do update set reached = null;
