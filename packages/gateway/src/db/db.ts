/**
 * Access to the database through the `sql` of one transaction, which is either one organization's (row-level security shows its
 * rows and no others) or the system's (all rows); the two are different types. It never builds SQL, never retries, and never lets
 * a statement outlive its transaction: a connection goes back to the pool and may then be used by another transaction.
 *
 * No upstream call may happen inside `work`: read, leave, call, come back.
 */
import pg from 'pg'
import { createListener } from './listener.ts'
import type { Listener, Notice } from './listener.ts'
import type { Log } from '../lib/log.ts'
import { createPresence, type Presence } from './presence.ts'
import { START_LOCK, takeTurn, type Turn } from './exclusive-turn.ts'
import { createTokenBuckets, type TokenBuckets, type TokenBucketsParts } from './token-buckets.ts'
import { createTransact, type Sql, type Transact } from './transaction.ts'
import { DatabaseUnreachable } from './unreachable.ts'

export type { Listener, Notice } from './listener.ts'
export type { Sql } from './transaction.ts'

/** Where a database is, and as whom it is reached. */
export type DatabaseConnection = pg.ClientConfig

declare const scope: unique symbol
/** Inside one organization's transaction: row-level security shows its rows and no others. */
export interface OrgSql extends Sql {
  readonly [scope]: 'organization'
}
declare const snapshot: unique symbol
/** All its statements see the organization as it was when the transaction began, whatever is committed meanwhile. */
export interface OrgSnapshotSql extends OrgSql {
  readonly [snapshot]: true
}
/** Sees every organization. Held by migrations, sign-in and the background jobs. */
export interface SystemSql extends Sql {
  readonly [scope]: 'system'
}

export interface Db {
  /**
   * One transaction in which only this organization's rows exist. Throws DatabaseUnreachable, or what `work` threw. `within`: how
   * many milliseconds it may wait for a connection, and then for each statement, where a caller waits for it.
   */
  organization<T>(id: string, work: (sql: OrgSql) => Promise<T>, within?: number): Promise<T>
  /** As `organization`, for several reads whose rows belong together: none sees what is committed after the first one. */
  snapshot<T>(id: string, work: (sql: OrgSnapshotSql) => Promise<T>): Promise<T>
  /**
   * One transaction with the rights of the gateway itself: it reads and writes the rows of every organization, and those that belong
   * to none. Nothing in it keeps organizations apart, so each statement names the one it is about. Throws DatabaseUnreachable, or
   * what `work` threw.
   */
  system<T>(work: (sql: SystemSql) => Promise<T>, within?: number): Promise<T>
  /**
   * Hear a NOTIFY channel on a connection of its own, for as long as it takes; resolves once it listens. `alive` is a name that
   * others see as alive meanwhile.
   */
  listen(channel: string, onNotice: (notice: Notice) => void, alive?: string): Promise<Listener>
  /** Token buckets on a connection of their own, which whoever opens them closes. */
  openTokenBuckets(onLost: TokenBucketsParts['onLost']): TokenBuckets
  /** Gateways that start on this database do so one after the other, while they hold it. Throws DatabaseUnreachable. */
  startTurn(): Promise<Turn>
  readonly presence: Pick<Presence, 'awayFor' | 'known' | 'look' | 'onBack' | 'watch' | 'serve'>
  /** Stop listening, wait for open transactions, end every connection. May be called twice. */
  close(): Promise<void>
}

export interface DbParts {
  connection: pg.PoolConfig
  /**
   * Reaches the server itself, where `connection` leads through a pooler in transaction mode: for the connections that stay (the
   * listener with its lock, the looks at the presence). Nothing is then kept in a session of the pool: no named statements, no
   * settings at its start.
   */
  direct?: pg.ClientConfig | undefined
  /** Connections of the pool; the listener and the looks at its presence have one more each. */
  connections?: number
  /** Parse every row by its shape, strictly. For tests. */
  parseRows?: boolean
  /** Milliseconds without an answer after which the database counts as silent: two seconds where nothing is said. */
  patience?: number
  log?: Log
}

/** A statement may take half a minute and a transaction may idle for one; the client waits a little longer than the server. */
const limits = {
  max: 10,
  connectionTimeoutMillis: 10_000,
  query_timeout: 35_000,
  keepAlive: true,
} as const satisfies pg.PoolConfig

/** The bounds that the server holds a session to; through a pooler it is said in each transaction, because sessions are not ours there. */
const sessionLimits = { statement_timeout: 30_000, idle_in_transaction_session_timeout: 60_000 } as const

const LOCAL_LIMITS = Object.entries(sessionLimits)
  .map(([name, milliseconds]) => `; set local ${name} = ${milliseconds}`)
  .join('')

/**
 * Before the first query of a transaction for figures: groups of a month are hashed in memory and not sorted on disk. PostgreSQL allows
 * each step of a query 4 MB, or what the operator has set; these have 16 MB at least.
 */
const REPEATABLE = `set transaction isolation level repeatable read, read only;
  select set_config('work_mem', greatest(pg_size_bytes(current_setting('work_mem')), 16777216) / 1024 || 'kB', true)`

export function createDb(parts: DbParts): Db {
  const { connection, direct, connections = limits.max, parseRows = false, patience, log } = parts
  const pooled = direct !== undefined
  const pool = new pg.Pool({ ...limits, ...(!pooled && sessionLimits), max: connections, ...connection })
  const staying = direct ?? connection
  const begin = pooled ? `begin${LOCAL_LIMITS}` : 'begin'
  const listeners = new Set<Listener>()
  // A connection that breaks emits an error besides rejecting its query, and an error event that nobody
  // hears ends the process. The pool hears its idle connections only, so each one gets an ear for life.
  const lost = (error: Error) => log?.warn({ error: error.message }, 'a database connection was lost')
  pool.on('connect', (client) => client.on('error', lost))
  pool.on('error', () => {})

  const transactUnheard = createTransact({ pool, parseRows, named: !pooled })
  const tryPool = (within: number) => transactUnheard(begin, () => Promise.resolve(), { within })
  const presence = createPresence({ connection: staying, apart: pooled, tryPool, patience, log })
  const transact = heardBy(presence, transactUnheard)
  let closing: Promise<void> | undefined
  return {
    organization: async (id, work, within) =>
      transact(`${begin}; ${speakFor(id)}`, (sql) => work(sql as OrgSql), { bound: true, within }),
    snapshot: async (id, work) =>
      transact(`${begin}; ${REPEATABLE}; ${speakFor(id)}`, (sql) => work(sql as OrgSnapshotSql), { bound: true }),
    system: (work, within) => transact(begin, (sql) => work(sql as SystemSql), { within }),
    async listen(channel, onNotice, alive) {
      const handleNotice = (notice: Notice) => {
        presence.spoke()
        onNotice(notice)
      }
      const more = { ...(alive !== undefined && { alive }), ...(log && { log }) }
      const listener = await createListener({ connection: staying, channel, onNotice: handleNotice, ...more })
      listeners.add(listener)
      return {
        heard: listener.heard,
        close() {
          listeners.delete(listener)
          return listener.close()
        },
      }
    },
    openTokenBuckets: (onLost) => createTokenBuckets({ connection, ours: !pooled, onLost }),
    startTurn: () => takeTurn(staying, START_LOCK),
    presence,
    close: () =>
      (closing ??= Promise.all([
        ...[...listeners].map((listener) => listener.close()),
        presence.close(),
        pool.end(),
      ]).then(() => {})),
  }
}

/** Waits are short while the database is known not to answer. Milliseconds. */
const HURRY = { after: 2_000, within: 5_000 }

/**
 * Each transaction says whether the database is of use. A failure of the work itself says nothing about it. None begins while the
 * database is silent: its caller would wait in vain, and hold a connection meanwhile.
 */
const heardBy =
  (presence: Presence, transact: Transact): Transact =>
  async (begin, work, how) => {
    const silence = presence.silence()
    if (silence !== undefined) throw new DatabaseUnreachable('nothing', silence.cause)
    try {
      const hurried = presence.awayFor() > HURRY.after ? HURRY.within : undefined
      const result = await transact(begin, work, { ...how, within: how?.within ?? hurried })
      presence.worked()
      return result
    } catch (thrown) {
      if (thrown instanceof DatabaseUnreachable) presence.failed(thrown)
      throw thrown
    }
  }

/** In one message with `begin`: one round trip. The id is checked, not escaped: nothing that needs escaping is an id. */
function speakFor(id: string): string {
  if (!/^[\w-]{1,64}$/.test(id)) throw new TypeError('an organization id is 1 to 64 letters, digits, _ or -')
  return `set local role toolway_organization; select set_config('app.organization', '${id}', true)`
}
