-- Rate limits that several gateways count together without Redis (ADR 0099). Nothing here outlives a crash of the server, nor a
-- failover: buckets that are gone are full ones. Names are keyed hashes, as they hold addresses and ids. No index but that of the key,
-- so that an update touches the heap page alone.
create unlogged table limit_buckets (
  hash   bytea primary key check (length(hash) = 32),
  tokens double precision not null,
  at     double precision not null, -- milliseconds of the database's clock
  until  timestamptz not null -- full again by then, so that the row can go
) with (fillfactor = 50);
alter table limit_buckets enable row level security;
alter table limit_buckets force row level security;
create policy system_all on limit_buckets to current_user using (true) with check (true);

-- Takes from several buckets in one statement, in the order of their hashes, so that two gateways never wait for each other. The clock
-- is read when the bucket is locked.
create function take_tokens(p_hashes bytea[], p_most double precision[], p_want double precision[], p_need double precision[],
                            p_back double precision[], p_window double precision[])
  returns table (place integer, taken double precision, wait double precision)
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  asked record;
  held double precision;
  since double precision;
  clock double precision;
begin
  for asked in
    select u.* from unnest(p_hashes, p_most, p_want, p_need, p_back, p_window)
                    with ordinality as u (hash, most, want, need, back, span, number)
     order by u.hash, u.number
  loop
    loop
      select b.tokens, b.at into held, since from limit_buckets b where b.hash = asked.hash for update;
      exit when found;
      insert into limit_buckets (hash, tokens, at, until)
      values (asked.hash, asked.most, extract(epoch from clock_timestamp()) * 1000, clock_timestamp())
          on conflict do nothing;
    end loop;
    clock := extract(epoch from clock_timestamp()) * 1000;
    held := least(asked.most, held + asked.back + greatest(0, clock - since) * asked.most / asked.span);
    taken := case when held >= asked.want then asked.want
                  when held + 0.000001 >= asked.need then greatest(asked.need, floor(held))
                  else 0 end;
    held := held - taken;
    update limit_buckets b
       set tokens = held, at = clock, until = clock_timestamp() + 2 * asked.span * interval '1 millisecond'
     where b.hash = asked.hash;
    place := asked.number;
    wait := case when taken > 0 then 0 else ceil((asked.need - held) * asked.span / asked.most) + 1 end;
    return next;
  end loop;
end
$$;
revoke execute on function take_tokens(bytea[], double precision[], double precision[], double precision[], double precision[],
                                       double precision[]) from public;
