/**
 * Reads the numbered files of migrations/: the SQL of each, the tables that it locks, and the indexes that can be built before it runs.
 *
 * A file names in a line `-- locks: keys, records` every table that is there before it and that it changes, writes to or refers to.
 * An index on such a table is written `create index if not exists …`, because it is built ahead of the file where that is possible
 * (`indexes-ahead.ts`). Tests compare both with what PostgreSQL locks (`migration-locks.test.ts`).
 */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const OWN_MIGRATIONS = fileURLToPath(new URL('migrations/', import.meta.url))

export interface IndexWanted {
  readonly name: string
  readonly table: string
  readonly unique: boolean
  /** The SQL after the table: method, columns and condition. */
  readonly rest: string
}

export interface MigrationFile {
  /** Without `.sql`. */
  readonly name: string
  readonly sql: string
  readonly locks: readonly string[]
  readonly indexes: readonly IndexWanted[]
}

const NAME = /^(\d{4}_[a-z_]+)\.sql$/

/** In the order in which they run. */
export const listMigrations = async (directory = OWN_MIGRATIONS): Promise<string[]> =>
  (await readdir(directory)).flatMap((file) => NAME.exec(file)?.[1] ?? []).sort()

export async function readMigration(directory: string, name: string): Promise<MigrationFile> {
  const sql = await readFile(path.join(directory, `${name}.sql`), 'utf8')
  return { name, sql, locks: locksOf(sql), indexes: indexesOf(sql) }
}

const locksOf = (sql: string): string[] =>
  [...sql.matchAll(/^-- locks: (.+)$/gm)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))

const indexesOf = (sql: string): IndexWanted[] =>
  [...sql.matchAll(/^create (unique )?index if not exists (\w+) on (\w+) ([^;]+);/gm)].map(
    ([, unique, name = '', table = '', rest = '']) => ({ name, table, unique: unique !== undefined, rest }),
  )
