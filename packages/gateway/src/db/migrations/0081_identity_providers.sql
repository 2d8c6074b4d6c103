-- Identity providers of the installation and of organizations (ADR 0141). A provider of the installation belongs to `platform`, so there
-- is no reference to organizations.
-- locks: members, organizations, sign_ins, users
create table identity_providers (
  organization_id text not null check (organization_id <> ''),
  id              text primary key check (id <> ''),
  slug            text not null check (slug ~ '^[a-z][a-z0-9-]{0,38}$'),
  title           text not null,
  -- Without the secret.
  settings        jsonb not null,
  sealed_secret   bytea,
  private         boolean not null default false,
  enabled         boolean not null default false,
  origin          text not null,
  signed_in_at    timestamptz,
  last_problem    text,
  failed_at       timestamptz,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  unique (organization_id, id),
  unique (organization_id, slug)
);


-- Who a person is at a provider. The organization is the provider's.
create table identity_links (
  organization_id text not null check (organization_id <> ''),
  provider_id     text not null,
  subject         text not null check (subject <> ''),
  user_id         text not null references users (id) on delete cascade,
  created_at      timestamptz not null default now(),
  signed_in_at    timestamptz,
  primary key (organization_id, provider_id, subject),
  foreign key (organization_id, provider_id) references identity_providers (organization_id, id) on delete cascade
);
create index identity_links_user on identity_links (user_id);

-- Domains of email addresses, whose owner has shown that they are the organization's.
create table identity_domains (
  organization_id text not null references organizations (id) on delete cascade,
  domain          text not null check (domain = lower(domain) and domain <> ''),
  -- The text of the DNS record that proves the domain.
  challenge       text not null,
  proven_at       timestamptz,
  -- `dns`, or the platform administrator who vouches for it.
  proven_by       text,
  -- Its people have no password.
  enforced        boolean not null default false,
  -- The address of the administrator who may still use a password.
  break_glass     text,
  created_at      timestamptz not null default now(),
  primary key (organization_id, domain)
);
-- A domain is proven for one organization at a time.
create unique index identity_domains_proven on identity_domains (domain) where proven_at is not null;

-- The provider that a sign-in was made with, and when the person signed in there.
alter table sign_ins add column provider_id text;
alter table sign_ins add column ends_at timestamptz;
create index if not exists sign_ins_provider on sign_ins (provider_id) where provider_id is not null;
-- `manual`, or `provider:` and an id where the membership came by a provider and goes with it.
alter table members add column source text not null default 'manual';

do $$
declare
  named text;
begin
  foreach named in array array['identity_providers', 'identity_links', 'identity_domains'] loop
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

-- The sign-ins of a provider end when it is disabled or removed: an organization reaches no sign-ins, and decides over its providers.
create function end_provider_sign_ins() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  update sign_ins set ended_at = now(), ended_why = 'the identity provider was disabled or removed'
   where provider_id = old.id and ended_at is null;
  return null;
end
$$;
create trigger end_provider_sign_ins after delete on identity_providers
  for each row execute function end_provider_sign_ins();
create trigger end_provider_sign_ins_of_disabled after update of enabled on identity_providers
  for each row when (old.enabled and not new.enabled) execute function end_provider_sign_ins();
-- Another issuer has other people under the same names.
create trigger end_provider_sign_ins_of_moved after update of settings on identity_providers
  for each row when (old.settings ->> 'issuer' is distinct from new.settings ->> 'issuer'
                     or old.settings ->> 'entity_id' is distinct from new.settings ->> 'entity_id')
  execute function end_provider_sign_ins();

-- Providers go with their organization.
create function end_identity_providers() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  delete from identity_providers p using removed r where p.organization_id = r.id;
  return null;
end
$$;
create trigger end_identity_providers after delete on organizations referencing old table as removed
  for each statement execute function end_identity_providers();
