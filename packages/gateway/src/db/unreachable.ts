/**
 * The fault of a database that cannot be used, for every reason of the database's own: away, frozen, full, read-only, without
 * rights. It is a fault of the table, so that every door words it without knowing of databases.
 *
 * This file loads no driver, because a gateway without a database words its own failures too.
 */
import { Fault } from '@toolway/contract'

const SILENCE = 'it does not respond'

/** `nothing`: nothing was written. `unknown`: the connection broke while the commit was on its way. */
type Outcome = 'nothing' | 'unknown'

export class DatabaseUnreachable extends Fault<'database.unavailable' | 'database.interrupted'> {
  readonly outcome: Outcome
  /** The message of the server or the driver, for the operator. It carries no password; callers do not see it. */
  readonly reason: string
  /** The remedy for the operator, as the rest of a sentence. */
  readonly operatorMend: string
  /** There was no answer at all, or no connection: whatever else is asked now has none either. */
  readonly isSilence: boolean

  /** `problem`: a sentence without a subject for the caller, which names no host, account or table. */
  constructor(outcome: Outcome, cause: unknown, problem = SILENCE, mend = MEND) {
    super(outcome === 'unknown' ? 'database.interrupted' : 'database.unavailable', { problem }, { cause })
    this.name = 'DatabaseUnreachable'
    this.outcome = outcome
    this.reason = reasonOf(cause)
    this.operatorMend = mend
    this.isSilence = problem === SILENCE
  }

  /** For the operator at a terminal, who needs the reason that callers do not see. */
  get forOperator(): string {
    return `${this.message} PostgreSQL reports: ${this.reason}. ${this.operatorMend.slice(0, 1).toUpperCase()}${this.operatorMend.slice(1)}`
  }

  static override [Symbol.hasInstance](thrown: unknown): thrown is DatabaseUnreachable {
    return Function.prototype[Symbol.hasInstance].call(this, thrown)
  }
}

const MEND = 'check that it is running, and check the user, password, permissions and disk.'

/** When to come again: a database that is restarted, or taken over by its standby, is away for some seconds. */
export const RETRY_SECONDS = 5

/** Whether a fault says that the database cannot be used. */
export const isDatabaseFault = ({ code }: Fault): boolean => code.startsWith('database.')

/** pg puts no password into its messages, and a connection string never gets here. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message
  return cause instanceof Error && cause.message !== '' ? cause.message : 'the connection ended'
}
