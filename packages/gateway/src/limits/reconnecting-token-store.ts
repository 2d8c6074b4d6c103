/**
 * The shared count of a store that may be away: Redis or the database. One that does not answer in time is away: nothing is asked of
 * it any more until a look from time to time finds it well again. That it went and that it came back is logged once each, never for
 * a call.
 */
import type { Log } from '../lib/log.ts'
import { MINUTE } from './buckets.ts'
import { createPatience } from '../lib/patience.ts'
import type { TokenRequest, Granted, SharedTokenStore } from './shared-buckets.ts'

export interface StoreTimes {
  /** How long an answer may take before the store counts as away, not counting what this process stood still. Milliseconds. */
  readonly patience: number
  /** How long the start waits for the first answer. Milliseconds. */
  readonly start: number
  /** Between two looks whether it is back. Milliseconds. */
  readonly look: number
}

export const STORE_TIMES: StoreTimes = { patience: 250, start: 2_000, look: 1_000 }

/** A shared count with the connection that it opens and closes. */
export interface TokenStore extends SharedTokenStore {
  /** Resolves when it is known whether the store is there; never rejects. */
  open(): Promise<void>
  close(): Promise<void>
}

interface ReconnectingTokenStore extends SharedTokenStore {
  open(): Promise<void>
  /** For what breaks while nothing is asked. */
  markUnavailable(thrown: unknown): void
  close(): void
}

export interface ReconnectingTokenStoreParts {
  /** The store, as a sentence of the log begins with it. */
  readonly store: string
  readonly times: StoreTimes
  readonly log: Log
  connect(): Promise<unknown>
  take(name: string, asking: TokenRequest): Promise<Granted>
}

/** Good looks in a row until it is trusted again: one that comes and goes is not told of each time. */
const SUCCESSES_NEEDED = 3

const NOTHING: TokenRequest = { most: 1, window: MINUTE, desired: 0, minimum: 0, returned: 0 }

export const createReconnectingTokenStore = (parts: ReconnectingTokenStoreParts): ReconnectingTokenStore =>
  new ReconnectingStore(parts)

class ReconnectingStore implements ReconnectingTokenStore {
  readonly #parts: ReconnectingTokenStoreParts
  readonly #patience
  #isAvailable = false
  #closed = false
  #probeTimer: NodeJS.Timeout | undefined
  #successes = 0

  constructor(parts: ReconnectingTokenStoreParts) {
    this.#parts = parts
    this.#patience = createPatience(parts.times.patience)
  }

  readonly #take = (name: string, asking: TokenRequest) => this.#patience.wait(this.#parts.take(name, asking))

  readonly markUnavailable = (thrown: unknown): void => {
    if (this.#closed || this.#probeTimer !== undefined) return
    const { store, times, log } = this.#parts
    this.#isAvailable = false
    this.#successes = 0
    this.#probeTimer = setInterval(this.#probe, times.look)
    this.#probeTimer.unref()
    const problem = thrown instanceof Error ? thrown.message : String(thrown)
    log.warn({ problem }, `${store} does not respond: each gateway counts its limits separately until it does`)
  }

  /** A ping would do where nothing may be written: what is asked is what will be asked. */
  readonly #probe = (): void => {
    this.#take('look', NOTHING).then(
      () => ++this.#successes === SUCCESSES_NEEDED && this.#markAvailable(),
      () => (this.#successes = 0),
    )
  }

  readonly #markAvailable = (): void => {
    if (this.#closed) return
    clearInterval(this.#probeTimer)
    const { store, log } = this.#parts
    if (this.#probeTimer !== undefined)
      log.info({}, `${store} is responding again; limits are shared between gateways again`)
    this.#probeTimer = undefined
    this.#isAvailable = true
  }

  get isAvailable() {
    return this.#isAvailable
  }

  async open() {
    await this.#parts
      .connect()
      .then(() => this.#take('look', NOTHING).then(this.#markAvailable))
      .catch(this.markUnavailable)
  }

  async take(name: string, asking: TokenRequest): Promise<Granted> {
    try {
      return await this.#take(name, asking)
    } catch (thrown) {
      this.markUnavailable(thrown)
      throw thrown
    }
  }

  close() {
    this.#closed = true
    clearInterval(this.#probeTimer)
  }
}
