-- The authorization server for MCP clients: who may ask, what persons allowed, and what is under way.
--
-- Nothing here can be used by whoever reads it: codes, refresh tokens, interactions and client secrets are kept by keyed
-- hash only.
-- locks: organizations, sign_ins, users

-- Clients that registered themselves (RFC 7591) or were added by an administrator. Clients that are a document at an
-- address of their own are not stored.
create table oauth_clients (
  id              text primary key check (id <> ''),
  kind            text not null check (kind in ('dynamic', 'added')),
  name            text not null,
  secret_hash     text, -- null for a public client
  metadata        jsonb not null,
  registered_from text,
  created_by      text,
  created_at      timestamptz not null default now(),
  used_at         timestamptz,
  expires_at      timestamptz -- null: never
);
create index oauth_clients_lately on oauth_clients (registered_from, created_at) where kind = 'dynamic';
create index oauth_clients_expiry on oauth_clients (expires_at) where expires_at is not null;

-- What a person allowed a client at one endpoint. It is a sign-in of that person too: whatever ends the one ends the other.
create table oauth_grants (
  id              text primary key references sign_ins (id) on delete cascade,
  organization_id text not null references organizations (id) on delete cascade,
  user_id         text not null references users (id) on delete cascade,
  client_id       text not null,
  client_name     text not null,
  client_host     text not null, -- where it is sent back to, as the person saw it
  resource        text not null, -- the address of the endpoint, as the client named it
  effect_limit    text not null check (effect_limit in ('read', 'write', 'execute')),
  epoch           int not null, -- of the account when it was given
  created_at      timestamptz not null default now(),
  used_at         timestamptz not null default now(),
  ended_at        timestamptz
);
create index oauth_grants_user on oauth_grants (user_id, client_id) where ended_at is null;
create index oauth_grants_organization on oauth_grants (organization_id);
create index oauth_grants_client on oauth_grants (client_id) where ended_at is null;

-- Authorization codes and refresh tokens, each good once, and authorizations that wait for their person.
create table oauth_tokens (
  hash        bytea primary key check (length(hash) = 32),
  kind        text not null check (kind in ('Interaction', 'AuthorizationCode', 'RefreshToken')),
  grant_id    text references oauth_grants (id) on delete cascade,
  payload     jsonb not null,
  expires_at  timestamptz not null,
  consumed_at timestamptz,
  constraint oauth_tokens_granted check ((grant_id is null) = (kind = 'Interaction'))
);
create index oauth_tokens_grant on oauth_tokens (grant_id);
create index oauth_tokens_expiry on oauth_tokens (expires_at);

alter table oauth_clients enable row level security;
alter table oauth_clients force row level security;
create policy system_all on oauth_clients to current_user using (true) with check (true);
alter table oauth_tokens enable row level security;
alter table oauth_tokens force row level security;
create policy system_all on oauth_tokens to current_user using (true) with check (true);

-- An organization sees what its members allowed, and may end it; it makes none and changes nothing else of one.
alter table oauth_grants enable row level security;
alter table oauth_grants force row level security;
create policy system_all on oauth_grants to current_user using (true) with check (true);
create policy organization_own on oauth_grants to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, update (ended_at) on oauth_grants to toolway_organization;

-- Sign-ins are out of an organization's reach, so these two act as the owner of the tables.
create function end_sign_in_of_grant() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
begin
  update public.sign_ins set ended_at = new.ended_at, ended_why = 'grant ended'
   where id = new.id and ended_at is null;
  return null;
end
$$;
create trigger end_sign_in after update of ended_at on oauth_grants
  for each row when (new.ended_at is not null and old.ended_at is null)
  execute function end_sign_in_of_grant();

create function end_grant_of_sign_in() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
begin
  update public.oauth_grants set ended_at = new.ended_at where id = new.id and ended_at is null;
  return null;
end
$$;
create trigger end_grant after update of ended_at on sign_ins
  for each row when (new.ended_at is not null and old.ended_at is null)
  execute function end_grant_of_sign_in();
revoke execute on function end_sign_in_of_grant(), end_grant_of_sign_in() from public;
