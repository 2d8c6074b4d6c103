-- The documents of connections that are made of one: what was given or fetched is kept as it came, so that nobody's
-- server has to answer before a call can be made, and a document that changes comes in when somebody says so.
-- locks: connections, organizations
create table openapi_documents (
  organization_id text not null references organizations (id) on delete cascade,
  connection_id   text not null,
  packed          bytea not null check (length(packed) <= 67108864), -- gzip of its text
  bytes           integer not null check (bytes between 1 and 67108864), -- of its text
  digest          text not null check (digest ~ '^[0-9a-f]{64}$'), -- SHA-256 of its text
  kept_at         timestamptz not null default now(),
  primary key (organization_id, connection_id),
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade
);
-- It is packed already.
alter table openapi_documents alter column packed set storage external;

alter table openapi_documents enable row level security;
alter table openapi_documents force row level security;
create policy system_all on openapi_documents to current_user using (true) with check (true);
create policy organization_own on openapi_documents to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on openapi_documents to toolway_organization;
