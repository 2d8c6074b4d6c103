-- A gateway serves the keys that it knows from memory while the database is away, for a bounded time. A key that was changed or
-- removed must not be among them, so the signal names it; where it named only the organization, all keys were in doubt.
-- locks: keys
create or replace function tell_key_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_notify('toolway_changed',
    json_build_object('organization', new.organization_id, 'table', tg_table_name, 'key', new.id)::text);
  return null;
end
$$;

drop trigger tell_removed on keys;
create function tell_keys_removed() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_notify('toolway_changed',
    json_build_object('organization', organization_id, 'table', tg_table_name, 'key', id)::text)
     from changed;
  return null;
end
$$;
create trigger tell_removed after delete on keys referencing old table as changed
  for each statement execute function tell_keys_removed();
