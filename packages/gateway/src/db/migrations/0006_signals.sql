-- Every gateway keeps an organization in memory and rebuilds it when it hears `toolway_changed`. Statement triggers,
-- because an import of five hundred rows is one change of an organization and not five hundred. Equal
-- signals of one transaction are sent once, at its commit (PostgreSQL does that itself). A transition
-- table needs a trigger per event. The argument is the column that names the organization.
-- locks: catalogs, connections, keys, organizations, toolsets
create function tell_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_argv[0] = 'id' then
    perform pg_notify('toolway_changed', json_build_object('organization', id, 'table', tg_table_name)::text)
       from (select distinct id from changed) as touched;
  else
    perform pg_notify('toolway_changed', json_build_object('organization', organization_id, 'table', tg_table_name)::text)
       from (select distinct organization_id from changed) as touched;
  end if;
  return null;
end
$$;

do $$
declare
  named record;
begin
  for named in
    select * from (values ('organizations', 'id'), ('keys', 'organization_id'), ('connections', 'organization_id'),
                          ('catalogs', 'organization_id'), ('toolsets', 'organization_id')) as t (name, owner)
  loop
    execute format('create trigger tell_added after insert on %I referencing new table as changed
                      for each statement execute function tell_changed(%L)', named.name, named.owner);
    execute format('create trigger tell_changed after update on %I referencing new table as changed
                      for each statement execute function tell_changed(%L)', named.name, named.owner);
    execute format('create trigger tell_removed after delete on %I referencing old table as changed
                      for each statement execute function tell_changed(%L)', named.name, named.owner);
  end loop;
end
$$;
