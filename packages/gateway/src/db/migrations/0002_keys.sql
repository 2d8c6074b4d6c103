-- Secrets that stand for a caller. Only a keyed hash is kept (a key has 256 random bits, so a fast hash is enough);
-- the hint is for people who compare. The hash is unique across organizations because a key is looked up before it
-- is known whose it is.
-- locks: organizations
create table keys (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  name            text not null,
  hint            text not null,
  hash            bytea not null unique,
  toolset         text, -- the slug it is limited to; null: every toolset
  origin          text not null,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz,
  unique (organization_id, name)
);

alter table keys enable row level security;
alter table keys force row level security;
create policy system_all on keys to current_user using (true) with check (true);
create policy organization_own on keys to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on keys to toolway_organization;
