-- A code with which a person chooses a password: one at a time, good once, kept by keyed hash.
-- locks: users
create table password_codes (
  user_id    text primary key references users (id) on delete cascade,
  hash       bytea not null unique check (length(hash) = 32),
  expires_at timestamptz not null
);

-- States that have come back from an identity provider. A sealed state says itself how long it is good; that it is good
-- only once has to be written down, where every replica sees it.
create table spent_states (
  hash       bytea primary key check (length(hash) = 32),
  expires_at timestamptz not null
);
create index spent_states_expiry on spent_states (expires_at);

-- Sign-in happens before an organization is known: no organization reaches these.
alter table password_codes enable row level security;
alter table password_codes force row level security;
create policy system_all on password_codes to current_user using (true) with check (true);
alter table spent_states enable row level security;
alter table spent_states force row level security;
create policy system_all on spent_states to current_user using (true) with check (true);
