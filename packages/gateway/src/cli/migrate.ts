/**
 * `toolway migrate`: brings a database to the schema of this version before gateways of that version start, as a step of a deployment.
 *
 * Every start does the same, so nothing depends on this step. An embedded database is migrated by its gateway, which alone may start it.
 */
import { counted } from '../lib/counted.ts'
import { openConfig } from './open-config.ts'
import { migrate } from '../db/migrate.ts'
import { SILENT } from './store.ts'
import { CommandFault, EXIT, type Output } from './terminal/output.ts'

export async function migrateDatabase(output: Output): Promise<number> {
  const { DATABASE_URL: connectionString } = (await openConfig()).config
  if (connectionString === undefined)
    throw new CommandFault('DATABASE_URL is not set: the embedded database is migrated when its gateway starts.')
  const migrations = await migrate({ connectionString }, { log: SILENT })
  const done =
    migrations.length === 0
      ? 'The database is already up to date.'
      : `${counted(migrations.length, 'migration was', 'migrations were')} applied.`
  output.result({ migrations }, [done])
  return EXIT.ok
}
