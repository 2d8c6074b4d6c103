/**
 * Migrates a database to the schema that this program expects, by running the numbered files of migrations/ that are new to it, all of
 * them in one transaction, forward only: whatever happens, the database is at the version before or at this one (ADR 0110). It refuses
 * a database that a newer program has migrated. Any number of replicas may do it at once: one does the work, the others find it done.
 *
 * Gateways of the version before use the database meanwhile. Indexes are built ahead and concurrently; then every table that the files
 * name is locked, in one order, before the first statement; locks that are not free soon are given back and tried again.
 *
 * Needs a direct connection: an advisory lock belongs to a session, and a transaction-pooling proxy has none.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../lib/log.ts'
import { isPassing, TableBusy, type Earlier, TRIES, tryAgainWhileBusy, type Tries } from './database-busy.ts'
import { unreachableOf, withoutRow } from './driver-errors.ts'
import { buildIndexesAhead } from './indexes-ahead.ts'
import { listMigrations, OWN_MIGRATIONS, readMigration, type MigrationFile } from './migration-files.ts'
import { findApplied } from './schema-version.ts'

/** A newer program has been here: an older one could write what the newer one does not expect. */
export class DatabaseNewer extends Error {
  constructor(found: string, last: string) {
    super(
      `the database was migrated by a newer version of Toolway (it has migration ${found}, this version ends at ${last}): ` +
        'start that version again, or restore a backup from before it',
    )
    this.name = 'DatabaseNewer'
  }
}

/** A migration is wrong, or does not fit what it found. */
export class MigrationFailed extends Error {
  readonly migration: string
  constructor(migration: string, cause: Error) {
    super(
      `the migration ${migration} failed (${cause.message}): the database is unchanged, and the previous version can run on it`,
      { cause },
    )
    this.name = 'MigrationFailed'
    this.migration = migration
  }
}

export interface MigrateParts {
  log?: Log
  /** Tests hand in a folder with fewer or other files. */
  directory?: string
  /** Names of the migrations to run; without it all of them. */
  only?: ReadonlySet<string>
  /** Tests give up sooner. */
  tries?: Tries
}

/** Any number serves that no other program on this database uses: "toolway" as digits of a phone. Versions before this one hold it too. */
const LOCK = 8_665_929
/** Held by this version around all that it does. It never waits inside a statement, which an index that is built would wait for. */
const TURN_LOCK = 8_665_935
const TURN_PAUSE_MS = 200

/** Milliseconds. An index that is built waits for transactions that began before it; nobody waits for it meanwhile. */
const INDEX_LOCK_TIMEOUT_MS = 60_000
const INDEX_TRIES = 3
/**
 * Milliseconds for the first lock, while none is held: longer than PostgreSQL's `deadlock_timeout` of a second, after which a vacuum
 * that runs by itself gives way. Whoever needs the table waits behind us meanwhile, so it is longer only after several tries, where
 * searches of some seconds follow one another.
 */
const FIRST_LOCK_TIMEOUT = 1_200
const TRIES_OF_A_KIND = 8
/** Milliseconds for all others together: shorter than `deadlock_timeout`, so that in a deadlock it is always the migration that yields. */
const LOCKS_TIMEOUT_MS = 700

/**
 * Returns the names of the migrations it ran. Throws DatabaseNewer, DatabaseBusy, MigrationFailed, or the driver's error of a database
 * that cannot be used.
 */
export async function migrate(connection: pg.ClientConfig, parts: MigrateParts = {}): Promise<string[]> {
  const { log, tries = TRIES } = parts
  const client = new pg.Client({ ...connection, application_name: 'toolway migrate' })
  client.on('error', (error) => log?.warn({ error: error.message }, 'the migration’s connection was lost'))
  await client.connect()
  try {
    await client.query(
      'set search_path to public; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0',
    )
    if ((await findPending(client, parts)).length === 0) return []
    await takeTurn(client, TURN_LOCK)
    await tryAgainWhileBusy(async () => buildIndexes(client, await findPending(client, parts), log), {
      tries: { ...tries, most: INDEX_TRIES },
      log,
    })
    await takeTurn(client, LOCK)
    const ran = await tryAgainWhileBusy(async (earlier) => run(client, await findPending(client, parts), earlier), {
      tries,
      log,
    })
    for (const name of ran) log?.info({ migration: name }, 'migrated')
    return ran
  } catch (thrown) {
    if (thrown instanceof MigrationFailed) log?.error(wordsOf(thrown), 'a migration failed')
    throw withoutRow(thrown)
  } finally {
    await client.end() // ends the session and with it the locks, whatever state a failed migration left
  }
}

function wordsOf({ migration, cause }: MigrationFailed) {
  const hint = cause instanceof pg.DatabaseError ? cause.hint : undefined
  return { migration, ...(hint !== undefined && { hint }) }
}

/** Asked again and again instead of waited for: a statement that waits is a transaction that an index waits for. */
async function takeTurn(client: pg.Client, lock: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [lock])
    if (rows[0]?.free === true) return
    await sleep(TURN_PAUSE_MS)
  }
}

async function buildIndexes(client: pg.Client, files: readonly MigrationFile[], log?: Log): Promise<void> {
  await client.query(`set lock_timeout = ${INDEX_LOCK_TIMEOUT_MS}`)
  await buildIndexesAhead(client, files, log)
}

/** Everything or nothing. */
async function run(client: pg.Client, files: readonly MigrationFile[], earlier: Earlier): Promise<string[]> {
  await client.query('begin')
  try {
    await lockTables(client, new Set(files.flatMap(({ locks }) => locks)), earlier)
    await client.query(MIGRATIONS)
    for (const file of files) await runFile(client, file)
    await client.query('commit')
    return files.map(({ name }) => name)
  } catch (thrown) {
    await client.query('rollback').catch(() => {})
    throw thrown
  }
}

async function runFile(client: pg.Client, { name, sql }: MigrationFile): Promise<void> {
  try {
    // Triggers that wait for the end of a transaction keep the next file from changing their table.
    await client.query(`${sql}\n;set constraints all immediate;set constraints all deferred`)
  } catch (thrown) {
    const isOurs =
      thrown instanceof pg.DatabaseError && !isPassing(thrown) && unreachableOf(thrown, 'nothing') === undefined
    throw isOurs ? new MigrationFailed(name, thrown) : thrown
  }
  await client.query('insert into migrations (name, run_on) values ($1, now())', [name])
}

const MIGRATIONS = `create table if not exists migrations (
  id serial primary key, name varchar(255) not null, run_on timestamp not null)`

/** Records come last, as in nearly every transaction of a gateway. */
const LAST = ['record_chains', 'records']
const inOrder = (names: readonly string[], busy: readonly string[]): string[] => {
  const order = [...busy, ...names.filter((name) => !LAST.includes(name)).sort(), ...LAST]
  return [...new Set(order)].filter((name) => names.includes(name))
}

/**
 * The tables that were busy come first, the last one of them before all: it is waited for while nothing is held, so nobody can be in a
 * deadlock with us. All of them, because two kinds of transactions that take two tables in opposite orders would block us in turns.
 */
async function lockTables(client: pg.Client, requested: ReadonlySet<string>, { busy, tries }: Earlier): Promise<void> {
  const found = await client.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname = any ($1)`,
    [[...requested]],
  )
  const there = found.rows.map(({ name }) => name)
  let until: number | undefined
  for (const name of inOrder(there, busy)) {
    const timeout =
      until === undefined
        ? FIRST_LOCK_TIMEOUT * (1 + Math.floor(tries / TRIES_OF_A_KIND))
        : Math.max(1, Math.round(until - performance.now()))
    try {
      await client.query(
        `set local lock_timeout = ${timeout}; lock table ${pg.escapeIdentifier(name)} in access exclusive mode`,
      )
    } catch (thrown) {
      throw isPassing(thrown) ? new TableBusy(name, thrown) : thrown
    }
    until ??= performance.now() + LOCKS_TIMEOUT_MS
  }
  await client.query(`set local lock_timeout = ${LOCKS_TIMEOUT_MS}`)
}

/** Migrations that have not run yet, in order. Throws DatabaseNewer. */
async function findPending(
  client: pg.Client,
  { directory = OWN_MIGRATIONS, only }: MigrateParts,
): Promise<MigrationFile[]> {
  const known = await listMigrations(directory)
  const applied = await findApplied(client)
  const unknown = applied.findLast((name) => !known.includes(name))
  if (unknown !== undefined) throw new DatabaseNewer(unknown, known.at(-1) ?? 'none')
  const pending = known.filter((name) => !applied.includes(name) && only?.has(name) !== false)
  const [last, first] = [[...applied].sort().at(-1) ?? '', pending[0] ?? '']
  if (pending.length > 0 && first < last)
    throw new Error(`the migration ${first} has not run, but ${last} after it has: the schema is of no version`)
  return Promise.all(pending.map((name) => readMigration(directory, name)))
}
