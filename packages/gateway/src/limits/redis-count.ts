/**
 * The shared count in Redis: one small script that takes tokens from a bucket under Redis's own clock, so that the gateways'
 * clocks need not agree.
 *
 * Redis that does not answer in time is away: nothing is asked of it any more until a look from time to time finds it well
 * again. That it went and that it came back is logged once each, never for a call.
 *
 * The same connection is a cache for what gateways keep for each other. A text that comes late is done without, and says nothing of
 * Redis.
 */
import { Redis } from 'ioredis'
import type { Log } from '../lib/log.ts'
import type { SharedTexts } from '../lib/shared-texts.ts'
import { MINUTE } from './buckets.ts'
import { createPatience } from './patience.ts'
import type { Asking, Granted, SharedCount } from './shared-buckets.ts'

export interface RedisCountParts {
  readonly url: string
  /** The prefix for names of this installation: several may share one Redis. */
  readonly prefix: string
  readonly log: Log
  readonly times?: RedisTimes
}

export interface RedisTimes {
  /** How long an answer may take before Redis counts as away, not counting what this process stood still. Milliseconds. */
  readonly patience: number
  /** How long the start waits for the first answer. Milliseconds. */
  readonly start: number
  /** Between two looks whether it is back. Milliseconds. */
  readonly look: number
}

export interface RedisCount extends SharedCount, SharedTexts {
  /** Resolves when it is known whether Redis is there; never rejects. */
  open(): Promise<void>
  close(): void
}

/** Good looks in a row until it is trusted again: one that comes and goes is not told of each time. */
const GOOD = 3

const TIMES: RedisTimes = { patience: 250, start: 2_000, look: 1_000 }

/**
 * KEYS: the bucket. ARGV: what it holds, wanted, needed, given back, the milliseconds in which it fills. Answers the tokens taken and,
 * where there were not enough, the milliseconds until there are. A bucket that nobody touches for twice that time is full, and goes.
 */
const TAKE = `
local most, want, need, back = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local window = tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local since = math.max(0, now - (tonumber(held[2]) or now))
local tokens = math.min(most, (tonumber(held[1]) or most) + back + since * most / window)
local taken = 0
if tokens >= want then taken = want elseif tokens + 0.000001 >= need then taken = math.max(need, math.floor(tokens)) end
tokens = tokens - taken
redis.call('HSET', KEYS[1], 'tokens', string.format('%.9f', tokens), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], 2 * window)
return { taken, taken > 0 and 0 or math.ceil((need - tokens) * window / most) + 1 }
`

const NOTHING: Asking = { most: 1, window: MINUTE, want: 0, need: 0, back: 0 }

/** The method that `defineCommand` adds. */
interface Taking {
  takeTokens(
    key: string,
    most: number,
    want: number,
    need: number,
    back: number,
    window: number,
  ): Promise<[number, number]>
}

export const createRedisCount = (parts: RedisCountParts): RedisCount => new RedisCounter(parts)

class RedisCounter implements RedisCount {
  readonly #parts: RedisCountParts
  readonly #times
  #there = false
  #closed = false
  #looking: NodeJS.Timeout | undefined
  #good = 0
  readonly #redis
  readonly #takeTokens
  readonly #patience
  readonly #patienceForTexts

  constructor(parts: RedisCountParts) {
    this.#parts = parts
    const { times = TIMES } = parts
    this.#times = times
    this.#redis = new Redis(this.#parts.url, {
      lazyConnect: true,
      // A command that cannot be sent now is counted locally, and not sent later.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      connectTimeout: this.#times.start,
      retryStrategy: () => this.#times.look,
    })
    this.#redis.defineCommand('takeTokens', { numberOfKeys: 1, lua: TAKE })
    const { takeTokens } = this.#redis as unknown as Taking
    this.#takeTokens = takeTokens
    // Each of them fails what is under way, too; an error that nobody hears would end the process.
    this.#redis.on('error', (error: Error) => this.#lose(error))
    this.#patience = createPatience(this.#times.patience)
    this.#patienceForTexts = createPatience(this.#times.start)
  }

  #take(name: string, { most, window, want, need, back }: Asking) {
    return this.#patience.wait(
      this.#takeTokens.call(this.#redis, `${this.#parts.prefix}:${name}`, most, want, need, back, window),
    )
  }

  readonly #lose = (thrown: unknown): void => {
    if (this.#closed || this.#looking !== undefined) return
    this.#there = false
    this.#good = 0
    this.#looking = setInterval(this.#look, this.#times.look)
    this.#looking.unref()
    const problem = thrown instanceof Error ? thrown.message : String(thrown)
    this.#parts.log.warn({ problem }, 'Redis does not answer: each gateway counts its limits alone until it does')
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
    if (this.#looking !== undefined) this.#parts.log.info({}, 'Redis answers again: limits are counted together')
    this.#looking = undefined
    this.#there = true
  }

  get there() {
    return this.#there
  }

  async open() {
    await this.#redis
      .connect()
      .then(() => this.#take('look', NOTHING).then(this.#find))
      .catch(this.#lose)
  }

  async ask(name: string, asking: Asking): Promise<Granted> {
    try {
      const [tokens, wait] = await this.#take(name, asking)
      return { tokens, wait }
    } catch (thrown) {
      this.#lose(thrown)
      throw thrown
    }
  }

  async load(name: string): Promise<string | undefined> {
    if (!this.#there) return undefined
    try {
      return (await this.#patienceForTexts.wait(this.#redis.get(`${this.#parts.prefix}:${name}`))) ?? undefined
    } catch {
      return undefined
    }
  }

  keep(name: string, text: string, milliseconds: number): void {
    if (!this.#there || milliseconds < 1) return
    this.#redis.set(`${this.#parts.prefix}:${name}`, text, 'PX', Math.floor(milliseconds)).catch(() => {})
  }

  close() {
    this.#closed = true
    clearInterval(this.#looking)
    this.#redis.disconnect()
  }
}
