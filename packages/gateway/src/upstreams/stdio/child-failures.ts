/** How often a child failed in a row, why it did last, and what is said of that to those who need it. */
import { Fault } from '@toolway/contract'
import { ProgramSaid } from '../program-report.ts'
import { createRestarts } from './restarts.ts'

export class ChildFailures {
  readonly restarts = createRestarts({ now: Date.now })
  readonly #alias: string
  #problem = ''
  #cause: ProgramSaid | undefined

  constructor(alias: string) {
    this.#alias = alias
  }

  get count(): number {
    return this.restarts.failures
  }

  /** Milliseconds until it may be started; undefined: not any more. */
  get wait(): number | undefined {
    return this.restarts.wait()
  }

  /** Of the last failure; empty where there was none. */
  get problem(): string {
    return this.#problem
  }

  note(problem: string, cause: ProgramSaid): void {
    this.#problem = problem
    this.#cause = cause
  }

  /** It is not started any more. */
  givenUp(): Fault {
    return new Fault(
      'upstream.given-up',
      { connection: this.#alias, failures: this.count, problem: this.#problem },
      { cause: this.#cause },
    )
  }

  /** Throws where it may not be started now. */
  refuseStart(): void {
    const { wait } = this
    if (wait === undefined) throw this.givenUp()
    if (wait === 0) return
    const problem = `${this.#problem}; next start in ${Math.ceil(wait / 1000)} s`
    throw new Fault('upstream.unreachable', { connection: this.#alias, problem }, { cause: this.#cause })
  }

  /** Why it did not start, in words. */
  wordStart(thrown: unknown): Fault {
    if (thrown instanceof Fault && thrown.code !== 'upstream.lost') {
      this.#problem = thrown.message
      this.#cause = thrown.cause instanceof ProgramSaid ? thrown.cause : undefined
      return thrown
    }
    // The worker words what an operating system says: no such command, no permission.
    if (!(thrown instanceof Fault)) this.#problem = thrown instanceof Error ? thrown.message : String(thrown)
    return new Fault('upstream.unreachable', { connection: this.#alias, problem: this.#problem }, { cause: thrown })
  }
}
