-- Credentials that renew themselves, several accounts of one person, and the ways by which accounts are connected.
-- locks: connections, credentials, members, oauth_apps, organizations

-- The client that an authorization server knows us as. Of a vendor there is one for each organization; an MCP server's authorization
-- server is named by its issuer, so that a client is never used at another one, even where the MCP server changes it.
alter table oauth_apps
  add column issuer            text check (length(issuer) between 1 and 2000), -- null: a vendor's
  add column registered        boolean not null default false, -- it registered itself (RFC 7591); an administrator's goes before it
  add column auth_method       text check (auth_method in ('client_secret_basic', 'client_secret_post', 'none')), -- null: as the vendor wants it
  add column redirect_uris     text[] not null default '{}', -- those that it was registered with
  add column secret_expires_at timestamptz;
alter table oauth_apps drop constraint oauth_apps_organization_id_provider_key;
alter table oauth_apps add constraint oauth_apps_organization_id_id_key unique (organization_id, id);
alter table oauth_apps add constraint oauth_apps_one unique nulls not distinct (organization_id, provider, issuer);

alter table credentials
  add column kind       text not null default 'oauth' check (kind in ('oauth', 'key')),
  add column account    text not null default 'default' check (account ~ '^[a-z0-9][a-z0-9_-]{0,30}$'), -- its name among those of its owner
  add column is_default boolean not null default true, -- taken where no account is named
  -- What it is bound to. It goes to no other address, and is renewed nowhere else.
  add column server     text, -- the address of the connection that it was made for
  add column issuer     text,
  add column resource   text,
  add column authority  jsonb, -- as it was described when the tokens were had
  add column client_id  text,
  add column app_id     text, -- whose secret proves the client; null: it has none
  -- How it is.
  add column problem    text, -- why a person has to connect it again; null: it is good
  add column problem_at timestamptz,
  add column version    integer not null default 1, -- grows with each renewal
  add column renewed_at timestamptz not null default now(),
  add column used_at    timestamptz,
  add column warned_at  timestamptz, -- when those who rely on it were told that it runs out
  -- One gateway renews it at a time; one that dies loses its lease.
  add column lease        text,
  add column leased_until timestamptz,
  add column failures     integer not null default 0, -- of renewal, in a row
  add column retry_at     timestamptz;
alter table credentials add constraint credentials_app_fkey
  foreign key (organization_id, app_id) references oauth_apps (organization_id, id) on delete set null (app_id);
alter table credentials drop constraint credentials_organization_id_provider_connection_id_user_id__key;
alter table credentials add constraint credentials_one
  unique nulls not distinct (organization_id, provider, connection_id, user_id, account);
create index if not exists credentials_renewal on credentials (expires_at) where problem is null and sealed_refresh_token is not null;

-- A person on the way to an authorization server and back. The state comes back once, in the browser that began.
create table oauth_flows (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  connection_id   text, -- null: an account with a vendor, for all connections to it
  provider        text not null,
  user_id         text, -- whose the credential is to be; null: the organization's
  begun_by        text not null, -- the principal, for records
  account         text check (account ~ '^[a-z0-9][a-z0-9_-]{0,30}$'), -- null: named after what the vendor tells
  state_hash      bytea not null unique check (length(state_hash) = 32),
  browser_hash    bytea not null check (length(browser_hash) = 32),
  sealed_verifier bytea not null,
  client_id       text not null,
  sealed_client_secret bytea, -- null for a client that has none
  app_id          text,
  auth_method     text,
  authority       jsonb not null,
  server          text, -- the address of the connection, as it was then
  scopes          text[] not null default '{}',
  redirect_uri    text not null,
  return_to       text, -- where the browser goes in the end
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  foreign key (organization_id, app_id) references oauth_apps (organization_id, id) on delete cascade,
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade,
  foreign key (organization_id, user_id) references members (organization_id, user_id) on delete cascade
);
create index oauth_flows_age on oauth_flows (expires_at);
alter table oauth_flows enable row level security;
alter table oauth_flows force row level security;
create policy system_all on oauth_flows to current_user using (true) with check (true);
create policy organization_own on oauth_flows to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on oauth_flows to toolway_organization;

-- Whoever holds an opened credential in memory hears that it is another one now.
do $$
declare
  named text;
begin
  foreach named in array array['credentials', 'oauth_apps'] loop
    execute format('create trigger tell_added after insert on %I referencing new table as changed
                      for each statement execute function tell_changed(''organization_id'')', named);
    execute format('create trigger tell_changed after update on %I referencing new table as changed
                      for each statement execute function tell_changed(''organization_id'')', named);
    execute format('create trigger tell_removed after delete on %I referencing old table as changed
                      for each statement execute function tell_changed(''organization_id'')', named);
  end loop;
end
$$;

-- What people are to know before it hurts: an account that runs out or is lost or is back, a tool that is held.
create table alerts (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  kind            text not null check (kind ~ '^[a-z]+\.[a-z]+$'),
  connection_id   text,
  user_id         text, -- whom it concerns; null: whoever administers the organization
  detail          jsonb not null default '{}', -- facts for people, never a secret
  created_at      timestamptz not null default now(),
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade,
  foreign key (organization_id, user_id) references members (organization_id, user_id) on delete cascade
);
create index alerts_age on alerts (organization_id, created_at);
alter table alerts enable row level security;
alter table alerts force row level security;
create policy system_all on alerts to current_user using (true) with check (true);
create policy organization_own on alerts to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on alerts to toolway_organization;
create trigger tell_added after insert on alerts referencing new table as changed
  for each statement execute function tell_changed('organization_id');
