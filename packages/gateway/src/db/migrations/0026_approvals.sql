-- Calls that rules want somebody's approval for: the questions, and who answered them how. A grant is good for one digest, which
-- stands for the tool's definition, the arguments, the account, the caller and the connection; nothing else is ever let through by it.
-- locks: connections, organizations, webhooks

create table approvals (
  id               text primary key check (id <> ''),
  organization_id  text not null references organizations (id) on delete cascade,
  connection_id    text not null,
  tool             text not null check (tool <> '' and length(tool) <= 500), -- its server's own name of it
  effect           text not null check (effect in ('read', 'write', 'destructive')),
  digest           text not null check (digest ~ '^[0-9a-f]{64}$'),
  principal        text not null, -- who calls
  caller           text not null, -- the same for people: an address, or the name of a key
  user_id          text, -- the person behind the call; null: a machine
  client           text, -- what it calls with, as far as it is known
  account          text, -- the account that it acts with, where there is a choice
  rules            jsonb not null, -- those that ask, as they stood when they asked last
  sealed_arguments bytea not null, -- as they would be sent, and as they came
  sealed_answer    bytea, -- of the call that used the grant, where its caller fetches it as a task
  state            text not null default 'pending' check (state in ('pending', 'granted', 'denied', 'expired', 'used')),
  created_at       timestamptz not null default now(),
  expires_at       timestamptz not null, -- an unanswered question is a refusal from then on
  decided_at       timestamptz,
  decided_by       text,
  good_until       timestamptz, -- a grant is over then, used or not
  repeats          boolean not null default false, -- a grant is good for any number of such calls until then
  used_at          timestamptz,
  uses             integer not null default 0,
  used_in          text, -- correlation id of the call that used it last
  told_at          timestamptz, -- when its caller was told that nobody answered
  rounds           integer not null default 0 check (rounds >= 0), -- questions in which the call that used it stands
  unique (organization_id, id),
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade
);
-- Who asks again while a question is open is told the same one.
create unique index approvals_open on approvals (organization_id, digest) where state in ('pending', 'granted');
create index approvals_of_digest on approvals (organization_id, digest, created_at);
create index approvals_listed on approvals (organization_id, created_at);
create index approvals_due on approvals (expires_at) where state in ('pending', 'granted');

create table approval_answers (
  organization_id text not null references organizations (id) on delete cascade,
  approval_id     text not null,
  answered_by     text not null, -- `usr_…`, `whk_…`, `operator`, `command line`
  verdict         text not null check (verdict in ('grant', 'deny')),
  way             text not null check (way in ('page', 'api', 'command line', 'webhook', 'client')),
  note            text check (length(note) <= 500),
  answered_at     timestamptz not null default now(),
  primary key (organization_id, approval_id, answered_by), -- a quorum is of different people
  foreign key (organization_id, approval_id) references approvals (organization_id, id) on delete cascade
);

-- Messages of webhooks that were taken: each is good once (Standard Webhooks, "Verifying webhook authenticity").
create table approval_messages (
  organization_id text not null references organizations (id) on delete cascade,
  webhook_id      text not null,
  message_id      text not null check (length(message_id) between 1 and 200),
  taken_at        timestamptz not null default now(),
  primary key (organization_id, webhook_id, message_id),
  foreign key (organization_id, webhook_id) references webhooks (organization_id, id) on delete cascade
);
create index approval_messages_age on approval_messages (taken_at);

do $$
declare
  named text;
begin
  foreach named in array array['approvals', 'approval_answers', 'approval_messages'] loop
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

-- Whoever waits for an answer hears of it in every gateway, and so does whoever looks at the list.
create function tell_of_approvals() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_notify('toolway_changed', json_build_object('organization', organization_id, 'approval', id)::text)
     from changed;
  return null;
end
$$;
create trigger tell_added after insert on approvals referencing new table as changed
  for each statement execute function tell_of_approvals();
create trigger tell_changed after update on approvals referencing new table as changed
  for each statement execute function tell_of_approvals();
