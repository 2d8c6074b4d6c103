-- Keys: when they were last used, whose names stand apart, and the ones that were taken over.
-- locks: keys, users
alter table keys
  add column last_used_at timestamptz,
  -- Who speaks for others is nobody's own key: the member that it speaks for is the only one whose standing is asked.
  add constraint keys_trusted check (not trusted or user_id is null),
  -- A hash that was taken over is found by what is known of its key.
  add constraint keys_slow check (slow_hash is null or (prefix is not null and hash is null));

-- Only what nobody has used yet is in it: it is asked whenever a key is not known, and mostly empty.
create index keys_slow_prefix on keys (prefix) where slow_hash is not null;

-- A member may call its keys what it likes, without learning what others call theirs.
alter table keys drop constraint keys_organization_id_name_key;
create unique index keys_of_organization on keys (organization_id, name) where user_id is null;
create unique index keys_of_member on keys (organization_id, user_id, name) where user_id is not null;

-- That a key was used changes nothing about it, so nobody is told. A transition table allows no list of columns, so this is
-- a trigger for each row; what one transaction repeats is sent once.
drop trigger tell_changed on keys;
create function tell_key_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_notify('toolway_changed', json_build_object('organization', new.organization_id, 'table', tg_table_name)::text);
  return null;
end
$$;
create trigger tell_changed
  after update of organization_id, hash, slow_hash, toolset, expires_at, role, effect_limit, user_id, trusted on keys
  for each row execute function tell_key_changed();

-- Members that keys speak for are found by their address.
create trigger tell_renamed after update of email on users
  for each statement execute function tell_people_changed();
