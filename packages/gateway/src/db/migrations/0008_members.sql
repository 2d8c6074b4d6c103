-- People: who they are, what they may in which organization, and their sign-ins.
--
-- A user belongs to no organization and is seen in one only as far as it is a member there. The role that is kept is one
-- of an organization; being platform administrator is a fact of the user.
-- locks: keys, organizations, records
create table users (
  id               text primary key check (id <> ''),
  email            text not null unique check (email = lower(email) and email <> ''),
  name             text not null,
  password         text, -- argon2id as a PHC string; null where an identity provider signs the person in
  provider         text not null default 'local',
  provider_subject text,
  platform_admin   boolean not null default false,
  active           boolean not null default true,
  epoch            int not null default 0, -- raised to end every token that was made before
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  signed_in_at     timestamptz,
  unique (provider, provider_subject)
);

create table members (
  organization_id text not null references organizations (id) on delete cascade,
  user_id         text not null references users (id) on delete cascade,
  role            text not null check (role in ('tenant_admin', 'tenant_member', 'tenant_viewer')),
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (organization_id, user_id)
);
create index members_user on members (user_id);

-- One sign-in and the refresh tokens that descend from it. A token that comes a second time ends the whole family.
create table sign_ins (
  id              text primary key check (id <> ''),
  user_id         text not null references users (id) on delete cascade,
  bound_to        text references organizations (id) on delete cascade, -- the organization its tokens are bound to, if any
  client          text not null, -- browser, command line, or the id of an OAuth client
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  ended_at        timestamptz,
  ended_why       text
);
create index sign_ins_user on sign_ins (user_id);

create table refresh_tokens (
  hash       bytea primary key check (length(hash) = 32),
  family_id  text not null references sign_ins (id) on delete cascade,
  issued_at  timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at    timestamptz
);
create index refresh_tokens_family on refresh_tokens (family_id);

-- A key without an organization is a platform key. What a key may is the least of its own role and limit and of those of
-- the member it belongs to.
alter table keys alter column organization_id drop not null;
alter table keys alter column hash drop not null;
alter table keys
  add column family       text not null default 'uru' check (family in ('uru', 'smcp')),
  add column role         text not null default 'tenant_member'
                          check (role in ('platform_admin', 'tenant_admin', 'tenant_member', 'tenant_viewer')),
  add column effect_limit text not null default 'execute' check (effect_limit in ('read', 'write', 'execute')),
  add column user_id      text,
  add column sealed       bytea, -- a copy that its member may see again, sealed by the vault
  add column trusted      boolean not null default false, -- may call on behalf of members
  add column created_by   text,
  add column slow_hash    text, -- bcrypt of a key that was taken over; replaced by `hash` when it is first used
  add column prefix       text,
  add constraint keys_hashed check (hash is not null or slow_hash is not null),
  add constraint keys_platform check (organization_id is not null or (role = 'platform_admin' and user_id is null)),
  add constraint keys_bound check (organization_id is null or role <> 'platform_admin'),
  add constraint keys_member foreign key (organization_id, user_id)
      references members (organization_id, user_id) on delete cascade;
create unique index keys_of_platform on keys (name) where organization_id is null;
create unique index keys_one_of_member on keys (organization_id, user_id) where family = 'uru' and user_id is not null;

alter table organizations
  add column description   text,
  add column contact_email text,
  add column active        boolean not null default true,
  add column settings      jsonb not null default '{}',
  add column updated_at    timestamptz not null default now();

-- Records tell who acted from where, and on what.
alter table records
  add column actor_type    text not null default 'api_key' check (actor_type in ('user', 'api_key', 'system')),
  add column resource_type text,
  add column resource_id   text,
  add column ip_address    text,
  add column user_agent    text;

alter table members enable row level security;
alter table members force row level security;
create policy system_all on members to current_user using (true) with check (true);
create policy organization_own on members to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on members to toolway_organization;

-- An organization sees of its members what it needs to name them, and nothing of their passwords.
alter table users enable row level security;
alter table users force row level security;
create policy system_all on users to current_user using (true) with check (true);
create policy organization_members on users for select to toolway_organization
  using (exists (select from members where members.user_id = users.id
                    and members.organization_id = current_setting('app.organization', true)));
grant select (id, email, name, provider, active, created_at, signed_in_at) on users to toolway_organization;

-- Sign-in happens before an organization is known: no organization reaches these.
alter table sign_ins enable row level security;
alter table sign_ins force row level security;
create policy system_all on sign_ins to current_user using (true) with check (true);
alter table refresh_tokens enable row level security;
alter table refresh_tokens force row level security;
create policy system_all on refresh_tokens to current_user using (true) with check (true);

create trigger tell_added after insert on members referencing new table as changed
  for each statement execute function tell_changed('organization_id');
create trigger tell_changed after update on members referencing new table as changed
  for each statement execute function tell_changed('organization_id');
create trigger tell_removed after delete on members referencing old table as changed
  for each statement execute function tell_changed('organization_id');

-- Every gateway keeps who is active, who administers the platform, and which sign-ins have ended, in memory.
create function tell_people_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_notify('toolway_changed', json_build_object('table', tg_table_name)::text);
  return null;
end
$$;
-- Not when somebody signs in: `signed_in_at` is nobody else's business.
create trigger tell_changed after update of active, epoch, platform_admin or delete on users
  for each statement execute function tell_people_changed();
create trigger tell_added after insert on users
  for each statement execute function tell_people_changed();

create function tell_sign_in_ended() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if new.ended_at is not null and old.ended_at is null then
    perform pg_notify('toolway_changed', json_build_object('table', tg_table_name, 'ended', new.id)::text);
  end if;
  return null;
end
$$;
create trigger tell_ended after update on sign_ins
  for each row execute function tell_sign_in_ended();
