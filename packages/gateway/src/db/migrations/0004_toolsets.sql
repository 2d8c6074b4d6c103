-- Named selections of tools that have an endpoint.
-- locks: organizations
create table toolsets (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  slug            text not null,
  title           text not null,
  settings        jsonb not null,
  origin          text not null,
  created_at      timestamptz not null default now(),
  unique (organization_id, slug)
);

alter table toolsets enable row level security;
alter table toolsets force row level security;
create policy system_all on toolsets to current_user using (true) with check (true);
create policy organization_own on toolsets to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on toolsets to toolway_organization;
