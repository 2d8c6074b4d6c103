-- Groups of an organization's members: what conditions, approvers and audiences of toolsets name.
-- locks: members, organizations
create table groups (
  organization_id text not null references organizations (id) on delete cascade,
  slug            text not null check (slug ~ '^[a-z][a-z0-9-]{0,38}$'),
  title           text not null,
  -- Addresses that a file names: whoever becomes a member under one of them is in, on the first start nobody is yet.
  awaited         text[] not null default '{}',
  origin          text not null,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (organization_id, slug)
);

create table group_members (
  organization_id text not null references organizations (id) on delete cascade,
  group_slug      text not null,
  user_id         text not null,
  added_at        timestamptz not null default now(),
  primary key (organization_id, group_slug, user_id),
  foreign key (organization_id, group_slug) references groups (organization_id, slug) on delete cascade,
  -- Who leaves the organization leaves its groups.
  foreign key (organization_id, user_id) references members (organization_id, user_id) on delete cascade
);
create index group_members_user on group_members (organization_id, user_id);

do $$
declare
  named text;
begin
  foreach named in array array['groups', 'group_members'] loop
    execute format('alter table %I enable row level security', named);
    execute format('alter table %I force row level security', named);
    execute format('create policy system_all on %I to current_user using (true) with check (true)', named);
    execute format('create policy organization_own on %I to toolway_organization
                      using (organization_id = current_setting(''app.organization'', true))
                      with check (organization_id = current_setting(''app.organization'', true))', named);
    execute format('grant select, insert, update, delete on %I to toolway_organization', named);
    execute format('create trigger tell_added after insert on %I referencing new table as changed
                      for each statement execute function tell_changed(''organization_id'')', named);
    execute format('create trigger tell_changed after update on %I referencing new table as changed
                      for each statement execute function tell_changed(''organization_id'')', named);
    execute format('create trigger tell_removed after delete on %I referencing old table as changed
                      for each statement execute function tell_changed(''organization_id'')', named);
    -- What somebody is offered may depend on the groups they are in.
    execute format('create constraint trigger count_change after insert or update or delete on %I
                      deferrable initially deferred for each row execute function count_change()', named);
  end loop;
end
$$;

-- Whoever adds a member may see both tables and the address; nothing is lent here.
create function join_awaited_groups() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  insert into public.group_members (organization_id, group_slug, user_id)
  select g.organization_id, g.slug, new.user_id
    from public.groups g join public.users u on u.id = new.user_id
   where g.organization_id = new.organization_id and u.email = any (g.awaited)
      on conflict do nothing;
  return null;
end
$$;
create trigger join_awaited_groups after insert on members
  for each row execute function join_awaited_groups();
