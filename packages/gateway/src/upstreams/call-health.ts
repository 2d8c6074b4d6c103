/**
 * Whether the calls of a connection succeed, whatever its server answers to the gateway's own requests. Several failures in a row with no
 * success between them, of whoever calls, are told; so is the next success. It refuses nothing: that is the breaker's (`breaker.ts`).
 *
 * Failures are answers that are no MCP and connections that break, and refusals where every call is let in by the same headers. An error of
 * the server's own is an answer; silence is the breaker's to count, and what concerns one caller (an account, a limit, too large a result)
 * says nothing of the connection.
 */
import { Fault } from '@toolway/contract'
import { accessRefusedOf } from './access-refused.ts'

/** As with the breaker: fewer may be chance, or one tool that does not work. */
const MOST_FAILURES = 5
const FAILURES: ReadonlySet<string> = new Set(['upstream.malformed', 'upstream.lost', 'upstream.unreachable'])
const REFUSAL = 'upstream.needs-auth'
/**
 * The calls that the headers of a connection let in: every call, those without an account (whose refusal without a challenge asks for none), or no
 * call.
 */
export type LetIn = 'every call' | 'calls without an account' | 'no call'
/** Milliseconds between two times that a failure is told. */
const TOLD_EVERY = 60_000

export class CallHealth {
  readonly #tell: (failure: Fault | undefined) => void
  readonly #letIn: () => LetIn
  /** In a row. Whoever counts looks here first: a call that goes well costs nothing while there are none. */
  failures = 0
  #toldAt = 0

  /**
   * `tell` hears a failure, and undefined when a call succeeded after one was told. `letIn` is called when a server
   * refuses a call: a refusal of the connection's own headers meets all callers.
   */
  constructor(tell: (failure: Fault | undefined) => void, letIn: () => LetIn = () => 'no call') {
    this.#tell = tell
    this.#letIn = letIn
  }

  succeeded(): void {
    const wasTold = this.failures >= MOST_FAILURES
    this.failures = 0
    if (wasTold) this.#tell(undefined)
  }

  failed(thrown: unknown, hasCredential = false): void {
    const fault = Fault.of(thrown)
    const isFailure = FAILURES.has(fault.code) || (fault.code === REFUSAL && this.#meetsAll(thrown, hasCredential))
    if (!isFailure || ++this.failures < MOST_FAILURES) return
    const now = performance.now()
    if (this.failures > MOST_FAILURES && now - this.#toldAt < TOLD_EVERY) return
    this.#toldAt = now
    this.#tell(fault)
  }

  #meetsAll(thrown: unknown, hasCredential: boolean): boolean {
    const letIn = this.#letIn()
    if (letIn !== 'calls without an account') return letIn === 'every call'
    return !hasCredential && accessRefusedOf(thrown)?.challenge === undefined
  }
}
