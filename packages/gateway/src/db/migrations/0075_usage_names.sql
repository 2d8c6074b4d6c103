-- Names that are nothing here are chosen by callers: their calls are counted under one name, so that counts do not grow with what somebody
-- makes up (ADR 0129). The records keep what was asked for.
-- locks: usage_days, usage_stale

create function usage_name(p_target text, p_code text) returns text
  language sql immutable
  return case when p_code in ('tool.unknown', 'prompt.unknown', 'resource.unknown') then '(unknown)' else p_target end;

-- As in 0072, but for the names: counts the calls of a part of a chain, behind `p_after` and up to `p_until`; where a day is named, those of it alone.
create or replace function add_usage(p_organization text, p_after bigint, p_until bigint, p_day date) returns void
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
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

  insert into usage_days as known (organization_id, day, key, principal, connection, target, client, code, calls, failed, refused)
  select p_organization, (r.at at time zone 'UTC')::date, usage_key(array[r.principal, r.connection, usage_name(r.target, r.code), r.client, r.code]),
         r.principal, r.connection, usage_name(r.target, r.code), r.client, r.code, count(*)::int,
         (count(*) filter (where r.outcome in ('failed', 'tool_error', 'unknown')))::int,
         (count(*) filter (where r.outcome = 'refused'))::int
    from records r
   where r.organization_id = p_organization and r.seq > p_after and r.seq <= p_until and r.at >= day_start and r.at < day_end
     and r.kind = 'call'
   group by (r.at at time zone 'UTC')::date, r.principal, r.connection, usage_name(r.target, r.code), r.client, r.code
      on conflict (organization_id, day, key) do update
     set calls = known.calls + excluded.calls, failed = known.failed + excluded.failed, refused = known.refused + excluded.refused;
end
$$;

-- What was counted by such names before is counted anew.
insert into usage_stale (organization_id, day)
select distinct organization_id, day from usage_days
 where code in ('tool.unknown', 'prompt.unknown', 'resource.unknown') and target <> '(unknown)'
    on conflict (organization_id, day) do update set reached = null;
