-- A key of the platform belongs to no organization: its files end with it in each of them.
create or replace function remove_files_of_key() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, public
as $$
begin
  delete from files where owner = old.id and (old.organization_id is null or organization_id = old.organization_id);
  return null;
end
$$;
