/**
 * Migrates a database to the schema that this program expects, by running the numbered files of migrations/ that are new to it,
 * each in a transaction of its own, forward only. Any number of replicas may do it at once: the first one does the work and the
 * others find it done. It refuses a database that a newer program has migrated.
 *
 * Needs a direct connection: an advisory lock belongs to a session, and a transaction-pooling proxy has none.
 */
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Log } from '../lib/log.ts'
import { withoutRow } from './driver-errors.ts'

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

export interface MigrateParts {
  log?: Log
  /** Tests hand in a folder with fewer or other files. */
  directory?: string
  /** Names of the migrations to run; without it all of them. */
  only?: ReadonlySet<string>
}

const ownFolder = fileURLToPath(new URL('migrations/', import.meta.url))
const table = 'migrations'
const NAME = String.raw`\d{4}_[a-z_]+`

/** Any number serves that no other program on this database uses: "toolway" as digits of a phone. */
const lockNumber = 8_665_929

/** Returns the names of the migrations it ran. Throws DatabaseNewer, or the error of the migration that failed. */
export async function migrate(
  connection: pg.ClientConfig,
  { log, directory = ownFolder, only }: MigrateParts = {},
): Promise<string[]> {
  const client = new pg.Client({ ...connection, application_name: 'toolway migrate' })
  client.on('error', (error) => log?.warn({ error: error.message }, 'the migration’s connection was lost'))
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockNumber])
    await refuseNewer(client, directory)
    return await run(client, { directory, ...(log && { log }), ...(only !== undefined && { only }) })
  } catch (thrown) {
    throw withoutRow(thrown)
  } finally {
    await client.end() // ends the session and with it the lock, whatever state a failed migration left
  }
}

async function run(
  client: pg.Client,
  { directory, log, only }: MigrateParts & { directory: string },
): Promise<string[]> {
  // Loaded here, because a gateway whose database is up to date still pays for what it imports at its start.
  const { runner } = await import('node-pg-migrate')
  let current: string | undefined
  // Of what the runner says only the name is kept: on a failure it repeats the whole statement.
  const hear = (line: string) => void (current = /^### MIGRATION (\S+) /.exec(line)?.[1] ?? current)
  try {
    const ran = await runner({
      dbClient: client,
      dir: directory,
      ignorePattern: String.raw`(?!${only === undefined ? NAME : `(?:${[...only].join('|')})`}\.sql$).*`,
      migrationsTable: table,
      direction: 'up',
      singleTransaction: false,
      noLock: true, // ours is held already, around the check as well
      logger: { info: hear, warn: hear, error: hear },
    })
    for (const { name } of ran) log?.info({ migration: name }, 'migrated')
    return ran.map(({ name }) => name)
  } catch (thrown) {
    const hint = thrown instanceof pg.DatabaseError ? thrown.hint : undefined
    // The runner repeats the stack of the driver's error in its own message.
    if (thrown instanceof Error) thrown.message = thrown.message.split('\n')[0] ?? ''
    log?.error({ migration: current, ...(hint !== undefined && { hint }) }, 'a migration failed')
    throw thrown
  }
}

/** The runner itself looks only at what is missing, not at what is too much. */
async function refuseNewer(client: pg.Client, directory: string): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(`select to_regclass('public.${table}') is not null as there`)
  if (!rows[0]?.there) return
  const files = await readdir(directory)
  const known = new Set(files.map((file) => file.replace(/\.sql$/, '')))
  const applied = await client.query<{ name: string }>(`select name from public.${table} order by id`)
  const unknown = applied.rows.findLast(({ name }) => !known.has(name))
  if (unknown) throw new DatabaseNewer(unknown.name, [...known].sort().at(-1) ?? 'none')
}
