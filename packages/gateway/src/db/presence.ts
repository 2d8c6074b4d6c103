/**
 * Whether the database can be used, and since when not. It looks each second on a connection of its own, so that a pool whose
 * connections are all taken does not count as a database that is away, and it hears how the transactions of the pool end.
 *
 * What it knows is read from memory and never waited for: health, metrics and the refusal of what a silent database could not do
 * anyway (ADR 0111). Callers ask it how long memory has to serve alone.
 */
import pg from 'pg'
import { createPatience, type Patience } from '../lib/patience.ts'
import type { Log } from '../lib/log.ts'
import { unreachableOf } from './driver-errors.ts'
import { DatabaseUnreachable } from './unreachable.ts'

/** State that is known without a query. */
export interface Known {
  /** Whether the last look, or a transaction since then, was answered. */
  readonly responds: boolean
  /** Milliseconds since that was found out. */
  readonly age: number
}

export interface Presence {
  /** Milliseconds since the database was last of use; 0 while it is. */
  awayFor(): number
  known(): Known
  /**
   * Set while this gateway serves and the last look had no answer: whatever is asked would have none either. Ends with the next look
   * that has one, with a transaction that was under way, and when the database speaks by itself.
   */
  silence(): DatabaseUnreachable | undefined
  /** Calls it each time the database is of use again, until the function that it returns is called. */
  onBack(listener: () => void): () => void
  /** One look, for whoever asks at the same time. Resolves when it answers in time, else throws DatabaseUnreachable. */
  look(): Promise<void>
  /** Look each second until it is closed. */
  watch(): void
  /** From now on callers come, who are refused at once. A start waits for a slow database: nobody can ask for it again. */
  serve(): void
  /** A transaction ended in a commit or in a refusal of its own. */
  worked(): void
  /** A transaction could not be carried out. */
  failed(fault: DatabaseUnreachable): void
  /** It spoke: a notification came, or a connection that waits for them is there again. */
  spoke(): void
  close(): Promise<void>
}

export interface PresenceParts {
  readonly connection: pg.ClientConfig
  /** The pool leads another way than `connection`, through a pooler: one of them may be closed and the other open. */
  readonly apart: boolean
  /** Whether the pool serves within so many milliseconds; asked only after it, or the own connection, has failed. */
  tryPool(within: number): Promise<unknown>
  /** How long a look may take, in milliseconds of the time that this process had: two seconds where nothing is said. */
  readonly patience?: number | undefined
  readonly log: Log | undefined
}

/** Milliseconds, of the time that this process had: a process that stood still has not been kept waiting. */
const PATIENCE_MS = 2_000
/** Between two looks. Milliseconds. */
const EVERY = { well: 1_000, away: 500 }

export const createPresence = (parts: PresenceParts): Presence => new WatchedPresence(parts)

class WatchedPresence implements Presence {
  readonly #parts: PresenceParts
  readonly #within: number
  readonly #patience: Patience
  readonly #listeners = new Set<() => void>()
  #client: pg.Client | undefined
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #watched = false
  #serves = false
  #closed = false
  #lastGood = performance.now()
  #problem: DatabaseUnreachable | undefined
  /** Of the last look, or of a transaction after it that worked. */
  #known = { responds: true, at: performance.now() }
  #silence: DatabaseUnreachable | undefined

  constructor(parts: PresenceParts) {
    this.#parts = parts
    this.#within = parts.patience ?? PATIENCE_MS
    this.#patience = createPatience(this.#within)
  }

  awayFor(): number {
    return this.#problem === undefined ? 0 : performance.now() - this.#lastGood
  }

  known(): Known {
    return { responds: this.#known.responds, age: performance.now() - this.#known.at }
  }

  silence(): DatabaseUnreachable | undefined {
    return this.#serves ? this.#silence : undefined
  }

  onBack(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  worked(): void {
    const away = this.awayFor()
    this.#lastGood = performance.now()
    this.#known = { responds: true, at: this.#lastGood }
    this.#silence = undefined
    if (this.#problem === undefined) return
    this.#problem = undefined
    if (away > this.#within) this.#parts.log?.info({ seconds: Math.round(away / 1000) }, 'the database responds again')
    for (const listener of this.#listeners) listener()
  }

  failed(fault: DatabaseUnreachable): void {
    if (this.#problem === undefined)
      this.#parts.log?.warn({ problem: fault.message, reason: fault.reason }, 'the database cannot be used')
    this.#problem ??= fault
    // A probe need not wait for the next second.
    if (fault.isSilence && this.#watched && this.#looking === undefined) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#plan(0)
    }
  }

  spoke(): void {
    this.#silence = undefined
  }

  look(): Promise<void> {
    return (this.#looking ??= this.#lookNow().finally(() => (this.#looking = undefined)))
  }

  watch(): void {
    this.#watched = true
    this.#plan(0)
  }

  serve(): void {
    this.#serves = true
  }

  #plan(after: number): void {
    if (this.#closed || this.#timer !== undefined) return
    const planNext = () => {
      this.#timer = undefined
      this.#plan(this.#problem === undefined ? EVERY.well : EVERY.away)
    }
    this.#timer = setTimeout(() => void this.look().then(planNext, planNext), after)
    this.#timer.unref()
  }

  async #lookNow(): Promise<void> {
    const begun = performance.now()
    try {
      await this.#askAlone(begun)
      if (this.#problem !== undefined) await this.#parts.tryPool(this.#within)
      this.worked()
    } catch (thrown) {
      const fault = asFault(thrown)
      if (!this.#closed) {
        this.failed(fault)
        // A transaction that worked meanwhile knows better.
        if (this.#lastGood < begun) this.#known = { responds: false, at: performance.now() }
      }
      throw fault
    }
  }

  /** Asks on the own connection. No answer there is silence, unless the pool had one meanwhile or has one by another way. */
  async #askAlone(begun: number): Promise<void> {
    let own = this.#client
    try {
      own ??= await this.#open()
      await this.#patience.wait(own.query('select 1'))
      this.#silence = undefined
    } catch (thrown) {
      if (this.#client === own) this.#client = undefined
      own?.end().catch(() => {})
      const fault = asFault(thrown)
      // A refusal is an answer, after an earlier look that had none as well: each transaction hears it for itself.
      if (isRefusal(thrown)) this.#silence = undefined
      else if (fault.isSilence && this.#lastGood < begun && !(await this.#hasOtherWay())) this.#silence = fault
      throw fault
    }
  }

  async #hasOtherWay(): Promise<boolean> {
    const { apart, tryPool } = this.#parts
    return (
      apart &&
      tryPool(this.#within).then(
        () => true,
        () => false,
      )
    )
  }

  async #open(): Promise<pg.Client> {
    // The driver's own times, which a pause of this process shortens, only end what was given up.
    const bounds = { connectionTimeoutMillis: 2 * this.#within, query_timeout: 2 * this.#within }
    const own = new pg.Client({ ...this.#parts.connection, keepAlive: true, ...bounds })
    const drop = () => {
      if (this.#client === own) this.#client = undefined
    }
    // Without an ear for it, the error of a broken connection ends the process.
    own.on('error', drop).on('end', drop)
    try {
      await this.#patience.wait(own.connect())
    } catch (thrown) {
      own.end().catch(() => {})
      throw thrown
    }
    if (this.#closed) await own.end()
    return (this.#client = own)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#looking?.catch(() => {})
    await this.#client?.end().catch(() => {})
  }
}

/** Words of the server, other than that it goes or comes (SQLSTATE classes 08 and 57P): then each transaction tries for itself. */
const isRefusal = (thrown: unknown) => thrown instanceof pg.DatabaseError && !/^(08|57P)/.test(thrown.code ?? '')

const asFault = (thrown: unknown): DatabaseUnreachable =>
  unreachableOf(thrown, 'nothing') ?? new DatabaseUnreachable('nothing', thrown)
