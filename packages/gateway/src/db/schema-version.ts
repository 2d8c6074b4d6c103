/**
 * Which version of the schema a database has, compared with the one that this program expects. It reads and changes nothing; a start
 * migrates (`migrate.ts`), everything else refuses a database of another version in words.
 */
import pg from 'pg'
import { unreachableOf, withoutRow } from './driver-errors.ts'
import { listMigrations } from './migration-files.ts'

/** The database is not as this program expects it; the sentence says what its operator does. */
export class OtherSchema extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OtherSchema'
  }
}

interface Place {
  /** Whether a gateway runs the database and alone may migrate it. */
  readonly embedded: boolean
}

/** Nobody has started a gateway on it. */
export const notSetUp = ({ embedded }: Place): OtherSchema =>
  new OtherSchema(
    `Toolway has not been set up in this database yet. Start it once${embedded ? '' : ', or run `toolway migrate` and then start it'}.`,
  )

/** Throws DatabaseUnreachable, and OtherSchema unless the database has exactly the migrations of this version. */
export async function refuseOtherSchema(connection: pg.ClientConfig, location: Place): Promise<void> {
  const client = new pg.Client({ ...connection, application_name: 'toolway' })
  client.on('error', () => {})
  try {
    await client.connect()
    const problem = problemOf(await findApplied(client), await listMigrations(), location)
    if (problem !== undefined) throw problem
  } catch (thrown) {
    throw unreachableOf(thrown, 'nothing') ?? withoutRow(thrown)
  } finally {
    await client.end().catch(() => {})
  }
}

function problemOf(applied: readonly string[], known: readonly string[], location: Place): OtherSchema | undefined {
  if (applied.length === 0) return notSetUp(location)
  const last = known.at(-1) ?? ''
  const newer = applied.findLast((name) => !known.includes(name))
  if (newer !== undefined)
    return new OtherSchema(
      `The database is at ${numberOf(newer)}, this version of Toolway ends at ${numberOf(last)}: use the version that migrated it, or a later one.`,
    )
  if (known.every((name) => applied.includes(name))) return undefined
  const mend = location.embedded ? 'start the gateway of this version once' : 'run `toolway migrate`'
  return new OtherSchema(
    `The database is at ${numberOf([...applied].sort().at(-1) ?? '')}, this version of Toolway needs ${numberOf(last)}: ${mend}.`,
  )
}

const numberOf = (name: string): string => name.slice(0, 4)

/** The names of the migrations of a database, in the order in which they ran; none of an empty one. */
export async function findApplied(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('public.migrations') is not null as there`,
  )
  if (rows[0]?.there !== true) return []
  const applied = await client.query<{ name: string }>('select name from public.migrations order by id')
  return applied.rows.map(({ name }) => name)
}
