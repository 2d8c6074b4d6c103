/**
 * Fills a database with many records, as years of calls leave them, for measuring searches: nine in ten belong to one organization,
 * they spread over months, and some things are rare. Their hashes are made up: no chain verifies.
 */
import pg from 'pg'

export const BIG = 'org_big'

export async function fillRecords(connection: pg.ClientConfig, count: number): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES)
    await client.query(
      `set work_mem = '256MB'; set maintenance_work_mem = '512MB'; alter table records disable trigger user; alter table record_chains disable trigger user`,
    )
    for (const { name } of indexes) await client.query(`drop index ${pg.escapeIdentifier(name)}`)
    await client.query(
      `select make_record_partition(m::date) from generate_series(now() - interval '5 months', now() + interval '5 months', interval '1 month') m`,
    )
    const big = Math.floor(count * 0.9)
    await client.query(FILL.replaceAll('$count', String(count)).replaceAll('$big', String(big)))
    await client.query(
      `insert into record_chains (organization_id, seq, hash, anchor_hash)
       select organization_id, max(seq), sha256(''), sha256('') from records group by organization_id`,
    )
    // Of a partitioned index PostgreSQL tells the definition of the parent alone.
    for (const { definition } of indexes) await client.query(definition.replace(' ON ONLY ', ' ON '))
    await client.query('alter table records enable trigger user; alter table record_chains enable trigger user')
    await client.query('vacuum (analyze) records')
  } finally {
    await client.end()
  }
}

const INDEXES = `
  select c.relname as name, pg_get_indexdef(c.oid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'public.records'::regclass`

/** One in 20 failed, one in 1,000 by a rare actor, one in 2,000 with a rare tool; the times go from five months before on. */
const FILL = `
  insert into records (id, organization_id, at, kind, principal, connection, method, target, bytes_in, bytes_out, duration_us,
                       outcome, decision, correlation_id, actor_type, seq, hash, salt)
  select 'rec_' || lpad(g::text, 26, '0'),
         case when g <= $big then '${BIG}' else 'org_' || g % 9 end,
         now() - interval '5 months' + g * (interval '5 months' / $count),
         case when g % 500 = 0 then 'change' else 'call' end,
         case when g % 1000 = 7 then 'key_rare' else 'key_' || g % 50 end,
         case when g % 1000 = 9 then 'rare' else 'connection_' || g % 30 end,
         case when g % 500 = 0 then 'connection.change' else 'tools/call' end,
         case when g % 2000 = 3 then 'rare__tool' else 'tool_' || g % 300 end,
         200, 4000, 35000, case when g % 20 = 0 then 'failed' else 'ok' end, 'allow', 'request_' || g, 'api_key',
         case when g <= $big then g else (g - $big - 1) / 9 + 1 end, sha256(int8send(g)), int8send(g)
    from generate_series(1::bigint, $count::bigint) g`
