-- Rules say more than a name and yes or no: what a rule of the platform speaks of and what follows become what its contract draws
-- (packages/contract/src/rules.ts); and organizations have rules of their own.
-- locks: connections, keys, members, organizations, rules, toolsets
alter table rules
  add column name       text,
  add column match      jsonb,
  add column parameters jsonb not null default '{}' check (jsonb_typeof(parameters) = 'object'),
  add column state      text not null default 'on' check (state in ('on', 'shadow', 'off')),
  add column origin     text not null default 'administration';

-- An id is unique and so is a name made of it.
update rules
   set name  = left(regexp_replace(lower(id), '[^a-z0-9.-]', '-', 'g'), 64),
       match = jsonb_build_object('tools', jsonb_build_array(tool_name_pattern))
               || case when connector_type is null then '{}'
                       else jsonb_build_object('connectors', jsonb_build_array(connector_type)) end,
       state = case when active then 'on' else 'off' end;

alter table rules
  drop column tool_name_pattern,
  drop column connector_type,
  drop column active,
  alter column name set not null,
  alter column match set not null,
  add constraint rules_name_key unique (name),
  add check (name <> ''),
  add check (jsonb_typeof(match) = 'object'),
  drop constraint rules_action_check;
-- Which actions there are the program says: a row that it cannot read blocks what the rule speaks of.
alter table rules add check (action <> '');

alter table keys add constraint keys_organization_id_id_key unique (organization_id, id);

-- Rules of one organization. A rule ends with what it is of: it would hold for nobody. Of a toolset it is known by the slug, which
-- is what every endpoint and key of that toolset says.
create table organization_rules (
  id              text primary key check (id <> ''),
  organization_id text not null references organizations (id) on delete cascade,
  scope           text not null check (scope in ('organization', 'toolset', 'connection', 'member', 'key')),
  toolset         text,
  connection_id   text,
  user_id         text,
  key_id          text,
  name            text not null check (name <> ''),
  words           jsonb not null check (jsonb_typeof(words) = 'object'), -- match, action, parameters, reason
  state           text not null default 'on' check (state in ('on', 'shadow', 'off')),
  origin          text not null,
  created_by      text not null,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  unique (organization_id, id),
  constraint organization_rules_of check (
    (scope = 'toolset') = (toolset is not null) and (scope = 'connection') = (connection_id is not null)
    and (scope = 'member') = (user_id is not null) and (scope = 'key') = (key_id is not null)),
  foreign key (organization_id, toolset) references toolsets (organization_id, slug) on update cascade on delete cascade,
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade,
  foreign key (organization_id, user_id) references members (organization_id, user_id) on delete cascade,
  foreign key (organization_id, key_id) references keys (organization_id, id) on delete cascade
);
-- One name for each place: whoever reads a record or writes an exception knows which rule is meant.
create unique index organization_rules_name on organization_rules
  (organization_id, scope, coalesce(toolset, connection_id, user_id, key_id, ''), name);
create index organization_rules_connection on organization_rules (organization_id, connection_id) where connection_id is not null;
create index organization_rules_user on organization_rules (organization_id, user_id) where user_id is not null;
create index organization_rules_key on organization_rules (organization_id, key_id) where key_id is not null;

alter table organization_rules enable row level security;
alter table organization_rules force row level security;
create policy system_all on organization_rules to current_user using (true) with check (true);
create policy organization_own on organization_rules to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));
grant select, insert, update, delete on organization_rules to toolway_organization;

create trigger tell_added after insert on organization_rules referencing new table as changed
  for each statement execute function tell_changed('organization_id');
create trigger tell_changed after update on organization_rules referencing new table as changed
  for each statement execute function tell_changed('organization_id');
create trigger tell_removed after delete on organization_rules referencing old table as changed
  for each statement execute function tell_changed('organization_id');
-- What a rule hides or locks is another list.
create constraint trigger count_change after insert or update or delete on organization_rules
  deferrable initially deferred for each row execute function count_change();
