-- The time of the last change is the version of a connection, an organization and a rule: gateways open an upstream anew by it, and
-- If-Match compares it. Programs read it in milliseconds, and the time of a transaction is that of its beginning: two changes within a
-- millisecond, or a change that began before another one and came after it, must still be two versions, the later one greater.
-- locks: connections, organizations, organization_rules, rules

create function raise_updated_at() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  new.updated_at := greatest(new.updated_at, date_trunc('milliseconds', old.updated_at) + interval '1 millisecond');
  return new;
end
$$;

create trigger raise_updated_at before update of updated_at on connections
  for each row when (new.updated_at is distinct from old.updated_at) execute function raise_updated_at();
create trigger raise_updated_at before update of updated_at on organizations
  for each row when (new.updated_at is distinct from old.updated_at) execute function raise_updated_at();
create trigger raise_updated_at before update of updated_at on organization_rules
  for each row when (new.updated_at is distinct from old.updated_at) execute function raise_updated_at();
create trigger raise_updated_at before update of updated_at on rules
  for each row when (new.updated_at is distinct from old.updated_at) execute function raise_updated_at();
revoke execute on function raise_updated_at() from public;
