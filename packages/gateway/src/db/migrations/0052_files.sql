-- Files that travel by reference: their content is in a folder or an object store, sealed by a key of each file; here is what is known
-- of them. An upload is a row in state "uploading" until its size and hash are verified; only rows in state "ready" are given out.
-- locks: keys, members, organizations
create table files (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  owner           text not null check (owner <> ''), -- a member, or a key without one
  name            text not null check (name <> ''),
  media_type      text not null,
  size            bigint check (size >= 0), -- declared, or counted at the end
  reserved        bigint not null check (reserved >= 0), -- what it takes of the organization's quota
  sha256          text, -- hex; declared, or computed at the end
  state           text not null default 'uploading' check (state in ('uploading', 'ready')),
  origin          text not null check (origin in ('upload', 'result', 'download')),
  tool            text, -- of results and downloads
  storage_key     text not null unique,
  sealed_key      bytea not null, -- of the content
  parts           jsonb, -- of an upload in an object store: its id, and what the store answered for each part
  writer          text, -- the gateway that writes it now
  writer_until    timestamptz,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  unique (organization_id, id),
  check (state <> 'ready' or (size is not null and sha256 is not null))
);
create index files_of_owner on files (organization_id, owner, created_at desc);
create index files_expiry on files (expires_at);

alter table files enable row level security;
alter table files force row level security;
create policy system_all on files to current_user using (true) with check (true);
create policy organization_own on files to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on files to toolway_organization;

-- Addresses that need no key, each for one transfer. Only a keyed hash of the address is kept.
create table file_links (
  hash            bytea primary key check (length(hash) = 32),
  organization_id text not null references organizations (id) on delete cascade,
  file_id         text not null,
  kind            text not null check (kind in ('upload', 'download')),
  made_by         text not null, -- the principal that asked for it
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  foreign key (organization_id, file_id) references files (organization_id, id) on delete cascade
);
create index file_links_of_file on file_links (organization_id, file_id);
create index file_links_expiry on file_links (expires_at);

alter table file_links enable row level security;
alter table file_links force row level security;
create policy system_all on file_links to current_user using (true) with check (true);
create policy organization_own on file_links to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, delete on file_links to toolway_organization;

-- Content whose row is gone, whichever way it went: a job removes it from the store, and the row here after it.
create table file_removals (
  storage_key text primary key,
  parts       jsonb,
  removed_at  timestamptz not null default now(),
  try_after   timestamptz not null default now()
);
alter table file_removals enable row level security;
alter table file_removals force row level security;
create policy system_all on file_removals to current_user using (true) with check (true);

create function note_file_removal() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, public
as $$
begin
  insert into file_removals (storage_key, parts) values (old.storage_key, old.parts) on conflict do nothing;
  return null;
end
$$;
revoke execute on function note_file_removal() from public;
create trigger note_file_removal after delete on files for each row execute function note_file_removal();

-- Files end with whom they belong to.
create function remove_files_of_member() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, public
as $$
begin
  delete from files where organization_id = old.organization_id and owner = old.user_id;
  return null;
end
$$;
revoke execute on function remove_files_of_member() from public;
create trigger remove_files_of_member after delete on members for each row execute function remove_files_of_member();

create function remove_files_of_key() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, public
as $$
begin
  delete from files where organization_id = old.organization_id and owner = old.id;
  return null;
end
$$;
revoke execute on function remove_files_of_key() from public;
create trigger remove_files_of_key after delete on keys for each row when (old.user_id is null)
  execute function remove_files_of_key();
