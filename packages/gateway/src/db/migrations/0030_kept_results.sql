-- What of tools' results did not fit into what their callers may be sent, for those callers and for a while.
-- locks: organizations
create table kept_results (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  principal       text not null check (principal <> ''), -- whose quota it fills
  owner           text not null check (owner <> ''), -- principal and endpoint: whoever else asks finds nothing
  mime            text not null check (mime in ('application/json', 'text/plain')),
  bytes           integer not null check (bytes > 0),
  sealed          bytea not null,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null
);
create index kept_results_owner on kept_results (organization_id, principal, created_at);
create index kept_results_expiry on kept_results (expires_at);

alter table kept_results enable row level security;
alter table kept_results force row level security;
create policy system_all on kept_results to current_user using (true) with check (true);
create policy organization_own on kept_results to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on kept_results to toolway_organization;
