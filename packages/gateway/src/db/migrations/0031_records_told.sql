-- Whoever looks at an organization's records hears that there are more of them: the head of its chain moves once for each
-- batch, so that a call costs nothing more, and equal words of one transaction are said once.
-- locks: record_chains
create function tell_records() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_notify('toolway_changed', json_build_object('organization', new.organization_id, 'records', true)::text);
  return null;
end
$$;
create trigger tell_records after update of seq on record_chains
  for each row when (new.seq > old.seq) execute function tell_records();
