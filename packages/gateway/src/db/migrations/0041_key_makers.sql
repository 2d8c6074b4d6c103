-- Four eyes: a key that somebody made acts for whoever made it, so that nobody grants the calls of a key of their own making. A key that
-- was made with another key leads to the person behind that one.
-- locks: approvals
create function key_maker(principal text) returns text
  language plpgsql stable
  security definer
  set search_path = pg_catalog, public
as $$
begin
  -- An organization asks about its own keys and those of no organization; `role` is still the caller's in here.
  if current_setting('role') = 'toolway_organization'
     and exists (select from keys where id = principal
                    and organization_id <> coalesce(current_setting('app.organization', true), '')) then
    raise exception 'this key belongs to another organization' using errcode = 'insufficient_privilege';
  end if;
  return (
    with recursive makers as (
      select created_by, 1 as steps from keys where id = principal
      union all
      select k.created_by, m.steps + 1 from keys k join makers m on k.id = m.created_by where m.steps < 20
    )
    select created_by from makers order by steps desc limit 1);
end
$$;
revoke execute on function key_maker(text) from public;
grant execute on function key_maker(text) to toolway_organization;

alter table approvals add column made_by text; -- who made the key that calls; null: no key, or nobody knows
update approvals set made_by = key_maker(principal) where state in ('pending', 'granted');
