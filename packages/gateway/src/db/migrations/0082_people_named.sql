-- A notice of changed users names them, so that a gateway reads those anew and not every account: an import of 10,000 people would
-- otherwise read all of them 10,000 times.
-- locks: users
drop trigger tell_added on users;
drop trigger tell_changed on users;
drop trigger tell_renamed on users;
drop trigger tell_second_factor on users;
drop function tell_people_changed();

create function tell_people(ids text[]) returns void
  language sql
  set search_path = pg_catalog
as $$
  -- A notice has at most 8,000 bytes.
  select public.announce_change((case when cardinality(ids) > 100 then json_build_object('table', 'users')
                                      else json_build_object('table', 'users', 'ids', ids) end)::text)
   where cardinality(ids) > 0;
$$;

create function tell_people_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  if tg_op = 'UPDATE' then
    perform tell_people(array(
      select a.id from changed a join before b using (id)
       where (a.active, a.epoch, a.platform_admin, a.email, a.provider, a.second_factor)
             is distinct from (b.active, b.epoch, b.platform_admin, b.email, b.provider, b.second_factor)));
  else
    perform tell_people(array(select id from changed));
  end if;
  return null;
end
$$;
create trigger tell_added after insert on users referencing new table as changed
  for each statement execute function tell_people_changed();
create trigger tell_changed after update on users referencing old table as before new table as changed
  for each statement execute function tell_people_changed();
create trigger tell_removed after delete on users referencing old table as changed
  for each statement execute function tell_people_changed();
revoke execute on function tell_people(text[]), tell_people_changed() from public;
