/**
 * How does SQL reach the database, and as whom? Through the `sql` of one transaction, which is either one
 * organization's (row-level security shows its rows and no others) or the system's (all rows); the two are different
 * types. It never builds SQL, never retries, and never lets a statement outlive its transaction: a connection
 * goes back to the pool and then belongs to somebody else.
 *
 * No upstream call may happen inside `work`: read, leave, call, come back.
 */
import pg from 'pg'
import { createListener } from './listener.ts'
import type { Listener, Notice } from './listener.ts'
import type { Log } from '../lib/log.ts'
import { createTransact } from './transaction.ts'
import type { Sql } from './transaction.ts'
import { DatabaseUnreachable } from './unreachable.ts'

export type { Listener, Notice } from './listener.ts'
export type { Sql } from './transaction.ts'
export { DatabaseUnreachable } from './unreachable.ts'

declare const scope: unique symbol
/** Inside one organization's transaction: row-level security shows its rows and no others. */
export interface OrgSql extends Sql {
  readonly [scope]: 'organization'
}
/** Sees every organization. Held by migrations, sign-in and the background jobs. */
export interface SystemSql extends Sql {
  readonly [scope]: 'system'
}

export interface Db {
  /** One transaction in which only this organization's rows exist. Throws DatabaseUnreachable, or what `work` threw. */
  organization<T>(id: string, work: (sql: OrgSql) => Promise<T>): Promise<T>
  /** One transaction that sees every organization. Throws DatabaseUnreachable, or what `work` threw. */
  system<T>(work: (sql: SystemSql) => Promise<T>): Promise<T>
  /**
   * Hear a NOTIFY channel on a connection of its own, for as long as it takes; resolves once it listens. `alive` is a name that
   * others see as alive meanwhile.
   */
  listen(channel: string, onNotice: (notice: Notice) => void, alive?: string): Promise<Listener>
  /** Resolves when the database answers within two seconds, else throws DatabaseUnreachable. */
  ping(): Promise<void>
  /** Stop listening, wait for open transactions, end every connection. May be called twice. */
  close(): Promise<void>
}

export interface DbParts {
  connection: pg.PoolConfig
  /** Parse every row by its shape, strictly. For tests. */
  parseRows?: boolean
  log?: Log
}

/** A statement may take half a minute and a transaction may idle for one; the client waits a little longer than the server. */
const limits = {
  max: 10,
  connectionTimeoutMillis: 10_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
  query_timeout: 35_000,
  keepAlive: true,
} as const satisfies pg.PoolConfig

const pingMillis = 2_000

export function createDb({ connection, parseRows = false, log }: DbParts): Db {
  const pool = new pg.Pool({ ...limits, ...connection })
  const listeners = new Set<Listener>()
  // A connection that breaks emits an error besides rejecting its query, and an error event that nobody
  // hears ends the process. The pool hears its idle connections only, so each one gets an ear for life.
  const lost = (error: Error) => log?.warn({ error: error.message }, 'a database connection was lost')
  pool.on('connect', (client) => client.on('error', lost))
  pool.on('error', () => {})

  const transact = createTransact({ pool, parseRows })
  let closing: Promise<void> | undefined
  return {
    organization: async (id, work) => transact(beginFor(id), (sql) => work(sql as OrgSql), true),
    system: (work) => transact('begin', (sql) => work(sql as SystemSql)),
    async listen(channel, onNotice, alive) {
      const more = { ...(alive !== undefined && { alive }), ...(log && { log }) }
      const listener = await createListener({ connection, channel, onNotice, ...more })
      listeners.add(listener)
      return {
        close() {
          listeners.delete(listener)
          return listener.close()
        },
      }
    },
    ping: () => ping(pool),
    close: () => (closing ??= Promise.all([...[...listeners].map((one) => one.close()), pool.end()]).then(() => {})),
  }
}

/** Three statements in one message: one round trip. The id is checked, not escaped: nothing that needs escaping is an id. */
function beginFor(id: string): string {
  if (!/^[\w-]{1,64}$/.test(id)) throw new TypeError('an organization id is 1 to 64 letters, digits, _ or -')
  return `begin; set local role toolway_organization; select set_config('app.organization', '${id}', true)`
}

/** Whoever comes late finds nobody waiting: a connection goes back by itself, and is dropped where it does not answer. */
async function ping(pool: pg.Pool): Promise<void> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${pingMillis} ms`)), pingMillis)
  const lateness = new Promise<never>((_, reject) => {
    late.signal.addEventListener('abort', () => reject(late.signal.reason))
  })
  const asking = pool.connect().then((client) => askOnce(client, late.signal))
  try {
    await Promise.race([asking, lateness])
  } catch (thrown) {
    throw new DatabaseUnreachable('nothing', thrown)
  } finally {
    clearTimeout(timer)
  }
}

async function askOnce(client: pg.PoolClient, late: AbortSignal): Promise<void> {
  if (late.aborted) return client.release()
  let returned = false
  const giveBack = (broken: boolean) => {
    if (!returned) client.release(broken)
    returned = true
  }
  late.addEventListener('abort', () => giveBack(true), { once: true })
  try {
    await client.query('select 1')
    giveBack(false)
  } finally {
    giveBack(true) // does nothing after an answer
  }
}
