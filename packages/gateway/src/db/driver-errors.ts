/**
 * Classifies failures of a query: the database cannot be used, or a statement was wrong; and selects the parts of an error that
 * may be reported. It never decides whether to retry: only the sender knows whether a write may be sent twice.
 */
import pg from 'pg'
import { DatabaseUnreachable } from './unreachable.ts'

/** Messages to callers for each kind of failure: SQLSTATE or its prefix (PostgreSQL appendix A). The first match counts. */
const TROUBLES: readonly (readonly [state: RegExp, problem: string])[] = [
  [/^53100/, 'its disk is full'],
  [/^53[23]00/, 'it accepts no more connections'],
  [/^53/, 'it lacks resources'],
  [/^25006/, 'it is read-only'],
  [/^28/, 'it refuses the gateway’s sign-in'],
  [/^3D000/, 'it does not exist'],
  [/^42501/, 'the gateway lacks permissions in it'],
  [/^58/, 'its disk does not work'],
  [/^(08|57P0[1-5])/, 'it does not respond'],
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
  const problem = troubleOf(thrown)
  if (problem === undefined) return undefined
  // A server that refuses a commit in words has not carried it out.
  const refused = thrown instanceof pg.DatabaseError && !/^(08|57P)/.test(thrown.code ?? '')
  return new DatabaseUnreachable(refused ? 'nothing' : outcome, withoutRow(thrown), problem)
}

function troubleOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined
  if (thrown instanceof pg.DatabaseError) {
    const { code = '', routine } = thrown
    if (code === '42501' && OUR_MISTAKES.has(routine)) return undefined
    return TROUBLES.find(([state]) => state.test(code))?.[1]
  }
  if (thrown instanceof AggregateError) return thrown.errors.map(troubleOf).find((problem) => problem !== undefined)
  const code = 'code' in thrown ? thrown.code : undefined
  const isGone = (typeof code === 'string' && goneSockets.has(code)) || goneWords.test(thrown.message)
  return isGone ? 'it does not respond' : undefined
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
