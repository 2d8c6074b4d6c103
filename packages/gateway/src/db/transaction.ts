/**
 * Runs one transaction. One connection is taken, its statements run one after the other, and it goes back clean or not at all.
 * The code here knows nothing of organizations: the caller's `begin` sets the role.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import type { z } from 'zod'
import { unreachableOf, withoutRow } from './driver-errors.ts'
import { withParts } from './sql-part.ts'

/**
 * SQL in, rows out. Name the row's shape first: tests parse every row by it, production trusts it, so a shape may
 * check but not change (no transform, default or coerce). int8 and count(*) arrive as text: cast them (`::int`).
 * An array value becomes a PostgreSQL array; for json columns pass `JSON.stringify(value)`.
 */
export type Sql = <Row extends z.ZodObject>(
  row: Row,
) => (text: TemplateStringsArray, ...values: readonly unknown[]) => Promise<z.output<Row>[]>

export interface How {
  /** No statement may change whom it speaks as. */
  readonly bound?: boolean
  /** Milliseconds for the connection, and then for each statement; without it the limits of the pool hold. */
  readonly within?: number | undefined
}

/** Runs `work` between `begin` and commit, or undoes it. */
export type Transact = <T>(begin: string, work: (sql: Sql) => Promise<T>, how?: How) => Promise<T>

export interface TransactParts {
  readonly pool: pg.Pool
  readonly parseRows: boolean
  /** Whether connections keep statements by name: behind a pooler in transaction mode the next one may be another's. */
  readonly named: boolean
}

export function createTransact({ pool, parseRows, named }: TransactParts): Transact {
  const statements = createStatements(named)
  return async (begin, work, { bound = false, within } = {}) => {
    const client = await connect(pool, within).catch((thrown: unknown) => {
      throw unreachableOf(thrown, 'nothing') ?? thrown
    })
    const line = createLine(client, { within, bound })
    const { sql, end } = createSql(line, { statements, parseRows, bound })
    try {
      await line.ask({ text: begin })
      const result = await work(sql)
      await end()
      // COMMIT answers ROLLBACK, without an error, when a statement failed before and `work` went on regardless.
      const { command } = await line.ask({ text: 'commit' }, 'unknown')
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed')
      return result
    } catch (thrown) {
      await end()
      if (!line.spoiled()) await line.ask({ text: 'rollback' }).catch(() => {})
      throw thrown
    } finally {
      client.release(line.spoiled())
    }
  }
}

/** A connection that comes too late goes back to the pool by itself. */
async function connect(pool: pg.Pool, within: number | undefined): Promise<pg.PoolClient> {
  const connecting = pool.connect()
  if (within === undefined) return connecting
  const { promise: lateness, reject } = Promise.withResolvers<never>()
  let late = false
  const timer = setTimeout(() => {
    late = true
    reject(new Error('connection timeout'))
  }, within)
  connecting.then(
    (client) => late && client.release(),
    () => {},
  )
  return Promise.race([connecting, lateness]).finally(() => clearTimeout(timer))
}

/** The connection as one transaction has it. */
interface Line {
  /** `outcome` is what is known of the writes when the answer does not come. */
  ask(query: pg.QueryConfig, outcome?: 'nothing' | 'unknown'): Promise<pg.QueryResult<Record<string, unknown>>>
  /** Whether it must not go back to the pool, whatever `work` made of the error. */
  spoiled(): boolean
}

function createLine(client: pg.PoolClient, { within, bound }: How): Line {
  let spoiled = false
  let begun = false
  // Known to pg and not to its types: a statement of its own may be waited for less long than the others.
  const patience = within === undefined ? {} : { query_timeout: within }
  return {
    async ask(query, outcome = 'nothing') {
      try {
        const answer = await client.query<Record<string, unknown>>({ ...query, ...patience })
        begun = true
        return answer
      } catch (thrown) {
        const unreachable = begun && bound && isDenied(thrown) ? undefined : unreachableOf(thrown, outcome)
        if (unreachable !== undefined || isStale(thrown)) spoiled = true
        throw unreachable ?? withoutRow(thrown)
      }
    },
    spoiled: () => spoiled,
  }
}

/** To an organization's statement a missing right is a mistake of ours; before the first statement the role of the gateway lacks it. */
const isDenied = (thrown: unknown) => thrown instanceof pg.DatabaseError && thrown.code === '42501'

/** A prepared statement whose table has changed since (a migration by another replica): only a new connection forgets it. */
const isStale = (thrown: unknown) => thrown instanceof pg.DatabaseError && thrown.code === '0A000'

/** The `sql` of one transaction: one statement after the other, and none once `end` has waited for those under way. */
function createSql(
  line: Line,
  { statements, parseRows, bound }: { statements: Statements; parseRows: boolean; bound: boolean },
): { sql: Sql; end: () => Promise<void> } {
  let ended = false
  let last: Promise<unknown> = Promise.resolve()
  const sql: Sql =
    (row) =>
    async (template, ...parameters) => {
      if (ended) throw new Error('this sql belongs to a transaction that has ended: await every statement inside it')
      const { strings, values } = withParts({ strings: template, values: parameters })
      if (values.includes(undefined)) throw new TypeError('undefined is not an SQL value: use null where null is meant')
      const { speaker, ...statement } = statements(strings)
      if (bound && speaker)
        throw new Error('a statement of an organization reads and writes rows, and changes nothing else')
      const answer = last.then(() => line.ask({ ...statement, values: [...values] }))
      last = answer.catch(() => {})
      const { rows } = await answer
      return (parseRows ? rows.map((item) => parse(row, item)) : rows) as z.output<typeof row>[]
    }
  const end = async () => {
    ended = true
    await last
  }
  return { sql, end }
}

/** A strict shape is compiled for its first row: one for each row would take longer than all else. */
const stricts = new WeakMap<z.ZodObject, z.ZodObject>()

function strictOf(row: z.ZodObject): z.ZodObject {
  const strict = stricts.get(row) ?? row.strict()
  stricts.set(row, strict)
  return strict
}

/** Strict, and the same value must come out: production hands out the row as it is. */
function parse(row: z.ZodObject, value: Record<string, unknown>): unknown {
  const parsed = strictOf(row).parse(value)
  if (!isDeepStrictEqual(parsed, value)) throw new Error('a row shape may check a row but not change it')
  return parsed
}

type Statements = (strings: readonly string[]) => Statement

interface Statement {
  readonly name?: string
  readonly text: string
  /** It changes whom the transaction speaks as, ends it, or makes what others would meet. */
  readonly speaker: boolean
}

/**
 * A role that was set can be set back by whoever speaks: row-level security binds what is asked, not who asks. Statements are
 * written by hand, so this holds off a mistake; it is no sandbox. A temporary table would stand before the real one for whoever
 * has the connection next.
 */
const SPEAKER =
  /^(?:\s|--.*\n|\/\*[^]*?\*\/)*(?:set|reset|discard|begin|start|commit|end|rollback|abort|savepoint|release|prepare|execute|do|copy|create|alter|drop|grant|revoke)\b|\bset_config\b|\binto\s+temp/i

/**
 * The statement of each place in the code, numbered and named once. There are as many as there are places, so
 * the statements a connection keeps prepared cannot grow without bound.
 */
function createStatements(named: boolean): Statements {
  const known = new WeakMap<readonly string[], Statement>()
  // Those that have parts are put together at each use.
  const texts = new Map<string, Statement>()
  return (strings) => {
    const found = known.get(strings)
    if (found) return found
    const text = strings.reduce((before, next, index) => `${before}$${index}${next}`)
    const alike = texts.get(text)
    if (alike) return alike
    const name = `q_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
    const made = { ...(named && { name }), text, speaker: SPEAKER.test(text) }
    known.set(strings, made)
    texts.set(text, made)
    return made
  }
}
