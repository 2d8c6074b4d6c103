/**
 * When each connection is to be asked for its lists, and which gateway asks it now. A lease is short and renewed while its look is
 * under way, so that a gateway that was killed holds nothing up for long.
 */
import type { ConnectionId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'

export interface Claim {
  readonly connectionId: ConnectionId
  /** The version of the connection that the fetch is for. The result for another version is discarded. */
  readonly version: string
  /** Milliseconds since something was heard that only a look that began later can know of; undefined: only when it is due. */
  readonly heardAgo: number | undefined
}

export interface Claimed {
  readonly granted: boolean
  /** Another gateway asks it now. */
  readonly leased: boolean
  /** Milliseconds until it is due. */
  readonly wait: number
  /** Looks in a row that failed, before this one. */
  readonly failures: number
}

export interface Settled {
  readonly connectionId: ConnectionId
  readonly lease: string
  /** Milliseconds until the next look. */
  readonly wait: number
  readonly failures: number
}

/** Seconds; renewed a few times in it. */
const LEASE_SECONDS = 20
export const RENEW_LEASES = 6_000

const Id = z.object({ id: z.string() })
const Stand = z.object({ id: z.string(), leased: z.boolean(), wait: z.number(), failures: z.int() })

/** One transaction. A connection that is gone is not granted, and not due for a long time. */
export async function claimLooks(sql: SystemSql, claims: readonly Claim[], lease: string): Promise<readonly Claimed[]> {
  const ids = claims.map(({ connectionId }) => connectionId)
  await sql(Id)`
    insert into catalog_looks (connection_id, organization_id)
    select c.id, c.organization_id from connections c
     where c.id = any(${ids}::text[]) and not exists (select from catalog_looks l where l.connection_id = c.id)
     order by c.id
    on conflict (connection_id) do nothing
    returning connection_id as id`
  // One that another gateway claims in this moment is skipped: it asks.
  const granted = await sql(Id)`
    with free as (
      select l.connection_id, w.version
        from catalog_looks l
        join unnest(${ids}::text[], ${claims.map(({ version }) => version)}::text[],
                    ${claims.map(({ heardAgo }) => heardAgo ?? null)}::float8[]) as w (id, version, heard)
          on w.id = l.connection_id
       where l.version is distinct from w.version
          or ((l.leased_until is null or l.leased_until < now() or l.lease = ${lease})
              and (l.due_at is null or l.due_at <= now() or l.began_at < now() - make_interval(secs => w.heard / 1000)))
       order by l.connection_id
         for update of l skip locked)
    update catalog_looks l
       set version = free.version, began_at = now(), lease = ${lease},
           leased_until = now() + make_interval(secs => ${LEASE_SECONDS}::float8)
      from free
     where l.connection_id = free.connection_id
    returning l.connection_id as id`
  const stands = await sql(Stand)`
    select connection_id as id, coalesce(leased_until > now(), false) as leased, failures,
           coalesce(greatest(extract(epoch from due_at - now()) * 1000, 0), 0)::float8 as wait
      from catalog_looks where connection_id = any(${ids}::text[])`
  const taken = new Set(granted.map(({ id }) => id))
  const byId = new Map(stands.map((stand) => [stand.id, stand]))
  return ids.map((id) => {
    const { leased, wait, failures } = byId.get(id) ?? GONE
    return { granted: taken.has(id), leased, wait, failures }
  })
}

const GONE = { leased: false, wait: 15 * 60_000, failures: 0 }

/** Stores the outcomes of catalog fetches. A claim that another gateway took over meanwhile is left to it. */
export const settleLooks = (sql: SystemSql, settled: readonly Settled[]) => sql(Id)`
  update catalog_looks l
     set lease = null, leased_until = null, failures = s.failures, due_at = now() + make_interval(secs => s.wait / 1000)
    from unnest(${settled.map(({ connectionId }) => connectionId)}::text[], ${settled.map(({ lease }) => lease)}::text[],
                ${settled.map(({ wait }) => wait)}::float8[], ${settled.map(({ failures }) => failures)}::int[])
      as s (id, lease, wait, failures)
   where l.connection_id = s.id and l.lease = s.lease
  returning l.connection_id as id`

/** All that a gateway has under way. */
export const renewLooks = (sql: SystemSql, lease: string) => sql(Id)`
  update catalog_looks set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}::float8)
   where lease = ${lease} and leased_until is not null returning connection_id as id`

/** A gateway that goes leaves what it has not ended to the others. */
export const releaseLooks = (sql: SystemSql, lease: string) => sql(Id)`
  update catalog_looks set lease = null, leased_until = null where lease = ${lease} returning connection_id as id`

/** Whether a server is there is asked by one gateway within so many milliseconds; which of these are this one's to ask. */
export async function claimChecks(
  sql: SystemSql,
  connectionIds: readonly ConnectionId[],
  within: number,
): Promise<ReadonlySet<string>> {
  const rows = await sql(Id)`
    insert into catalog_looks as l (connection_id, organization_id, checked_at)
    select c.id, c.organization_id, now() from connections c where c.id = any(${connectionIds}::text[]) order by c.id
    on conflict (connection_id) do update set checked_at = now()
     where l.checked_at is null or l.checked_at < now() - make_interval(secs => ${within / 1000}::float8)
    returning connection_id as id`
  return new Set(rows.map(({ id }) => id))
}
