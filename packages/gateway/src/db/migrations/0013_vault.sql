-- Secrets that are kept, and the vault's own. Every bytea column whose name begins with `sealed` holds what the vault sealed
-- for the row it stands in; vault/sealed-columns.ts lists them all, and a test asks this schema whether it does.
-- locks: connections, members, organizations

-- What the vault keeps for itself, sealed under its root keys. Organizations have no right to it at all.
create table vault_secrets (
  name   text primary key,
  sealed bytea not null
);
alter table vault_secrets enable row level security;
alter table vault_secrets force row level security;
create policy system_all on vault_secrets to current_user using (true) with check (true);

-- The client that an organization has registered with a provider.
create table oauth_apps (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  provider        text not null check (provider ~ '^[a-z][a-z0-9_-]{0,49}$'),
  client_id       text not null check (length(client_id) between 1 and 255),
  sealed          bytea, -- the client secret; null for a client that has none
  hint            text, -- the last characters of the secret, for people who compare
  active          boolean not null default true,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  unique (organization_id, provider)
);
alter table oauth_apps enable row level security;
alter table oauth_apps force row level security;
create policy system_all on oauth_apps to current_user using (true) with check (true);
create policy organization_own on oauth_apps to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on oauth_apps to toolway_organization;

-- What lets the gateway act at a provider, or at the server of one connection. Without a user it is the organization's own,
-- which all of its members use; with one it is that member's, and goes when the member goes.
create table credentials (
  id                   text primary key check (id <> ''),
  organization_id      text not null references organizations (id) on delete cascade,
  connection_id        text,
  provider             text not null check (provider ~ '^[a-z][a-z0-9_-]{0,49}$'),
  user_id              text,
  provider_user_id     text check (length(provider_user_id) <= 255),
  provider_username    text,
  sealed_access_token  bytea not null,
  sealed_refresh_token bytea,
  token_type           text not null default 'Bearer',
  expires_at           timestamptz,
  scopes               text[] not null default '{}',
  provider_data        jsonb not null default '{}', -- what the provider tells beside the tokens; never a secret
  active               boolean not null default true,
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  unique nulls not distinct (organization_id, provider, connection_id, user_id, provider_user_id),
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade,
  foreign key (organization_id, user_id) references members (organization_id, user_id) on delete cascade
);
create index credentials_connection on credentials (organization_id, connection_id) where connection_id is not null;
create index credentials_user on credentials (organization_id, user_id) where user_id is not null;
alter table credentials enable row level security;
alter table credentials force row level security;
create policy system_all on credentials to current_user using (true) with check (true);
create policy organization_own on credentials to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on credentials to toolway_organization;
