/**
 * The database does not answer: one error for whoever meets it, in a file that loads no driver, because a gateway without a
 * database words its own failures too.
 */
/** The database does not answer. `outcome` says what is known about the transaction's writes. */
export class DatabaseUnreachable extends Error {
  /** `nothing`: nothing was written. `unknown`: the connection broke while the commit was on its way. */
  readonly outcome: 'nothing' | 'unknown'

  constructor(outcome: 'nothing' | 'unknown', cause: unknown) {
    const tail =
      outcome === 'unknown' ? 'it broke off during the commit, whose outcome is unknown' : 'nothing was written'
    super(`the database does not answer (${reasonOf(cause)}); ${tail}`, { cause })
    this.name = 'DatabaseUnreachable'
    this.outcome = outcome
  }
}

/** Short and free of addresses with passwords: pg puts none into its messages, a connection string never gets here. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message
  return cause instanceof Error && cause.message !== '' ? cause.message : 'the connection ended'
}
