-- Who owns things, and the role that keeps owners apart.
--
-- Two kinds of transaction reach these tables. The system's runs as the role that connects, which owns them. An
-- organization's does `set local role toolway_organization` and names itself in `app.organization`: it sees and
-- writes the rows of that organization and no others, whatever its SQL says. Without a name it sees none:
-- current_setting answers null or '', and no id is either.
--
-- The role belongs to the whole server, so another Toolway on it may have made it, or be making it right now.
-- Whoever lacks CREATEROLE can have an administrator do the same two steps beforehand.
do $$
declare
  -- From 16 on membership alone does not allow `set role`, and it may be had without inheriting.
  modern constant boolean := current_setting('server_version_num')::int >= 160000;
begin
  for attempt in 1 .. 40 loop
    begin
      if not exists (select from pg_roles where rolname = 'toolway_organization') then
        create role toolway_organization nologin noinherit;
      end if;
      if not pg_has_role(current_user, 'toolway_organization', case when modern then 'SET' else 'MEMBER' end) then
        execute format('grant toolway_organization to %I%s', current_user,
                       case when modern then ' with inherit false, set true' else '' end);
      end if;
      exit;
    exception
      when insufficient_privilege then
        raise exception 'the database account % may not make or take on the role toolway_organization', current_user
          using errcode = 'insufficient_privilege',
                hint = format('an administrator runs once: create role toolway_organization nologin noinherit; '
                              'grant toolway_organization to %I', current_user);
      -- Two who do it at once collide in the catalogs; the second finds it done.
      when unique_violation or duplicate_object or internal_error then
        if attempt = 40 then
          raise;
        end if;
        perform pg_sleep(0.05);
    end;
  end loop;
end
$$;

-- A role that passes row-level security by would make every policy below an empty word.
do $$
begin
  if exists (select from pg_roles where rolname = 'toolway_organization' and (rolsuper or rolbypassrls)) then
    raise exception 'the role toolway_organization must be neither superuser nor bypassrls';
  end if;
end
$$;

grant usage on schema public to toolway_organization;

create table organizations (
  id         text primary key check (id <> ''),
  slug       text not null unique check (slug ~ '^[a-z][a-z0-9-]{0,38}$'),
  name       text not null,
  origin     text not null,
  created_at timestamptz not null default now()
);

-- `force`, because the owner of a table is otherwise above its policies. What the system needs is then said openly:
-- a policy for the role that connects. toolway_organization is no member of that role, so this one never applies to it.
alter table organizations enable row level security;
alter table organizations force row level security;
create policy system_all on organizations to current_user using (true) with check (true);
create policy organization_own on organizations to toolway_organization
  using (id = current_setting('app.organization', true))
  with check (id = current_setting('app.organization', true));

-- An organization comes, goes and gets its slug by the system: slugs are unique across organizations.
grant select, update (name) on organizations to toolway_organization;

-- Facts about this installation that are nobody's, such as the fingerprint of the vault's key. Organizations
-- have no right to it at all.
create table installation (
  name  text primary key,
  value jsonb not null
);
