/**
 * `toolway migrate`: brings a database to the schema of this version before gateways of that version start, as a step of a deployment.
 *
 * Every start does the same, so nothing depends on this step. An embedded database is migrated by its gateway, which alone may start it.
 */
import { countWithNoun } from '../lib/count-with-noun.ts'
import { openConfig } from './open-config.ts'
import { migrate } from '../db/migrate.ts'
import { openingFault } from './opening-fault.ts'
import { SILENT } from './store.ts'
import { CommandFault, EXIT, type Output } from './terminal/output.ts'

export async function migrateDatabase(output: Output): Promise<number> {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: direct, TOOLWAY_DATA: directory } = (await openConfig()).config
  if (url === undefined)
    throw new CommandFault('DATABASE_URL is not set: the embedded database is migrated when its gateway starts.')
  // A pooler in transaction mode keeps no lock.
  const migrations = await migrate({ connectionString: direct ?? url }, { log: tellWaits(output) }).catch(
    (thrown: unknown) => {
      throw openingFault(thrown, { directory, outside: true })
    },
  )
  const done =
    migrations.length === 0
      ? 'The database is already up to date.'
      : `${countWithNoun(migrations.length, 'migration was', 'migrations were')} applied.`
  output.result({ migrations }, [done])
  return EXIT.ok
}

/** Progress lines that say why the migration waits; the rest is in the result. */
const tellWaits = (output: Output): typeof SILENT => ({
  ...SILENT,
  warn: (facts) => {
    const { table, tries } = facts as { table?: string; tries?: number }
    if (tries !== undefined)
      output.progress(`Waiting: ${table === undefined ? 'the database' : `the table ${table}`} is busy (try ${tries}).`)
  },
})
