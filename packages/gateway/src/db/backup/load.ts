/**
 * Puts the rows of a backup into an empty database: its schema is made as it was then, all rows come in one transaction, and the
 * migrations that are newer run afterwards. A database with rows of its own is refused, and so is a schema this program does not
 * know. A load that was cut off leaves a schema without rows, which the next one accepts.
 */
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { unreachableOf, withoutRow } from '../driver-errors.ts'
import { migrate } from '../migrate.ts'
import { listOf, type TableColumns } from './snapshot.ts'

/** A restore is refused, in words for the operator. */
export class LoadRefused extends Error {}

export interface RowPart {
  readonly table: string
  readonly content: AsyncIterable<Uint8Array>
}

export interface Loading {
  readonly connection: pg.ClientConfig
  readonly migrations: readonly string[]
  readonly tables: readonly TableColumns[]
  readonly months: readonly string[]
  /**
   * The rows of each table in parts, in any order of tables; a table may be absent. Parts of one table that follow one another are
   * one stream: a part may end within a row, as in backups of the first format.
   */
  readonly rows: AsyncIterable<RowPart>
  /** Is given the number of rows of each table before they become visible; what it throws leaves the database empty. */
  check?(counts: ReadonlyMap<string, number>): void
  /** Tests hand in fewer or other migrations. */
  readonly directory?: string
}

/** Rows of each table. Throws LoadRefused. */
export async function loadRows(loading: Loading): Promise<ReadonlyMap<string, number>> {
  const { connection, migrations, directory } = loading
  await refuseUnknown(migrations, directory)
  const client = new pg.Client({ ...connection, application_name: 'toolway restore', keepAlive: true })
  client.on('error', () => {})
  await client.connect()
  try {
    await refuseRows(client, migrations)
    const there = { ...(directory !== undefined && { directory }) }
    await migrate(connection, { ...there, only: new Set(migrations) })
    const counts = await inOneTransaction(client, async () => {
      const loaded = await load(client, loading)
      loading.check?.(loaded)
      return loaded
    })
    await migrate(connection, there)
    await client.query('analyze')
    return counts
  } catch (thrown) {
    throw withoutRow(thrown)
  } finally {
    await client.end()
  }
}

export async function refuseUnknown(migrations: readonly string[], directory = OWN): Promise<void> {
  const known = new Set((await readdir(directory)).map((file) => file.replace(/\.sql$/, '')))
  const unknown = migrations.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw new LoadRefused(
      `The backup was created by a newer version of Toolway (it has migration ${unknown}, which this version does not know): restore it with that version or a later one.`,
    )
}

/** Throws LoadRefused where there are rows of people or programs, or tables of another program. */
export async function refuseOccupied(connection: pg.ClientConfig, migrations: readonly string[]): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await refuseRows(client, migrations)
  } finally {
    await client.end()
  }
}

const OWN = fileURLToPath(new URL('../migrations/', import.meta.url))

/** What migrations write by themselves does not count; what people and programs wrote does. */
const OF_PEOPLE = ['organizations', 'users', 'keys', 'connections', 'records', 'record_chains']

async function refuseRows(client: pg.Client, migrations: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  )
  const names = new Set(rows.map(({ name }) => name))
  if (names.size === 0) return
  if (!names.has('migrations'))
    throw new LoadRefused(
      'The database is not empty: it contains tables from another program. Restore into an empty database.',
    )
  for (const name of OF_PEOPLE) {
    if (!names.has(name)) continue
    const found = await client.query(`select from public.${pg.escapeIdentifier(name)} limit 1`)
    if (found.rowCount !== 0)
      throw new LoadRefused(
        `The database is not empty: it already contains Toolway (table ${name}). Restore into an empty database, or an empty data directory.`,
      )
  }
  const applied = await client.query<{ name: string }>('select name from public.migrations order by id')
  const later = applied.rows.find(({ name }) => !migrations.includes(name))
  if (later !== undefined)
    throw new LoadRefused(
      `The database has the schema of a later version than the backup (migration ${later.name}): restore into an empty database.`,
    )
}

async function inOneTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
  const result = await work()
  await client.query('commit')
  return result
}

/**
 * Rows come as they were: no trigger fires, and references are checked once all are there. Row-level security that binds the owner
 * too does not allow COPY, so that it is off within this transaction, which nobody else sees before it ends.
 */
async function load(client: pg.Client, loading: Loading): Promise<ReadonlyMap<string, number>> {
  const known = new Map(
    (await client.query<{ name: string; forced: boolean }>(PRESENT)).rows.map((row) => [row.name, row]),
  )
  const missing = loading.tables.find(({ name }) => !known.has(name))
  if (missing !== undefined)
    throw new LoadRefused(`The backup contains a table ${missing.name} that its own migrations do not create.`)
  const references = (await client.query<{ relation: string; name: string; definition: string }>(REFERENCES)).rows
  const all = [...known.values()]
  const eachTable = (what: (name: string) => string, tables = all) =>
    client.query(tables.map(({ name }) => `alter table public.${pg.escapeIdentifier(name)} ${what(name)}`).join(';'))
  for (const { relation, name } of references)
    await client.query(`alter table ${relation} drop constraint ${pg.escapeIdentifier(name)}`)
  await eachTable(() => 'disable trigger user')
  await eachTable(
    () => 'no force row level security',
    all.filter(({ forced }) => forced),
  )
  await client.query(`truncate ${all.map(({ name }) => `public.${pg.escapeIdentifier(name)}`).join(', ')}`)
  await makeMonths(client, loading.months)

  const columns = new Map(loading.tables.map((table) => [table.name, table.columns]))
  const counts = new Map<string, number>()
  for await (const { table, content } of oneByTable(loading.rows)) {
    const own = columns.get(table)
    if (own === undefined)
      throw new LoadRefused(`The backup contains rows for a table ${table} that it does not describe.`)
    const stream = client.query(copyFrom(`copy public.${pg.escapeIdentifier(table)} (${listOf(own)}) from stdin`))
    await pipeline(content, stream).catch((thrown: unknown) => {
      throw refusedRows(thrown, `The rows of the table ${table}`)
    })
    counts.set(table, (counts.get(table) ?? 0) + stream.rowCount)
  }

  await eachTable(
    () => 'force row level security',
    all.filter(({ forced }) => forced),
  )
  await eachTable(() => 'enable trigger user')
  for (const { relation, name, definition } of references)
    await client
      .query(`alter table ${relation} add constraint ${pg.escapeIdentifier(name)} ${definition}`)
      .catch((thrown: unknown) => {
        throw refusedRows(thrown, `The references of the table ${relation}`)
      })
  return counts
}

/** Refusals by PostgreSQL in words for the operator; a database that is away is another matter. */
function refusedRows(thrown: unknown, what: string): unknown {
  if (!(thrown instanceof pg.DatabaseError) || unreachableOf(thrown, 'nothing') !== undefined) return thrown
  return new LoadRefused(
    `${what} cannot be restored, and nothing was restored (PostgreSQL reports: ${thrown.message}): verify the backup with \`toolway backup verify\`, and use another copy of it, or an earlier one.`,
    { cause: withoutRow(thrown) },
  )
}

/** Joins the parts of a table that follow one another. Each content must be read to its end before the next one is asked for. */
async function* oneByTable(parts: Loading['rows']): AsyncGenerator<RowPart> {
  const source = parts[Symbol.asyncIterator]()
  let next = await source.next()
  async function* contentOf(table: string) {
    for (; next.done !== true && next.value.table === table; next = await source.next()) yield* next.value.content
  }
  try {
    while (next.done !== true) yield { table: next.value.table, content: contentOf(next.value.table) }
  } finally {
    await source.return?.()
  }
}

async function makeMonths(client: pg.Client, months: readonly string[]): Promise<void> {
  for (const month of months) await client.query('select make_record_partition($1::date)', [`${month}-01`])
}

/** Partitions too: a truncation fires the triggers of each. */
const PRESENT = `
  select relname as name, relforcerowsecurity as forced from pg_class
   where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'migrations'`

const REFERENCES = `
  select k.conrelid::regclass::text as relation, k.conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k
   where k.connamespace = 'public'::regnamespace and k.contype = 'f' and k.conparentid = 0
   order by 1, 2`
