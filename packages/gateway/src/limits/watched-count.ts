/**
 * The shared count of a store that may be away: Redis or the database. One that does not answer in time is away: nothing is asked of
 * it any more until a look from time to time finds it well again. That it went and that it came back is logged once each, never for
 * a call.
 */
import type { Log } from '../lib/log.ts'
import { MINUTE } from './buckets.ts'
import { createPatience } from '../lib/patience.ts'
import type { Asking, Granted, SharedCount } from './shared-buckets.ts'

export interface CountTimes {
  /** How long an answer may take before the store counts as away, not counting what this process stood still. Milliseconds. */
  readonly patience: number
  /** How long the start waits for the first answer. Milliseconds. */
  readonly start: number
  /** Between two looks whether it is back. Milliseconds. */
  readonly look: number
}

export const TIMES: CountTimes = { patience: 250, start: 2_000, look: 1_000 }

/** A shared count with the connection that it opens and closes. */
export interface OpenedCount extends SharedCount {
  /** Resolves when it is known whether the store is there; never rejects. */
  open(): Promise<void>
  close(): Promise<void>
}

interface WatchedCount extends SharedCount {
  open(): Promise<void>
  /** For what breaks while nothing is asked. */
  lose(thrown: unknown): void
  close(): void
}

export interface WatchedCountParts {
  /** The store, as a sentence of the log begins with it. */
  readonly store: string
  readonly times: CountTimes
  readonly log: Log
  connect(): Promise<unknown>
  take(name: string, asking: Asking): Promise<Granted>
}

/** Good looks in a row until it is trusted again: one that comes and goes is not told of each time. */
const GOOD = 3

const NOTHING: Asking = { most: 1, window: MINUTE, want: 0, need: 0, back: 0 }

export const createWatchedCount = (parts: WatchedCountParts): WatchedCount => new Watched(parts)

class Watched implements WatchedCount {
  readonly #parts: WatchedCountParts
  readonly #patience
  #there = false
  #closed = false
  #looking: NodeJS.Timeout | undefined
  #good = 0

  constructor(parts: WatchedCountParts) {
    this.#parts = parts
    this.#patience = createPatience(parts.times.patience)
  }

  readonly #take = (name: string, asking: Asking) => this.#patience.wait(this.#parts.take(name, asking))

  readonly lose = (thrown: unknown): void => {
    if (this.#closed || this.#looking !== undefined) return
    const { store, times, log } = this.#parts
    this.#there = false
    this.#good = 0
    this.#looking = setInterval(this.#look, times.look)
    this.#looking.unref()
    const problem = thrown instanceof Error ? thrown.message : String(thrown)
    log.warn({ problem }, `${store} does not respond: each gateway counts its limits separately until it does`)
  }

  /** A ping would do where nothing may be written: what is asked is what will be asked. */
  readonly #look = (): void => {
    this.#take('look', NOTHING).then(
      () => ++this.#good === GOOD && this.#find(),
      () => (this.#good = 0),
    )
  }

  readonly #find = (): void => {
    if (this.#closed) return
    clearInterval(this.#looking)
    const { store, log } = this.#parts
    if (this.#looking !== undefined)
      log.info({}, `${store} is responding again; limits are shared between gateways again`)
    this.#looking = undefined
    this.#there = true
  }

  get there() {
    return this.#there
  }

  async open() {
    await this.#parts
      .connect()
      .then(() => this.#take('look', NOTHING).then(this.#find))
      .catch(this.lose)
  }

  async ask(name: string, asking: Asking): Promise<Granted> {
    try {
      return await this.#take(name, asking)
    } catch (thrown) {
      this.lose(thrown)
      throw thrown
    }
  }

  close() {
    this.#closed = true
    clearInterval(this.#looking)
  }
}
