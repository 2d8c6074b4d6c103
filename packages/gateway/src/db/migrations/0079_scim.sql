-- People and groups that an organization's identity provider provides by SCIM (RFC 7643, 7644; ADR 0142).
-- locks: group_members, groups, members, organizations

-- A membership that is suspended is in no snapshot, so that nothing of the person stands in that organization, and its rows stay.
alter table members add column active boolean not null default true;

-- Whose word puts somebody into a group: 'manual', 'scim' or 'provider:{id}'. Each source removes what it added and nothing else.
alter table group_members add column source text not null default 'manual' check (source <> '');
alter table group_members drop constraint group_members_pkey;
alter table group_members add constraint group_members_pkey primary key (organization_id, group_slug, user_id, source);

create table scim_tokens (
  organization_id text not null references organizations (id) on delete cascade,
  id              text not null check (id <> ''),
  name            text not null check (name <> ''),
  hash            bytea not null check (length(hash) = 32),
  hint            text not null,
  created_by      text,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  last_used_at    timestamptz,
  primary key (organization_id, id),
  unique (organization_id, hash)
);
-- Two tokens of one name are valid while one replaces the other.
create index scim_tokens_name on scim_tokens (organization_id, name, created_at);

create table scim_people (
  organization_id text not null references organizations (id) on delete cascade,
  user_id         text not null,
  external_id     text,
  user_name       text not null check (user_name <> ''),
  display_name    text not null default '',
  -- What the provider sent, as RFC 7643 has it, without what has a column.
  attributes      jsonb not null default '{}',
  version         bigint not null default 1,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (organization_id, user_id),
  -- Who is removed by hand is unknown to the provider, too.
  foreign key (organization_id, user_id) references members (organization_id, user_id) on delete cascade
);
create unique index scim_people_name on scim_people (organization_id, lower(user_name));
create index scim_people_external on scim_people (organization_id, external_id);
create index scim_people_shown on scim_people (organization_id, lower(display_name));
create index scim_people_updated on scim_people (organization_id, updated_at);

-- Their addresses, in lower case.
create table scim_emails (
  organization_id text not null references organizations (id) on delete cascade,
  address         text not null check (address <> ''),
  user_id         text not null,
  primary key (organization_id, address, user_id),
  foreign key (organization_id, user_id) references scim_people (organization_id, user_id) on delete cascade
);
create index scim_emails_user on scim_emails (organization_id, user_id);

create table scim_groups (
  organization_id text not null references organizations (id) on delete cascade,
  id              text not null check (id <> ''),
  slug            text not null,
  external_id     text,
  display_name    text not null check (display_name <> ''),
  version         bigint not null default 1,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (organization_id, id),
  unique (organization_id, slug),
  foreign key (organization_id, slug) references groups (organization_id, slug) on delete cascade
);
create unique index scim_groups_shown on scim_groups (organization_id, lower(display_name));
create index scim_groups_external on scim_groups (organization_id, external_id);
create index scim_groups_updated on scim_groups (organization_id, updated_at);

-- Who left or is suspended, and what was theirs, until somebody has taken it over.
create table leavers (
  organization_id text not null references organizations (id) on delete cascade,
  user_id         text not null check (user_id <> ''),
  email           text not null,
  name            text not null,
  suspended       boolean not null,
  left_at         timestamptz not null default now(),
  primary key (organization_id, user_id)
);
create index leavers_left on leavers (organization_id, left_at, user_id);

do $$
declare
  named text;
begin
  foreach named in array array['scim_tokens', 'scim_people', 'scim_emails', 'scim_groups', 'leavers'] loop
    execute format('alter table %I enable row level security', named);
    execute format('alter table %I force row level security', named);
    execute format('create policy system_all on %I to current_user using (true) with check (true)', named);
    execute format('create policy organization_own on %I to toolway_organization
                      using (organization_id = current_setting(''app.organization'', true))
                      with check (organization_id = current_setting(''app.organization'', true))', named);
    execute format('grant select, insert, update, delete on %I to toolway_organization', named);
  end loop;
end
$$;

-- Notices of group members name them, so that a gateway reads the groups of those people alone.
create or replace function tell_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  named text := case tg_table_name
    when 'connections' then 'id'
    when 'toolsets' then 'id'
    when 'catalogs' then 'connection_id'
    when 'tool_locks' then 'connection_id'
    when 'tool_states' then 'connection_id'
    when 'members' then 'user_id'
    when 'group_members' then 'user_id'
  end;
begin
  if tg_argv[0] = 'id' then
    perform public.announce_change(json_build_object('organization', id, 'table', tg_table_name)::text)
       from (select distinct id from changed) as touched;
  elsif named is null then
    perform public.announce_change(json_build_object('organization', organization_id, 'table', tg_table_name)::text)
       from (select distinct organization_id from changed) as touched;
  else
    -- A notice has at most 8,000 bytes.
    execute format(
      'select public.announce_change(case when count(*) > 20
                then json_build_object(''organization'', organization_id, ''table'', %1$L)
                else json_build_object(''organization'', organization_id, ''table'', %1$L, ''ids'', json_agg(id)) end::text)
         from (select distinct organization_id, %2$I as id from changed) as touched
        group by organization_id', tg_table_name, named);
  end if;
  return null;
end
$$;
