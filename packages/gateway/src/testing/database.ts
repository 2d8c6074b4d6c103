/**
 * Test databases. `await using database = await createTestDatabase()` returns a migrated database for one test, dropped at the
 * end of the block. `describeEachPostgres` runs one suite on every available PostgreSQL.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { ProvidedContext } from 'vitest'
import { createDb } from '../db/db.ts'
import { hasPgBouncer, startPgBouncer, type PgBouncer } from './pgbouncer.ts'
import type { Db } from '../db/db.ts'

type TestServer = ProvidedContext['postgres']

export interface TestDatabase extends AsyncDisposable {
  /** Connects as the owner, which is no superuser. Fits pg.PoolConfig. */
  connection: TestServer['connection']
  /** A Db on it that checks every row by its shape; closed with the database. */
  db: Db
}

export interface DatabaseOptions {
  readonly server?: TestServer
  readonly empty?: boolean
  /** The Db hands out rows as they are, as in production: for rows that no shape fits. */
  readonly trusting?: boolean
  /** The Db works through it; whatever a session has to keep goes to the server itself. */
  readonly pooler?: Pick<PgBouncer, 'of'> | undefined
}

/** A busy machine lets a server wait for seconds: what needs an answer gets it, and no test of something else hears of an outage. */
const BUSY_MS = 30_000

/** `empty` has no table: for those who test the migrations themselves. */
export async function createTestDatabase({
  server = inject('postgres'),
  empty = false,
  trusting = false,
  pooler,
}: DatabaseOptions = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const owner = pg.escapeIdentifier(server.connection.user)
  const template = empty ? 'template0' : server.template
  // By copies of its files: through the write-ahead log, as is the default, a database costs three times the processor time.
  await command(server, `create database ${name} template ${template} strategy file_copy owner ${owner}`)
  const connection = { ...server.connection, database: name }
  const through = pooler === undefined ? { connection } : { connection: pooler.of(connection), direct: connection }
  const db = createDb({ ...through, parseRows: !trusting, patience: BUSY_MS })
  return {
    connection,
    db,
    async [Symbol.asyncDispose]() {
      await db.close()
      await dropDatabase(server, name)
    },
  }
}

type CreateDatabase = (options?: { empty?: boolean }) => Promise<TestDatabase>

/**
 * The same suite on the embedded server and on the one that TEST_DATABASE_URL names. Where CI runs, its absence
 * fails; on a desk the embedded one has to do.
 */
export function describeEachPostgres(name: string, suite: (createDatabase: CreateDatabase) => void): void {
  describe(`${name} (embedded PostgreSQL)`, () => suite((options) => createTestDatabase({ ...options })))
  const server = inject('outsidePostgres')
  if (server)
    describe(`${name} (outside PostgreSQL)`, () => suite((options) => createTestDatabase({ ...options, server })))
  else if (process.env['CI'] === 'true') {
    test(`${name} (outside PostgreSQL)`, () => {
      expect.fail(
        'CI has to set TEST_DATABASE_URL to a PostgreSQL server: an owner with createdb and createrole is enough',
      )
    })
  }
}

/** Each PostgreSQL, and one of them through PgBouncer. */
export function describeEverywhere(name: string, suite: (createDatabase: CreateDatabase) => void): void {
  describeEachPostgres(name, suite)
  describeThroughPgBouncer(name, suite)
}

/** The same suite through PgBouncer in transaction mode. Where CI runs, its absence fails; a desk without one does without. */
function describeThroughPgBouncer(name: string, suite: (createDatabase: CreateDatabase) => void): void {
  if (!hasPgBouncer()) {
    if (process.env['CI'] === 'true')
      test(`${name} (PgBouncer)`, () => expect.fail('CI has to have pgbouncer on its PATH'))
    return
  }
  describe(`${name} (PgBouncer, transaction mode)`, () => {
    let pooler: PgBouncer
    beforeAll(async () => {
      pooler = await startPgBouncer(inject('postgres').connection)
      return () => pooler[Symbol.asyncDispose]()
    })
    suite((options) => createTestDatabase({ ...options, pooler }))
  })
}

/**
 * Not `with (force)`: on an outside server that also means an autovacuum worker, which the owner may not end, and then nothing is
 * dropped. A plain drop ends such a worker by itself and waits up to five seconds for connections that are closing.
 */
async function dropDatabase(server: TestServer, name: string): Promise<void> {
  const theirs = `backend_type = 'client backend' and pg_has_role(usesysid, 'MEMBER')`
  await command(
    server,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and ${theirs}`,
  )
  await command(server, `drop database ${name}`)
}

/** Its connections stay open between databases: each would be a process that the server starts. */
const administrators = new Map<string, pg.Pool>()

function administratorOf({ connection, admin }: TestServer): pg.Pool {
  const name = `${connection.host}:${connection.port}`
  const existing = administrators.get(name)
  if (existing !== undefined) return existing
  const pool = new pg.Pool({ ...connection, user: admin, max: 3, allowExitOnIdle: true })
  // The server ends while they are idle, after the last test.
  pool.on('error', () => {})
  administrators.set(name, pool)
  return pool
}

async function command(server: TestServer, text: string): Promise<void> {
  await administratorOf(server).query(text)
}
