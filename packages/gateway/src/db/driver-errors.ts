/**
 * Which failures of a query mean that the database is gone rather than that it said no, and what of an error may be told? It
 * never decides whether to try again: whether a write may be sent twice is known only to the one who sent it.
 */
import pg from 'pg'
import { DatabaseUnreachable } from './unreachable.ts'

/** SQLSTATE 08 connection exception, 57P01-57P05 the server goes or comes, 53300 no connection left (PostgreSQL appendix A). */
const goneStates = /^(08...|57P0[1-5]|53300)$/

/** What pg itself says, without any code, when the socket or the wait ends (pg 8.23: client.js, pg-pool). */
const goneWords =
  /connection terminated|connection timeout|timeout exceeded|query read timeout|not queryable|client was closed/i

const goneSockets = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

export function isUnreachable(thrown: unknown): boolean {
  if (thrown instanceof DatabaseUnreachable) return true
  if (!(thrown instanceof Error)) return false
  if (thrown instanceof pg.DatabaseError) return goneStates.test(thrown.code ?? '')
  if (thrown instanceof AggregateError) return thrown.errors.some(isUnreachable)
  const code = 'code' in thrown ? thrown.code : undefined
  return (typeof code === 'string' && goneSockets.has(code)) || goneWords.test(thrown.message)
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
