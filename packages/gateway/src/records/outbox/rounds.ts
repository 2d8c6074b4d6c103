/**
 * The rounds in which records go from memory to the database: one after the other, with a rest between two of them, and after a failure
 * less and less often.
 */
import type { Log } from '../../lib/log.ts'
import { BATCH } from './batch-store.ts'

/** The amount that a round stores: whole batches and at most one smaller one, or until nothing waits. */
export type Amount = 'batches' | 'all'

/**
 * The rest between two rounds of batches, in milliseconds: also the time that a record waits on a quiet gateway. A batch costs
 * PostgreSQL about 340 µs before its first record, so a shorter rest costs a call more, and a longer one makes bursts.
 */
const REST = 15
/** Records in memory from which the writer does not rest. */
export const MANY = BATCH
const AGAIN = { first: 200, most: 10_000 }

interface RoundsParts {
  readonly log: Pick<Log, 'warn'>
  /** Records in memory that are not stored. */
  waiting(): number
  /** False when what waits cannot be stored now. */
  drain(what: Amount): Promise<boolean>
}

export class OutboxRounds {
  readonly #parts: RoundsParts
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  /** Rounds that run or wait for the one before them. No other is planned meanwhile. */
  #rounds = 0
  /** Something came during a round. */
  #more = false
  /** The last round failed: the next one has its time, whatever comes. */
  #failing = false
  #pause = AGAIN.first

  constructor(parts: RoundsParts) {
    this.#parts = parts
  }

  /** There is one more record than before. */
  arrived(): void {
    if (this.#parts.waiting() === MANY && !this.#failing) this.#hurry()
    this.plan(REST)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  plan(after: number): void {
    if (this.#rounds > 0) this.#more = true
    else this.#timer ??= setTimeout(() => void this.run('batches'), after)
  }

  tryAgain(): void {
    this.#pause = AGAIN.first
    if (this.#failing && this.#timer !== undefined) this.#hurry()
  }

  /** Begins at once what is planned for later. */
  #hurry(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.plan(0)
  }

  /** Resolves when it has ended; it begins after those that run. */
  run(what: Amount): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#rounds++
    return (this.#writing = this.#writing.then(() => this.#round(what)))
  }

  async #round(what: Amount): Promise<void> {
    this.#more = false
    this.#failing = !(await this.#parts.drain(what))
    this.#rounds--
    const { log, waiting } = this.#parts
    if (this.#failing) {
      log.warn({ waiting: waiting() }, 'records cannot be stored now; they wait')
      this.plan(this.#pause)
      this.#pause = Math.min(this.#pause * 2, AGAIN.most)
      return
    }
    this.#pause = AGAIN.first
    if (this.#more || waiting() > 0) this.plan(waiting() >= MANY ? 0 : REST)
  }
}
