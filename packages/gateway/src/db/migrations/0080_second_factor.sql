-- Second factors of people, and how and when each sign-in was proven (ADR 0143).
-- locks: sign_ins, users

create table passkeys (
  id            text primary key check (id <> ''),
  user_id       text not null references users (id) on delete cascade,
  credential_id bytea not null unique check (length(credential_id) between 1 and 1023),
  -- COSE (RFC 9052), as the authenticator made it.
  public_key    bytea not null,
  sign_count    bigint not null,
  transports    text[] not null default '{}',
  name          text not null,
  -- It is in more than one device of the person.
  synced        boolean not null,
  created_at    timestamptz not null default now(),
  used_at       timestamptz
);
create index passkeys_user on passkeys (user_id);

create table authenticator_apps (
  id            text primary key check (id <> ''),
  user_id       text not null references users (id) on delete cascade,
  sealed_secret bytea not null,
  -- The time step of the newest code that was used: each step counts once (RFC 6238, section 5.2).
  last_step     bigint not null,
  name          text not null,
  created_at    timestamptz not null default now(),
  used_at       timestamptz
);
create index authenticator_apps_user on authenticator_apps (user_id);

create table recovery_codes (
  hash       bytea primary key check (length(hash) = 32),
  user_id    text not null references users (id) on delete cascade,
  created_at timestamptz not null default now(),
  used_at    timestamptz
);
create index recovery_codes_user on recovery_codes (user_id);

-- Signing in happens before an organization is known: no organization reaches these.
do $$
declare
  named text;
begin
  foreach named in array array['passkeys', 'authenticator_apps', 'recovery_codes'] loop
    execute format('alter table %I enable row level security', named);
    execute format('alter table %I force row level security', named);
    execute format('create policy system_all on %I to current_user using (true) with check (true)', named);
  end loop;
end
$$;

-- Every gateway has this in memory, because it is asked for at each use of a token.
alter table users add column second_factor boolean not null default false;
create function keep_second_factor() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  who text := coalesce(new.user_id, old.user_id);
begin
  update users u set second_factor = has.any
    from (select exists (select from passkeys where user_id = who)
              or exists (select from authenticator_apps where user_id = who) as any) has
   where u.id = who and u.second_factor is distinct from has.any;
  return null;
end
$$;
create trigger keep_second_factor after insert or delete on passkeys
  for each row execute function keep_second_factor();
create trigger keep_second_factor after insert or delete on authenticator_apps
  for each row execute function keep_second_factor();
create trigger tell_second_factor after update of second_factor on users
  for each statement execute function tell_people_changed();
revoke execute on function keep_second_factor() from public;

alter table sign_ins
  add column proven_at  timestamptz not null default now(),
  -- RFC 8176: pwd, otp, hwk; fed for an identity provider, mfa where that one has asked for more than one factor.
  add column methods    text[] not null default '{}',
  add column used_at    timestamptz not null default now(),
  -- The longest time in seconds between two uses so far.
  add column idle       integer not null default 0,
  add column address    text;
-- Those that were there are as old as they are.
update sign_ins set proven_at = created_at;
