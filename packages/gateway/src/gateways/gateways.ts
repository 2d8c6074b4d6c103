/** The processes of gateways that run on this database, as the database stores them: one row for each run of a process. */
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'

export interface RunningGateway {
  /** Random, of this run of the process. */
  readonly id: string
  readonly host: string
  /** Process ID on that host. */
  readonly process: number
  readonly version: string
  readonly roles: readonly string[]
  readonly startedAt: Date
}

/** Seconds between two heartbeats. */
export const HEARTBEAT_SECONDS = 15
/** Seconds without a heartbeat after which a gateway counts as not responding. */
const SILENT_SECONDS = 3 * HEARTBEAT_SECONDS

const Nothing = z.object({})

/** A gateway that was killed stays in the list for a day. */
export async function storeGateway(sql: SystemSql, { id, host, process, version, roles, startedAt }: RunningGateway) {
  await sql(Nothing)`delete from gateways where seen_at < now() - interval '1 day'`
  await sql(Nothing)`
    insert into gateways (id, host, process, version, roles, started_at)
    values (${id}, ${host}, ${process}, ${version}, ${[...roles]}, ${startedAt})
    on conflict (id) do update set seen_at = now()`
}

export async function removeGateway(sql: SystemSql, id: string): Promise<void> {
  await sql(Nothing)`delete from gateways where id = ${id}`
}

const Row = z.object({
  id: z.string(),
  host: z.string(),
  process: z.int(),
  version: z.string(),
  roles: z.array(z.string()),
  started_at: z.date(),
  seen_at: z.date(),
  responding: z.boolean(),
})

export type GatewayRow = z.output<typeof Row>

/** Those that respond first, by host. */
export const listGateways = (sql: SystemSql) => sql(Row)`
  select id, host, process, version, roles, started_at, seen_at,
         seen_at > now() - make_interval(secs => ${SILENT_SECONDS}::int) as responding
    from gateways
   order by responding desc, host, process, started_at`
