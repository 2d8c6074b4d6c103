-- Which clients came in, as which caller, and how far they got: said who they are, asked for tools, called one. Times are those of
-- the first of a while (a minute), so that a busy client costs a row's change now and then and not one for each request.
-- locks: organizations
create table clients_seen (
  organization_id text not null references organizations (id) on delete cascade,
  principal       text not null check (principal <> ''),
  client          text not null, -- what it calls itself; empty: it does not say
  version         text not null,
  revision        text not null,
  key_id          text, -- of the key that it came with; a key that is gone leaves its name to nobody
  user_id         text, -- whose it is
  initialize_at   timestamptz,
  list_at         timestamptz,
  call_at         timestamptz,
  seen_at         timestamptz not null,
  primary key (organization_id, principal, client)
);
create index clients_seen_age on clients_seen (seen_at);

alter table clients_seen enable row level security;
alter table clients_seen force row level security;
create policy system_all on clients_seen to current_user using (true) with check (true);
create policy organization_own on clients_seen to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on clients_seen to toolway_organization;

-- Every gateway tells its own followers of it.
create function tell_of_client() returns trigger
  language plpgsql
  set search_path = pg_catalog, public
as $$
declare
  before jsonb := case tg_op when 'UPDATE' then to_jsonb(old) else '{}' end;
  step   text;
  at     text;
begin
  foreach step in array array['initialize', 'list', 'call'] loop
    at := to_jsonb(new) ->> (step || '_at');
    if at is null or at = before ->> (step || '_at') then
      continue;
    end if;
    perform pg_notify('toolway_changed', json_build_object('organization', new.organization_id, 'seen',
              json_build_object('step', step, 'key_id', new.key_id, 'user_id', new.user_id, 'name', new.client,
                                'version', new.version, 'revision', new.revision, 'at', at))::text);
  end loop;
  return null;
end
$$;
create trigger clients_seen_told after insert or update on clients_seen for each row execute function tell_of_client();
