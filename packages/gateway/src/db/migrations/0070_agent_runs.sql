-- Runs of agents that go on, of all gateways on this database, so that their number is bounded for all of them together. The gateway of
-- a run renews its row; a row that was not renewed for a minute counts no more. Nothing here outlives a crash of the server: gateways
-- write their rows again.
-- locks:
create unlogged table agent_runs (
  id           text primary key check (id <> ''), -- random
  organization text not null, -- its ID
  seen_at      timestamptz not null default now()
);
alter table agent_runs enable row level security;
alter table agent_runs force row level security;
create policy system_all on agent_runs to current_user using (true) with check (true);
