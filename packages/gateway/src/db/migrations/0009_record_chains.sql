-- Records that cannot be rewritten: each one carries a hash of itself and of all before it in its organization, which the
-- database computes when it takes it. Nobody inserts, changes or removes a record but the functions below.
--
-- A record's leaf is the hash of one hash over the fields that always stay and of one salted hash for each field that may
-- be redacted, so that a redaction can drop a value and keep its hash. The salt keeps a dropped value from being guessed.
--   leaf = sha256(sha256(json array of the fields that stay) || field hashes in their order)
--   field salt = nine bytes of sha512(salt), by the field's place
--   field hash = sha256(field salt || value), or 32 zero bytes where there is no value
--   hash = sha256(hash of the record before || leaf); before the first stands sha256('toolway records ' || organization)
-- locks: records

-- Where the chain of each organization has come to. The row is locked while records are added, so that numbers have no gap.
create table record_chains (
  organization_id text primary key check (organization_id <> ''),
  seq             bigint not null default 0,
  hash            bytea not null check (length(hash) = 32),
  -- What was pruned ends here; a signed checkpoint proves it.
  anchor_seq      bigint not null default 0,
  anchor_hash     bytea not null check (length(anchor_hash) = 32)
);

-- A number and a hash of a chain, signed (Ed25519), with the public key that the signature is checked by.
create table record_checkpoints (
  organization_id text not null check (organization_id <> ''),
  seq             bigint not null check (seq > 0),
  hash            bytea not null check (length(hash) = 32),
  at              timestamptz not null,
  key_id          text not null,
  public_key      bytea not null,
  signature       bytea not null check (length(signature) = 64),
  primary key (organization_id, seq)
);

alter table record_chains enable row level security;
alter table record_chains force row level security;
create policy system_all on record_chains to current_user using (true) with check (true);
create policy organization_own on record_chains for select to toolway_organization
  using (organization_id = current_setting('app.organization', true));
grant select on record_chains to toolway_organization;

alter table record_checkpoints enable row level security;
alter table record_checkpoints force row level security;
create policy system_all on record_checkpoints to current_user using (true) with check (true);
create policy organization_own on record_checkpoints for select to toolway_organization
  using (organization_id = current_setting('app.organization', true));
grant select on record_checkpoints to toolway_organization;

alter table records
  add column seq      bigint,
  add column hash     bytea,
  add column salt     bytea, -- null once something is redacted: it would tell the salt of what is gone
  add column redacted jsonb, -- per redactable field its hash where it is redacted, else its salt
  drop constraint records_outcome_check,
  add constraint records_outcome_check
      check (outcome in ('ok', 'tool_error', 'refused', 'failed', 'cancelled', 'unknown'));

-- A setting that only the functions below have while they run says that it is they who write.
create function guard_records() returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if not coalesce(current_setting('toolway.records', true), '') = any (string_to_array(tg_argv[0], ' ')) then
    raise exception '% are never % by hand', tg_table_name, tg_argv[1]
      using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$$;
drop trigger records_stay on records;
drop function refuse_change();

create function record_chain_start(p_organization text) returns bytea
  language sql immutable
  set search_path = pg_catalog
as $$ select sha256(convert_to('toolway records ' || p_organization, 'UTF8')) $$;

-- Without a search path of its own, which would double its cost.
create function record_chain_next(state bytea, leaf bytea, before bytea) returns bytea
  language plpgsql immutable
as $$ begin return pg_catalog.sha256(coalesce(state, before) || leaf); end $$;
create aggregate record_chain(bytea, bytea) (sfunc = record_chain_next, stype = bytea);

-- Adds records to one organization's chain, a column at a time, in the order of the arrays. A record whose id is there
-- already is left out: what comes a second time comes from a journal that did not hear that it was stored. Returns how many
-- were added. `pg_temp` comes last, so that no temporary table of a caller's stands in for ours. Whoever adds to several organizations in one transaction does so in the order of their ids.
create function append_records(
  p_organization text, p_id text[], p_at timestamptz[], p_kind text[], p_principal text[], p_key_id text[], p_toolset text[],
  p_connection text[], p_method text[], p_target text[], p_era_client text[], p_era_upstream text[], p_client text[],
  p_bytes_in int[], p_bytes_out int[], p_duration_us int[], p_outcome text[], p_code text[], p_decision text[],
  p_correlation_id text[], p_actor_type text[], p_resource_type text[], p_resource_id text[], p_ip_address text[],
  p_user_agent text[], p_detail jsonb[])
  returns int
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
  set plan_cache_mode = force_generic_plan -- planning anew costs more than adding one record,
  set enable_seqscan = off -- and a plan made while there were few records must be as good for many
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
declare
  before record_chains;
  absent constant bytea := decode(repeat('00', 32), 'hex');
  added int;
begin
  -- An organization adds to its own chain alone; `role` is still the caller's in here.
  if current_setting('role') = 'toolway_organization'
     and current_setting('app.organization', true) is distinct from p_organization then
    raise exception 'this chain belongs to another organization' using errcode = 'insufficient_privilege';
  end if;
  perform set_config('toolway.records', 'append_records', true);
  select * into before from record_chains where organization_id = p_organization for update;
  if not found then
    insert into record_chains (organization_id, hash, anchor_hash)
    values (p_organization, record_chain_start(p_organization), record_chain_start(p_organization))
    on conflict do nothing;
    select * into strict before from record_chains where organization_id = p_organization for update;
  end if;

  with given as materialized (
    select g.*, before.seq + row_number() over (order by g.place) as seq, uuid_send(gen_random_uuid()) as salt
      from unnest(p_id, p_at, p_kind, p_principal, p_key_id, p_toolset, p_connection, p_method, p_target, p_era_client,
                  p_era_upstream, p_client, p_bytes_in, p_bytes_out, p_duration_us, p_outcome, p_code, p_decision,
                  p_correlation_id, p_actor_type, p_resource_type, p_resource_id, p_ip_address, p_user_agent, p_detail)
           with ordinality
        as g (id, at, kind, principal, key_id, toolset, connection, method, target, era_client, era_upstream, client,
              bytes_in, bytes_out, duration_us, outcome, code, decision, correlation_id, actor_type, resource_type,
              resource_id, ip_address, user_agent, detail, place)
     where not exists (select from records r where r.id = g.id)
  ), salted as (
    select g.*, sha512(salt) as salts from given g
  ), leaves as (
    select s.*, sha256(
             sha256(convert_to(array_to_json(array[
               seq::text, id, p_organization, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), kind, key_id,
               toolset, connection, method, era_client, era_upstream, bytes_in::text, bytes_out::text, duration_us::text,
               outcome, code, decision, correlation_id, actor_type, resource_type])::text, 'UTF8'))
             || coalesce(sha256(substr(salts, 1, 9) || convert_to(principal, 'UTF8')), absent)
             || coalesce(sha256(substr(salts, 10, 9) || convert_to(client, 'UTF8')), absent)
             || coalesce(sha256(substr(salts, 19, 9) || convert_to(target, 'UTF8')), absent)
             || coalesce(sha256(substr(salts, 28, 9) || convert_to(resource_id, 'UTF8')), absent)
             || coalesce(sha256(substr(salts, 37, 9) || convert_to(ip_address, 'UTF8')), absent)
             || coalesce(sha256(substr(salts, 46, 9) || convert_to(user_agent, 'UTF8')), absent)
             || coalesce(sha256(substr(salts, 55, 9) || convert_to(detail::text, 'UTF8')), absent)) as leaf
      from salted s
  ), stored as (
    insert into records (id, organization_id, at, kind, principal, key_id, toolset, connection, method, target, era_client,
                         era_upstream, client, bytes_in, bytes_out, duration_us, outcome, code, decision, correlation_id,
                         actor_type, resource_type, resource_id, ip_address, user_agent, detail, seq, salt, hash)
    select id, p_organization, at, kind, principal, key_id, toolset, connection, method, target, era_client, era_upstream,
           client, bytes_in, bytes_out, duration_us, outcome, code, decision, correlation_id, actor_type, resource_type,
           resource_id, ip_address, user_agent, detail, seq, salt, record_chain(leaf, before.hash) over (order by seq)
      from leaves
    returning records.seq, records.hash
  ), moved as (
    update record_chains c set seq = last.seq, hash = last.hash
      from (select stored.seq, stored.hash from stored order by stored.seq desc limit 1) last
     where c.organization_id = p_organization
  )
  select count(*)::int into added from stored;
  perform set_config('toolway.records', '', true);
  return added;
end
$$;

-- Takes values out of a record and leaves their hashes, so that the chain stays whole; leaves a record that says who did so
-- and why. Returns how many values were taken out; where there is nothing to take, nothing happens.
create function redact_record(
  p_organization text, p_id text, p_fields text[], p_reason text, p_own_id text, p_at timestamptz, p_principal text,
  p_key_id text, p_actor_type text, p_correlation_id text, p_ip_address text, p_user_agent text)
  returns int
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  names constant text[] := array['principal', 'client', 'target', 'resource_id', 'ip_address', 'user_agent', 'detail'];
  found_record records;
  field_values text[];
  field_salt bytea;
  kept jsonb;
  taken text[] := '{}';
begin
  if coalesce(btrim(p_reason), '') = '' then
    raise exception 'a redaction needs a reason' using errcode = 'invalid_parameter_value';
  end if;
  if not p_fields <@ names then
    raise exception 'only these can be redacted: %', array_to_string(names, ', ') using errcode = 'invalid_parameter_value';
  end if;
  select * into found_record from records where organization_id = p_organization and id = p_id for update;
  if not found then return 0; end if;
  kept := coalesce(found_record.redacted, '{}');
  field_values := array[found_record.principal, found_record.client, found_record.target, found_record.resource_id,
                        found_record.ip_address, found_record.user_agent, found_record.detail::text];
  for place in 1 .. 7 loop
    continue when field_values[place] is null or kept -> names[place] ? 'hash';
    field_salt := coalesce(decode(kept -> names[place] ->> 'salt', 'hex'),
                           substr(sha512(found_record.salt), 9 * place - 8, 9));
    if names[place] = any (p_fields) then
      taken := taken || names[place];
      kept := kept || jsonb_build_object(names[place], jsonb_build_object(
        'hash', encode(sha256(field_salt || convert_to(field_values[place], 'UTF8')), 'hex')));
    else
      kept := kept || jsonb_build_object(names[place], jsonb_build_object('salt', encode(field_salt, 'hex')));
    end if;
  end loop;
  if taken = '{}' then return 0; end if;

  perform set_config('toolway.records', 'redact_record', true);
  update records
     set principal = case when 'principal' = any (taken) then '[redacted]' else principal end,
         client = case when 'client' = any (taken) then null else client end,
         target = case when 'target' = any (taken) then null else target end,
         resource_id = case when 'resource_id' = any (taken) then null else resource_id end,
         ip_address = case when 'ip_address' = any (taken) then null else ip_address end,
         user_agent = case when 'user_agent' = any (taken) then null else user_agent end,
         detail = case when 'detail' = any (taken) then null else detail end,
         salt = null,
         redacted = kept
   where organization_id = p_organization and id = p_id;
  perform append_records(
    p_organization, array[p_own_id], array[p_at], array['change'], array[p_principal], array[p_key_id], array[null::text],
    array[null::text], array['record.redact'], array[null::text], array[null::text], array[null::text], array[null::text],
    array[0], array[0], array[0], array['ok'], array[null::text], array['allow'], array[p_correlation_id],
    array[p_actor_type], array['record'], array[p_id], array[p_ip_address], array[p_user_agent],
    array[jsonb_build_object('seq', found_record.seq, 'fields', taken, 'reason', p_reason)]);
  return cardinality(taken);
end
$$;

-- Removes what is older than a moment, up to the last checkpoint before the first record that stays; the checkpoint is from
-- then on where the chain begins. Leaves a record. Returns how many records went.
create function prune_records(
  p_organization text, p_before timestamptz, p_own_id text, p_at timestamptz, p_principal text, p_key_id text,
  p_actor_type text, p_correlation_id text, p_ip_address text, p_user_agent text)
  returns bigint
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  chain record_chains;
  first_to_stay bigint;
  point record_checkpoints;
  removed bigint;
begin
  select * into chain from record_chains where organization_id = p_organization for update;
  if not found then return 0; end if;
  select min(seq) into first_to_stay from records where organization_id = p_organization and at >= p_before;
  select * into point from record_checkpoints
   where organization_id = p_organization and seq > chain.anchor_seq and (first_to_stay is null or seq < first_to_stay)
   order by seq desc limit 1;
  if not found then return 0; end if;
  if not exists (select from records where organization_id = p_organization and seq = point.seq and hash = point.hash) then
    raise exception 'the checkpoint at % does not fit the chain: nothing is pruned', point.seq
      using errcode = 'integrity_constraint_violation';
  end if;

  perform set_config('toolway.records', 'prune_records', true);
  delete from records where organization_id = p_organization and seq <= point.seq;
  get diagnostics removed = row_count;
  delete from record_checkpoints where organization_id = p_organization and seq < point.seq;
  update record_chains set anchor_seq = point.seq, anchor_hash = point.hash where organization_id = p_organization;
  perform append_records(
    p_organization, array[p_own_id], array[p_at], array['change'], array[p_principal], array[p_key_id], array[null::text],
    array[null::text], array['record.prune'], array[null::text], array[null::text], array[null::text], array[null::text],
    array[0], array[0], array[0], array['ok'], array[null::text], array['allow'], array[p_correlation_id],
    array[p_actor_type], array['record'], array[null::text], array[p_ip_address], array[p_user_agent],
    array[jsonb_build_object('removed', removed, 'up_to', point.seq, 'before', p_before)]);
  return removed;
end
$$;

-- What is there already comes into its chain in the order in which it happened, a few thousand at a time.
create temporary table earlier_records on commit drop as
  select r.*, row_number() over (partition by organization_id order by at, r.id) as place from records r;
delete from records;
do $$
declare
  part record;
begin
  for part in select organization_id, (place - 1) / 5000 as chunk from earlier_records group by 1, 2 order by 1, 2 loop
    perform append_records(
      part.organization_id, array_agg(id), array_agg(at), array_agg(kind), array_agg(principal), array_agg(key_id),
      array_agg(toolset), array_agg(connection), array_agg(method), array_agg(target), array_agg(era_client),
      array_agg(era_upstream), array_agg(client), array_agg(bytes_in), array_agg(bytes_out), array_agg(duration_us),
      array_agg(outcome), array_agg(code), array_agg(decision), array_agg(correlation_id), array_agg(actor_type),
      array_agg(resource_type), array_agg(resource_id), array_agg(ip_address), array_agg(user_agent), array_agg(detail))
      from (select * from earlier_records e
             where e.organization_id = part.organization_id and (place - 1) / 5000 = part.chunk order by place) ordered;
  end loop;
end
$$;
drop table earlier_records;

alter table records
  alter column seq set not null,
  alter column hash set not null,
  add constraint records_place unique (organization_id, seq),
  add constraint records_hash_size check (length(hash) = 32);

-- Each record pays for each index, so there are few: the newest of an organization come by `seq`, those of all by `id`, which
-- sorts by time; a span of time is found by the pages that it lies on, and an action by an index without the one that nearly
-- all records have.
drop index records_recent;
create index records_span on records using brin (at) with (pages_per_range = 16, autosummarize = on);
create index records_of_action on records (method, id desc) where method <> 'tools/call';

create trigger guard_added before insert on records
  for each statement execute function guard_records('append_records', 'added');
create trigger guard_changed before update on records
  for each statement execute function guard_records('redact_record', 'changed');
create trigger guard_removed before delete or truncate on records
  for each statement execute function guard_records('prune_records', 'removed');
create trigger guard_changed before insert or update on record_chains
  for each statement execute function guard_records('append_records prune_records', 'changed');
create trigger guard_removed before delete or truncate on record_chains
  for each statement execute function guard_records('nobody', 'removed');
create trigger guard_changed before update on record_checkpoints
  for each statement execute function guard_records('nobody', 'changed');
create trigger guard_removed before delete or truncate on record_checkpoints
  for each statement execute function guard_records('prune_records', 'removed');

revoke insert on records from toolway_organization;
revoke execute on function append_records, redact_record, prune_records from public;
grant execute on function append_records to toolway_organization;
