-- What an organization has connected, where it came from, and what was last known to be there.
--
-- References between an organization's own tables name the organization too. Foreign keys look past row-level security,
-- so a plain one would let a row of one organization point at another's.
-- locks: organizations
create table imports (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  source          text not null,
  summary         jsonb not null,
  created_at      timestamptz not null default now(),
  undone_at       timestamptz,
  unique (organization_id, id)
);

create table connections (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  alias           text not null check (alias ~ '^[a-z][a-z0-9_-]{0,30}$'), -- part of tool names, so it never changes
  title           text not null,
  connector       text not null check (connector in ('mcp.http', 'mcp.process')),
  settings        jsonb not null,
  sealed          bytea, -- headers and environment, sealed by the vault
  enabled         boolean not null default true,
  origin          text not null,
  import_id       text,
  era             jsonb, -- the protocol revision the upstream spoke last, and when
  status          text not null default 'new'
                  check (status in ('new', 'needs_auth', 'connected', 'error', 'disabled')),
  status_reason   text,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  unique (organization_id, alias),
  unique (organization_id, id),
  foreign key (organization_id, import_id) references imports (organization_id, id) on delete set null (import_id)
);

create index connections_import on connections (organization_id, import_id) where import_id is not null;

-- The last good lists of a connection; the request path reads these and never the upstream. `json`, not
-- `jsonb`: definitions keep their bytes, the order of their members and their numbers as they were sent.
create table catalogs (
  connection_id   text primary key,
  organization_id text not null references organizations (id) on delete cascade,
  revision        text,
  server          json,
  tools           json,
  resources       json,
  templates       json,
  prompts         json,
  fetched_at      timestamptz,
  stale_since     timestamptz,
  stale_reason    text,
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade
);

alter table imports enable row level security;
alter table imports force row level security;
create policy system_all on imports to current_user using (true) with check (true);
create policy organization_own on imports to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on imports to toolway_organization;

alter table connections enable row level security;
alter table connections force row level security;
create policy system_all on connections to current_user using (true) with check (true);
create policy organization_own on connections to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on connections to toolway_organization;

alter table catalogs enable row level security;
alter table catalogs force row level security;
create policy system_all on catalogs to current_user using (true) with check (true);
create policy organization_own on catalogs to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on catalogs to toolway_organization;
