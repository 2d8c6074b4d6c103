/**
 * Places for runs of agents that all gateways on a database share: a run that goes on has a row, which its gateway renews. One place is
 * taken after the other, so that two gateways cannot take the last one both. Rows of a gateway that was killed end after a minute.
 */
import { randomUUID } from 'node:crypto'
import type { OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { Db, SystemSql } from '../../db/db.ts'
import type { Log } from '../../lib/log.ts'

export interface SharedLimits {
  /** Runs of one organization that go on at once. */
  readonly organization: number
  /** Runs of all gateways that go on at once. */
  readonly installation: number
}

export interface SharedPlaces {
  /** Undefined where there is no place now. Rejects where the database cannot be used. */
  take(organizationId: OrganizationId): Promise<Disposable | undefined>
}

export interface SharedPlacesParts {
  readonly db: Pick<Db, 'system'>
  readonly limits: SharedLimits
  readonly log: Pick<Log, 'warn'>
}

/** Milliseconds between two renewals, and seconds after which a row that was not renewed counts no more. */
const RENEW_MS = 15_000
const LOST_SECONDS = 60
/** Of `pg_advisory_xact_lock`: places are taken one after the other. */
const LOCK = 76_368_238

const Nothing = z.object({})
const Counted = z.object({ own: z.int(), all: z.int() })

export function createSharedPlaces({ db, limits, log }: SharedPlacesParts): SharedPlaces {
  const runs = new Map<string, OrganizationId>()
  let renewing: NodeJS.Timeout | undefined
  const warn = (thrown: unknown) => log.warn({ err: thrown }, 'the list of agent runs could not be updated; retrying')

  function renew(): void {
    const [ids, organizations] = [[...runs.keys()], [...runs.values()]]
    // A server that crashed has forgotten them.
    db.system(
      (sql) => sql(Nothing)`
        insert into agent_runs (id, organization) select * from unnest(${ids}::text[], ${organizations}::text[])
        on conflict (id) do update set seen_at = now()`,
    ).catch(warn)
  }

  function end(id: string): void {
    runs.delete(id)
    if (runs.size === 0) {
      clearInterval(renewing)
      renewing = undefined
    }
    db.system((sql) => sql(Nothing)`delete from agent_runs where id = ${id}`).catch(warn)
  }

  return {
    async take(organizationId) {
      const id = randomUUID()
      if (!(await db.system((sql) => store(sql, { id, organizationId, limits })))) return undefined
      runs.set(id, organizationId)
      renewing ??= setInterval(renew, RENEW_MS).unref()
      return { [Symbol.dispose]: () => end(id) }
    },
  }
}

interface NewRun {
  readonly id: string
  readonly organizationId: OrganizationId
  readonly limits: SharedLimits
}

async function store(sql: SystemSql, { id, organizationId, limits }: NewRun): Promise<boolean> {
  await sql(Nothing)`select from pg_advisory_xact_lock(${LOCK})`
  await sql(Nothing)`delete from agent_runs where seen_at < now() - make_interval(secs => ${LOST_SECONDS}::int)`
  const [counted] = await sql(Counted)`
    select (count(*) filter (where organization = ${organizationId}))::int as own, count(*)::int as all from agent_runs`
  if (counted === undefined || counted.own >= limits.organization || counted.all >= limits.installation) return false
  await sql(Nothing)`insert into agent_runs (id, organization) values (${id}, ${organizationId})`
  return true
}
