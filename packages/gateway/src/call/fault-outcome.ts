/**
 * The outcome of a call that ended with a fault: cancelled, refused, failed or unknown.
 *
 * A refusal is a decision of the gateway: a rule, a limit, a switch, an account that is missing. An upstream that is away, an
 * authorization server that does not answer and a record that cannot be kept are failures: nobody decided against the call.
 */
import type { Fault } from '@toolway/contract'
import { isDatabaseFault } from '../db/unreachable.ts'
import type { Outcome } from '../records/records.ts'

/** Its client wanted no answer any more, or is where none can be taken: that says nothing of the server. */
const ENDS_OF_CLIENTS: ReadonlySet<string> = new Set(['call.cancelled', 'session.ended'])
/** The server itself does not let the gateway in, although an account was there. */
const ERRORS_OF_UPSTREAMS: ReadonlySet<string> = new Set(['upstream.needs-auth'])
/** An administrator switched it off. */
const REFUSALS: ReadonlySet<string> = new Set(['upstream.disabled'])

export function outcomeOfFault(fault: Fault): Outcome {
  const { code, row } = fault
  if (ENDS_OF_CLIENTS.has(code)) return 'cancelled'
  // As after a kill: the answer never came, and the call may have been carried out.
  if (code === 'gateway.draining-cut') return 'unknown'
  if (row.phase === 'run' || row.phase === 'shape' || isDatabaseFault(fault)) return 'failed'
  if (row.phase !== 'open' || REFUSALS.has(code)) return 'refused'
  return row.word === 'UNAVAILABLE' || ERRORS_OF_UPSTREAMS.has(code) ? 'failed' : 'refused'
}
