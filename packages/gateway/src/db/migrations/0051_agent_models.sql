-- The model that an organization's agent thinks with: its provider, address and name, and the sealed key of the organization there.
-- locks: organizations
create table agent_models (
  organization_id text primary key references organizations (id) on delete cascade,
  provider        text not null check (provider <> ''),
  url             text not null check (url <> ''),
  model           text not null check (model <> ''),
  sealed          bytea, -- null: it takes no key
  updated_at      timestamptz not null default now()
);

alter table agent_models enable row level security;
alter table agent_models force row level security;
create policy system_all on agent_models to current_user using (true) with check (true);
create policy organization_own on agent_models to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on agent_models to toolway_organization;
