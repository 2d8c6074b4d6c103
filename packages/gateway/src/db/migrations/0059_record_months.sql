-- Records in partitions by month, so that an old month goes at once and searches of some days read little. The table that was there
-- becomes the partition of everything up to the end of this month: nothing is copied, its rows are read once to prove their times.
--
-- A unique index of a partitioned table would have to contain the time. So each partition has its own (`id`; the place in the chain),
-- and the head of the chain, which is locked while records are added, keeps places and ids apart across partitions.
-- locks: records
alter table records rename to records_before;
alter index records_span rename to records_before_span;
alter index records_by_time rename to records_before_by_time;
alter index records_by_actor rename to records_before_by_actor;
alter index records_by_tool rename to records_before_by_tool;
alter index records_by_connection rename to records_before_by_connection;
alter index records_by_outcome rename to records_before_by_outcome;
alter index records_by_action rename to records_before_by_action;
alter index records_by_correlation rename to records_before_by_correlation;
-- Of 0064, which may have been built ahead: under the name that it has as an index of this partition.
alter index if exists records_by_code rename to records_before_organization_id_code_seq_idx;
alter table records_before rename constraint records_pkey to records_before_pkey;
alter table records_before rename constraint records_place to records_before_place;

create table records (like records_before including defaults including constraints including comments including storage)
  partition by range (at);

create index records_span on records using brin (at) with (pages_per_range = 16, autosummarize = on);
create index records_by_time on records (organization_id, at, seq);
create index records_by_actor on records (organization_id, principal, seq);
create index records_by_tool on records (organization_id, target, seq) where kind = 'call';
create index records_by_connection on records (organization_id, connection, seq) where connection is not null;
create index records_by_outcome on records (organization_id, outcome, seq) where outcome <> 'ok';
create index records_by_action on records (organization_id, method, seq) where method <> 'tools/call';
create index records_by_correlation on records (correlation_id);

alter table records enable row level security;
alter table records force row level security;
create policy system_all on records to current_user using (true) with check (true);
create policy organization_own on records to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select on records to toolway_organization;
-- Rows are reached through their table alone.
revoke all on records_before from toolway_organization;

create trigger guard_added before insert on records
  for each statement execute function guard_records('append_records', 'added');
create trigger guard_changed before update on records
  for each statement execute function guard_records('redact_record', 'changed');
create trigger guard_removed before delete or truncate on records
  for each statement execute function guard_records('prune_records', 'removed');

-- Times of partitions are those of UTC.
do $$
begin
  execute format('alter table records attach partition records_before for values from (minvalue) to (%L)',
                 to_char(date_trunc('month', greatest(now(), (select max(last) from record_chains c,
                                                            lateral (select max(r.at) as last from records_before r
                                                                      where r.organization_id = c.organization_id) of_chain)) at time zone 'UTC')
                         + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"'));
end
$$;

-- One partition, protected as its table is. Partitions of Toolway's are made and dropped by functions alone.
create function protect_record_partition(p_name text) returns void
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  execute format('create unique index %I on %I (id)', p_name || '_id', p_name);
  execute format('create unique index %I on %I (organization_id, seq)', p_name || '_place', p_name);
  execute format('alter table %I enable row level security, force row level security', p_name);
  execute format('create policy system_all on %I to current_user using (true) with check (true)', p_name);
  execute format('create trigger guard_added before insert on %I for each statement execute function guard_records(%L, %L)',
                 p_name, 'append_records', 'added');
  execute format('create trigger guard_changed before update on %I for each statement execute function guard_records(%L, %L)',
                 p_name, 'redact_record', 'changed');
  execute format('create trigger guard_removed before delete or truncate on %I for each statement execute function guard_records(%L, %L)',
                 p_name, 'prune_records', 'removed');
end
$$;

-- Takes what no month takes: a record is never refused because a clock is wrong or a partition was not made in time.
create table records_rest partition of records default;
select protect_record_partition('records_rest');

-- The bounds of the partitions by month: `until` is exclusive, and `since` is null for the one that has all before.
create function record_partitions() returns table (name text, since timestamptz, until timestamptz)
  language sql stable
  set search_path = pg_catalog, public, pg_temp
as $$
  select c.relname::text,
         substring(pg_get_expr(c.relpartbound, c.oid) from $re$FROM \('([^']+)'\)$re$)::timestamptz,
         substring(pg_get_expr(c.relpartbound, c.oid) from $re$TO \('([^']+)'\)$re$)::timestamptz
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'public.records'::regclass and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
   order by 3
$$;

-- Makes the partition of a month, unless its time has one. Rows that wait among the rest move into it. Returns whether it was made.
create function make_record_partition(p_month date) returns boolean
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
  set lock_timeout = '3s' -- whoever waits for the table holds up everybody behind
as $$
declare
  month_start timestamptz := date_trunc('month', p_month::timestamp) at time zone 'UTC';
  month_end timestamptz := (date_trunc('month', p_month::timestamp) + interval '1 month') at time zone 'UTC';
  part_name text := 'records_' || to_char(p_month, 'YYYY_MM');
begin
  perform pg_advisory_xact_lock(76368237); -- two gateways make it one after the other
  if exists (select from record_partitions() p where coalesce(p.since, '-infinity') < month_end
                and p.until > month_start) then
    return false;
  end if;
  execute format('create table public.%I (like records including defaults including constraints including storage)', part_name);
  perform set_config('toolway.records', 'prune_records', true);
  execute format('with moved as (delete from records_rest where at >= $1 and at < $2 returning *) insert into %I select * from moved', part_name)
    using month_start, month_end;
  perform set_config('toolway.records', '', true);
  perform protect_record_partition(part_name);
  execute format('alter table records attach partition %I for values from (%L) to (%L)', part_name,
                 to_char(month_start at time zone 'UTC', 'YYYY-MM-DD"T00:00:00Z"'), to_char(month_end at time zone 'UTC', 'YYYY-MM-DD"T00:00:00Z"'));
  return true;
end
$$;

-- Removes the oldest months whose end is not after a moment, a whole partition at a time. The chain of each organization begins from
-- then on at its first checkpoint behind the month; what lies between the two goes as well, and has to be older than the moment too.
-- Where an organization has no such checkpoint, the month stays. Each organization gets a record. Returns the records that went, by organization.
create function drop_record_months(
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
begin
  for part in select p.name, p.until from record_partitions() p where p.until <= p_before order by p.until loop
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

revoke execute on function protect_record_partition, record_partitions, make_record_partition, drop_record_months from public;

-- The months to come; a job makes those after them.
select make_record_partition((date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead))::date)
  from generate_series(1, 2) as ahead;
