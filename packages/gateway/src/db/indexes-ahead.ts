/**
 * Builds the indexes of migrations that have not run yet, while records are added and everything else goes on: `create index
 * concurrently`, which cannot be part of a transaction. It changes no version of the schema and may be interrupted at any moment; the
 * next start goes on, and the version before runs on the database as before. The migration itself then finds its index.
 *
 * The table of records is partitioned since 0059: PostgreSQL builds no index of a partitioned table concurrently, but takes over one
 * that each partition has already, under the name that it would have chosen.
 */
import pg from 'pg'
import type { Log } from '../lib/log.ts'
import type { IndexWanted, MigrationFile } from './migration-files.ts'

/** The table, or a column of it, is made by a migration that has not run either: the index is built with it. */
const NOT_YET: ReadonlySet<string | undefined> = new Set(['42P01', '42703'])

/** Throws the error of PostgreSQL, as when a transaction that began before stays open for longer than the lock time-out. */
export async function buildIndexesAhead(client: pg.Client, files: readonly MigrationFile[], log?: Log): Promise<void> {
  for (const { indexes } of files) {
    for (const indexWanted of indexes) {
      for (const index of await placesOf(client, indexWanted)) await buildIndex(client, index, log)
    }
  }
}

interface Place {
  readonly table: string
  readonly kind: 'r' | 'p'
}
const PLACES = `
  select c.relname as table, c.relkind as kind from pg_class c
   where c.oid = to_regclass('public.' || quote_ident($1)) or c.oid in
         (select inhrelid from pg_inherits where inhparent = to_regclass('public.' || quote_ident($1)))`

/** The index of a table, or one for each of its partitions. */
async function placesOf(client: pg.Client, indexWanted: IndexWanted): Promise<IndexWanted[]> {
  const { rows } = await client.query<Place>(PLACES, [indexWanted.table])
  const isPartitioned = rows.some(({ kind }) => kind === 'p')
  if (!isPartitioned) return rows.map(() => indexWanted)
  const tables = rows.filter(({ kind }) => kind === 'r').map(({ table }) => table)
  return tables.map((table) => ({ ...indexWanted, table, name: partitionIndexOf(table, indexWanted.rest) }))
}

/** As PostgreSQL names it (ChooseIndexName): the partition, the columns and `idx`. */
const partitionIndexOf = (table: string, rest: string): string => {
  const columns = /\(([^)]*)\)/.exec(rest)?.[1] ?? ''
  return [table, ...columns.split(',').map((column) => column.trim()), 'idx'].join('_')
}

async function buildIndex(client: pg.Client, { name, table, unique, rest }: IndexWanted, log?: Log): Promise<void> {
  const found = await client.query<{ valid: boolean }>(
    `select indisvalid as valid from pg_index where indexrelid = to_regclass('public.' || quote_ident($1))`,
    [name],
  )
  const valid = found.rows[0]?.valid
  if (valid === true) return
  // An interrupted build leaves an invalid index.
  if (valid === false) await client.query(`drop index concurrently ${pg.escapeIdentifier(name)}`)
  const what = `${unique ? 'unique ' : ''}index concurrently`
  try {
    await client.query(`create ${what} ${pg.escapeIdentifier(name)} on ${pg.escapeIdentifier(table)} ${rest}`)
    log?.info({ index: name, table }, 'an index was built ahead of its migration')
  } catch (thrown) {
    if (!(thrown instanceof pg.DatabaseError) || !NOT_YET.has(thrown.code)) throw thrown
  }
}
