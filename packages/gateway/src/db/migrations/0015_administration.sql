-- What administrators say of tools, and answers that are kept so that a request that comes twice is carried out once.
-- locks: connections, organizations
alter table connections
  add column description   text,
  add column tools_default boolean not null default true; -- whether a tool that was not switched by name is on, later ones too

create table tool_states (
  organization_id text not null references organizations (id) on delete cascade,
  connection_id   text not null,
  tool            text not null check (tool <> '' and length(tool) <= 500),
  enabled         boolean not null,
  updated_at      timestamptz not null default now(),
  primary key (organization_id, connection_id, tool),
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade
);

alter table tool_states enable row level security;
alter table tool_states force row level security;
create policy system_all on tool_states to current_user using (true) with check (true);
create policy organization_own on tool_states to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on tool_states to toolway_organization;

create trigger tell_added after insert on tool_states referencing new table as changed
  for each statement execute function tell_changed('organization_id');
create trigger tell_changed after update on tool_states referencing new table as changed
  for each statement execute function tell_changed('organization_id');
create trigger tell_removed after delete on tool_states referencing old table as changed
  for each statement execute function tell_changed('organization_id');

-- Rules of the platform about tools. They hold in every organization and are none's: no organization reaches them here.
create table rules (
  id                text primary key check (id <> ''),
  tool_name_pattern text not null check (tool_name_pattern <> ''),
  action            text not null check (action in ('block', 'warn')),
  reason            text not null check (reason <> ''),
  connector_type    text, -- null: of every connector
  active            boolean not null default true,
  created_by        text not null,
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now()
);

alter table rules enable row level security;
alter table rules force row level security;
create policy system_all on rules to current_user using (true) with check (true);

create function tell_platform_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_notify('toolway_changed', json_build_object('table', tg_table_name)::text);
  return null;
end
$$;
create trigger tell_changed after insert or update or delete on rules
  for each statement execute function tell_platform_changed();

-- A request that named itself by an Idempotency-Key, and its answer once it is there. The hashes are keyed: neither the key nor the
-- body can be guessed from them, and the answer, which may hold a new key, is sealed. Nobody's but the system's.
create table kept_answers (
  hash       bytea primary key check (length(hash) = 32), -- of the principal and its key
  request    bytea not null check (length(request) = 32), -- of method, address and body
  sealed_answer bytea,
  created_at timestamptz not null default now()
);
create index kept_answers_age on kept_answers (created_at);

alter table kept_answers enable row level security;
alter table kept_answers force row level security;
create policy system_all on kept_answers to current_user using (true) with check (true);

-- An organization settles some things for itself; whether it is active, and its slug, are the platform's to say.
grant update (name, description, contact_email, settings, updated_at) on organizations to toolway_organization;
