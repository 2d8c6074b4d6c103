/**
 * Classifies failures of a query: the database cannot be used, or a statement was wrong; and selects the parts of an error that
 * may be reported. It never decides whether to retry: only the sender knows whether a write may be sent twice.
 */
import pg from 'pg'
import { DatabaseUnreachable } from './unreachable.ts'

/** `problem` for callers, as the rest of a sentence; `mend` for the operator, as the rest of a sentence. */
interface Trouble {
  readonly problem: string
  readonly mend: string
}

const AWAY: Trouble = {
  problem: 'it does not respond',
  mend: 'check that PostgreSQL is running, and check the host and port in DATABASE_URL.',
}
/** Each kind of failure: SQLSTATE or its prefix (PostgreSQL appendix A). The first match counts. */
const TROUBLES: readonly (readonly [state: RegExp, trouble: Trouble])[] = [
  [/^53100/, { problem: 'its disk is full', mend: 'free space on the disk of the database server.' }],
  [
    /^53[23]00/,
    {
      problem: 'it accepts no more connections',
      mend: 'raise max_connections of the server, or lower TOOLWAY_DATABASE_CONNECTIONS of the gateways.',
    },
  ],
  [/^53/, { problem: 'it lacks resources', mend: 'check the memory and the limits of the database server.' }],
  [
    /^25006/,
    {
      problem: 'it is read-only',
      mend: 'set DATABASE_URL to the primary server, and check default_transaction_read_only.',
    },
  ],
  [
    /^28/,
    {
      problem: 'it refuses the gateway’s sign-in',
      mend: 'check the user and password in DATABASE_URL, and pg_hba.conf on the server.',
    },
  ],
  [/^3D000/, { problem: 'it does not exist', mend: 'create the database, or correct its name in DATABASE_URL.' }],
  [
    /^42501/,
    {
      problem: 'the gateway lacks permissions in it',
      mend: 'make the role in DATABASE_URL the owner of the database and of its tables (`create database toolway owner toolway`).',
    },
  ],
  [/^58/, { problem: 'its disk does not work', mend: 'check the disk and the log of the database server.' }],
  [/^(08|57P0[1-5])/, AWAY],
]

/** Row-level security and our own triggers refuse with the SQLSTATE of a missing right; that is a mistake of ours. */
const OUR_MISTAKES: ReadonlySet<string | undefined> = new Set(['ExecWithCheckOptions', 'exec_stmt_raise'])

/** Messages of pg itself, without any code, when the socket or the wait ends (pg 8.23: client.js, pg-pool). */
const goneWords =
  /connection terminated|connection timeout|timeout exceeded|query read timeout|not queryable|client was closed/i

const goneSockets = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'EACCES',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** The error of a database that cannot be used, or undefined where the failure is of another kind. */
export function unreachableOf(thrown: unknown, outcome: 'nothing' | 'unknown'): DatabaseUnreachable | undefined {
  if (thrown instanceof DatabaseUnreachable) return thrown
  const trouble = troubleOf(thrown)
  if (trouble === undefined) return undefined
  // A server that refuses a commit in words has not carried it out.
  const refused = thrown instanceof pg.DatabaseError && !/^(08|57P)/.test(thrown.code ?? '')
  return new DatabaseUnreachable(refused ? 'nothing' : outcome, withoutRow(thrown), trouble.problem, trouble.mend)
}

function troubleOf(thrown: unknown): Trouble | undefined {
  if (!(thrown instanceof Error)) return undefined
  if (thrown instanceof pg.DatabaseError) {
    const { code = '', routine } = thrown
    if (code === '42501' && OUR_MISTAKES.has(routine)) return undefined
    return TROUBLES.find(([state]) => state.test(code))?.[1]
  }
  if (thrown instanceof AggregateError) return thrown.errors.map(troubleOf).find((trouble) => trouble !== undefined)
  const code = 'code' in thrown ? thrown.code : undefined
  const isGone = (typeof code === 'string' && goneSockets.has(code)) || goneWords.test(thrown.message)
  return isGone ? AWAY : undefined
}

/**
 * PostgreSQL repeats the row in `detail` ("Failing row contains (…)") and the statement in `where`. Rows hold sealed
 * secrets and hashes, errors end in logs: what names the rule that was broken stays, what quotes the data goes.
 */
export function withoutRow(thrown: unknown): unknown {
  if (!(thrown instanceof pg.DatabaseError)) return thrown
  for (const quote of ['detail', 'where', 'internalQuery'] as const) delete thrown[quote]
  return thrown
}
