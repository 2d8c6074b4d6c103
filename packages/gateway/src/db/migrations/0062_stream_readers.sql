-- Streams of calls that are resumed at another gateway than the one that holds them (ADR 0101). A row is one reader: the gateway that
-- its client came to asks, the gateway that holds the stream answers and passes events on through `stream_reader_events`. Nothing here
-- outlives a crash of the server: clients resume again.
-- locks: organizations, sessions
create unlogged table stream_readers (
  organization_id text not null references organizations (id) on delete cascade,
  reader          text not null check (reader <> ''), -- random: one resume of one client
  session         bytea not null,
  stream          text not null check (stream <> ''),
  after           bigint not null check (after >= 0), -- the last event that the client has
  state           text not null default 'asked' check (state in ('asked', 'lent', 'over', 'gone', 'ended')),
  asked_at        timestamptz not null default clock_timestamp(),
  read_until      timestamptz not null, -- lease of the gateway that reads
  held_until      timestamptz, -- lease of the gateway that holds the stream; null: none has answered
  primary key (organization_id, reader),
  foreign key (organization_id, session) references sessions (organization_id, hash) on delete cascade
);
create index stream_readers_session on stream_readers (organization_id, session);

create unlogged table stream_reader_events (
  organization_id text not null references organizations (id) on delete cascade,
  reader          text not null,
  at              bigint not null check (at > 0), -- its place in the stream
  sealed          bytea not null,
  primary key (organization_id, reader, at),
  foreign key (organization_id, reader) references stream_readers (organization_id, reader) on delete cascade
);

do $$
declare
  named text;
begin
  foreach named in array array['stream_readers', 'stream_reader_events'] loop
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

-- The gateway that holds the stream hears of a reader that comes or leaves, the one that reads of events and of the end. Leases are
-- nobody else's business.
create function tell_stream_reader() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  told public.stream_readers;
begin
  if tg_op = 'DELETE' then told := old; else told := new; end if;
  perform public.announce_change(json_build_object('organization', told.organization_id, 'table', tg_table_name, 'reader', told.reader,
    'session', encode(told.session, 'hex'), 'stream', told.stream,
    'state', case when tg_op = 'DELETE' then 'left' else told.state end)::text);
  return null;
end
$$;
create trigger tell_changed after insert or update of state or delete on stream_readers
  for each row execute function tell_stream_reader();
