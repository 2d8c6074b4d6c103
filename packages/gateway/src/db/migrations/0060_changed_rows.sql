-- A notice of a change names the rows that changed, so that a gateway reads those alone. Without `ids` everything of the table may have
-- changed: so it is where a statement changed many rows, and in tables that are read whole.
create or replace function tell_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  named text := case tg_table_name
    when 'connections' then 'id'
    when 'toolsets' then 'id'
    when 'catalogs' then 'connection_id'
    when 'tool_locks' then 'connection_id'
    when 'tool_states' then 'connection_id'
    when 'members' then 'user_id'
  end;
begin
  if tg_argv[0] = 'id' then
    perform public.announce_change(json_build_object('organization', id, 'table', tg_table_name)::text)
       from (select distinct id from changed) as touched;
  elsif named is null then
    perform public.announce_change(json_build_object('organization', organization_id, 'table', tg_table_name)::text)
       from (select distinct organization_id from changed) as touched;
  else
    -- A notice has at most 8,000 bytes.
    execute format(
      'select public.announce_change(case when count(*) > 20
                then json_build_object(''organization'', organization_id, ''table'', %1$L)
                else json_build_object(''organization'', organization_id, ''table'', %1$L, ''ids'', json_agg(id)) end::text)
         from (select distinct organization_id, %2$I as id from changed) as touched
        group by organization_id', tg_table_name, named);
  end if;
  return null;
end
$$;

create or replace function tell_catalogs_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform public.announce_change(case when count(*) > 20
            then json_build_object('organization', organization_id, 'table', 'catalogs')
            else json_build_object('organization', organization_id, 'table', 'catalogs', 'ids', json_agg(connection_id)) end::text)
     from (select distinct a.organization_id, a.connection_id
             from changed a join before b using (connection_id)
            where (a.digest, a.stale_reason, a.left_out::text) is distinct from (b.digest, b.stale_reason, b.left_out::text))
       as touched
    group by organization_id;
  return null;
end
$$;

-- The count is told after what was changed: a gateway that read all rows it was told of before is at that count.
create or replace function count_change() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  owner text;
  counted bigint;
begin
  if tg_table_name = 'organizations' then owner := new.id;
  elsif tg_op = 'DELETE' then owner := old.organization_id;
  else owner := new.organization_id;
  end if;
  insert into public.organization_versions as held (organization_id)
  select id from public.organizations where id = owner
      on conflict (organization_id) do update
     set version = held.version + 1, changed_in = pg_current_xact_id()
   where held.changed_in <> pg_current_xact_id()
  returning version into counted;
  if counted is not null then
    perform public.announce_change(json_build_object('organization', owner, 'version', counted)::text);
  end if;
  return null;
end
$$;
