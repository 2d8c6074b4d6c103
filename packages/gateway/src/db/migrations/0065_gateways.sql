-- The processes of gateways that run on this database, for administrators of the platform. Each renews its row every 15 seconds and
-- removes it when it stops. Nothing here outlives a crash of the server: gateways write their rows again.
create unlogged table gateways (
  id         text primary key check (id <> ''), -- random: one run of one process
  host       text not null,
  process    integer not null, -- process ID on that host
  version    text not null,
  roles      text[] not null,
  started_at timestamptz not null,
  seen_at    timestamptz not null default now()
);
alter table gateways enable row level security;
alter table gateways force row level security;
create policy system_all on gateways to current_user using (true) with check (true);
