/**
 * Whether the calls of a connection succeed, whatever its server answers to the gateway's own requests. Several failures in a row with no
 * success between them, of whoever calls, are told; so is the next success. It refuses nothing: that is the breaker's (`breaker.ts`).
 *
 * Failures are answers that are no MCP and connections that break, and refusals where every call is let in by the same headers. An error of
 * the server's own is an answer; silence is the breaker's to count, and what concerns one caller (an account, a limit, too large a result)
 * says nothing of the connection.
 */
import { Fault } from '@toolway/contract'

/** As with the breaker: fewer may be chance, or one tool that does not work. */
const MOST_FAILURES = 5
const FAILURES: ReadonlySet<string> = new Set(['upstream.malformed', 'upstream.lost', 'upstream.unreachable'])
const REFUSAL = 'upstream.needs-auth'
/** Milliseconds between two times that a failure is told. */
const TOLD_EVERY = 60_000

export class CallHealth {
  readonly #tell: (failure: Fault | undefined) => void
  readonly #isOwn: () => boolean
  /** In a row. Whoever counts looks here first: a call that goes well costs nothing while there are none. */
  failures = 0
  #toldAt = 0

  /**
   * `tell` hears a failure, and undefined when a call succeeded after one was told. `isOwn`: no caller has an account there, so that a
   * refusal meets all of them.
   */
  constructor(tell: (failure: Fault | undefined) => void, isOwn: () => boolean = () => false) {
    this.#tell = tell
    this.#isOwn = isOwn
  }

  succeeded(): void {
    const wasTold = this.failures >= MOST_FAILURES
    this.failures = 0
    if (wasTold) this.#tell(undefined)
  }

  failed(thrown: unknown): void {
    const fault = Fault.of(thrown)
    const isFailure = FAILURES.has(fault.code) || (fault.code === REFUSAL && this.#isOwn())
    if (!isFailure || ++this.failures < MOST_FAILURES) return
    const now = performance.now()
    if (this.failures > MOST_FAILURES && now - this.#toldAt < TOLD_EVERY) return
    this.#toldAt = now
    this.#tell(fault)
  }
}
