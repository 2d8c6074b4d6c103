/**
 * All rows of a database as they are at one moment, a table after the other, by COPY in text form, which every version of
 * PostgreSQL reads. One read-only transaction (repeatable read) sees one snapshot, so gateways may go on meanwhile.
 *
 * A snapshot does not cover partitions that are dropped: a month that goes before it is read would be missing. So each table is
 * locked against that (`access share`, which readers and writers pass) before the snapshot is taken. Months are made and dropped after.
 *
 * Nothing is known of what the tables mean. The history of migrations is told beside the rows, and is no table of them.
 */
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { withoutRow } from '../driver-errors.ts'

export interface TableColumns {
  readonly name: string
  readonly columns: readonly string[]
}

export interface TableShape extends TableColumns {
  /** The type of each column, as `format_type` names it. */
  readonly types: readonly string[]
  /** Columns that are never null. */
  readonly required: readonly string[]
}

export interface Snapshot {
  /** Names of the migrations that made its shape, in their order. */
  readonly migrations: readonly string[]
  readonly tables: readonly TableShape[]
  /** Months (`2026-11`) that have a partition of their own among the records. */
  readonly months: readonly string[]
  /** Chunks of COPY in text form; a chunk may end within a row. */
  rows(table: TableColumns): AsyncIterable<Buffer>
  /** The row of the table `installation`; undefined where there is none. */
  installation(name: string): Promise<unknown>
  /** The names under which the store has the contents of finished files. */
  fileKeys(): Promise<readonly string[]>
}

/** The database has no history of migrations: it is none of this program. */
export class NoToolwayDatabase extends Error {
  constructor() {
    super(
      'The database does not contain Toolway: start the gateway on it once, or check DATABASE_URL and TOOLWAY_DATA.',
    )
  }
}

/** `work` sees one moment of the database, however long it takes. Throws NoToolwayDatabase. */
export async function withSnapshot<T>(
  connection: pg.ClientConfig,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...connection, application_name: 'toolway backup', keepAlive: true })
  client.on('error', () => {}) // the query under way is rejected with it
  await client.connect()
  try {
    const locked = await listTables(client)
    await client.query('begin isolation level repeatable read read only')
    // A table takes as long as it takes, and the snapshot must not end while a slow disk is written to.
    await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`)
    // Settings of the server, the database or the role must not change how values are written: every server reads these.
    await client.query(FORMS)
    // Partitions are locked with their table. The first query after this takes the snapshot.
    await client.query(
      `lock table ${locked.map((name) => `public.${pg.escapeIdentifier(name)}`).join(', ')} in access share mode`,
    )
    const snapshot = await open(client)
    if (snapshot.tables.some(({ name }) => !locked.includes(name)))
      throw new Error(
        'Tables were added while the backup was starting: start it again when the migration has finished.',
      )
    return await work(snapshot)
  } catch (thrown) {
    throw withoutRow(thrown)
  } finally {
    await client.end()
  }
}

/** Throws NoToolwayDatabase. */
async function listTables(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query<{ there: boolean }>(
    `select to_regclass('public.migrations') is not null as there`,
  )
  if (found[0]?.there !== true) throw new NoToolwayDatabase()
  return ['migrations', ...(await client.query<TableColumns>(TABLES)).rows.map(({ name }) => name)]
}

async function open(client: pg.Client): Promise<Snapshot> {
  const query = async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows
  const migrations = await query<{ name: string }>('select name from public.migrations order by id')
  return {
    migrations: migrations.map(({ name }) => name),
    tables: await query<TableShape & pg.QueryResultRow>(TABLES),
    months: (await query<{ month: string }>(MONTHS)).map(({ month }) => month),
    rows: ({ name, columns }) =>
      client.query(copyTo(`copy (select ${listOf(columns)} from public.${pg.escapeIdentifier(name)}) to stdout`)),
    installation: async (name) =>
      (await client.query<{ value: unknown }>('select value from public.installation where name = $1', [name])).rows[0]
        ?.value,
    fileKeys: async () =>
      (
        await query<{ key: string }>(
          `select storage_key as key from public.files where state = 'ready' order by storage_key`,
        )
      ).map(({ key }) => key),
  }
}

export const listOf = (columns: readonly string[]): string =>
  columns.map((name) => pg.escapeIdentifier(name)).join(', ')

const FORMS = `
  set local datestyle = 'ISO, YMD'; set local timezone = 'UTC'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 1`

/** Partitions are read and written through their table. Unlogged tables hold nothing that is worth keeping. */
const TABLES = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
         array_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) as types,
         coalesce(array_agg(a.attname::text order by a.attnum) filter (where a.attnotnull), '{}') as required
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and c.relname <> 'migrations' and c.relpersistence = 'p'
   group by c.relname order by c.relname`

const MONTHS = `
  select replace(substr(c.relname, 9), '_', '-') as month
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = to_regclass('public.records') and c.relname ~ '^records_[0-9]{4}_[0-9]{2}$'
   order by 1`
