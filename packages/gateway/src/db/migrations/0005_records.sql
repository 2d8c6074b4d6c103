-- What happened: calls, changes and sign-ins. Names and ids are kept as text and not as references, the organization's
-- too: a record outlives what it speaks of, nothing cascades into it, and looking up a reference for each row costs more
-- than the row.
create table records (
  id              text primary key check (id <> ''),
  organization_id text not null check (organization_id <> ''),
  at              timestamptz not null,
  kind            text not null check (kind in ('call', 'change', 'sign_in')),
  principal       text not null,
  key_id          text,
  toolset         text,
  connection      text,
  method          text not null,
  target          text,
  era_client      text,
  era_upstream    text,
  client          text,
  bytes_in        int not null,
  bytes_out       int not null,
  duration_us     int not null,
  outcome         text not null check (outcome in ('ok', 'tool_error', 'refused', 'failed', 'cancelled')),
  code            text,
  decision        text not null,
  correlation_id  text not null,
  detail          jsonb
);

create index records_recent on records (organization_id, at desc);

alter table records enable row level security;
alter table records force row level security;
create policy system_all on records to current_user using (true) with check (true);
create policy organization_own on records to toolway_organization
  using (organization_id = current_setting('app.organization', true))
  with check (organization_id = current_setting('app.organization', true));

-- An organization can neither change nor delete its records. The owner may delete (retention) but not change them.
grant select, insert on records to toolway_organization;

create function refuse_change() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  raise exception 'records are never changed' using errcode = 'insufficient_privilege';
end
$$;

create trigger records_stay before update on records for each statement execute function refuse_change();
