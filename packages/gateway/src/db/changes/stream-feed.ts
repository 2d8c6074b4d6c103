/**
 * The driver `redis` of the change feed. Changes are read from the stream by id, so a gateway that was away for a while reads on
 * where it was. It reloads everything (`reconnected`) where a number is missing, where another Redis process responds, and where the
 * database says that the stream is further than it reads.
 *
 * While Redis is away, or nobody moves changes to it, the gateway listens to the database; the log and /health/ready say so.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Listener } from '../db.ts'
import { CHANNEL, type ChangeFeed, type ChangeFeedParts, type StreamSettings } from './change-feed.ts'
import { createChangeRelay } from './change-relay.ts'
import { dropWaiting, lookAtRelay, wantChanges } from './change-rows.ts'
import { KEPT, lastEntry, readEntries, serverOf, streamKey, type StreamEntry } from './stream-entries.ts'
import { openRedisConnection, type RedisConnection } from './redis-connection.ts'

/** Nobody notifies here: the connection alone says that this gateway lives. */
const ALIVE_CHANNEL = 'toolway_alive'
/** Milliseconds: one read waits for entries; between two looks at the relay; between two tries to have Redis back. */
const READ_MS = 2_000
const LOOK_EVERY_MS = 2_000
const RETRY_MS = 500
const STARTING = 'starting'

export async function createStreamFeed(parts: ChangeFeedParts, settings: StreamSettings): Promise<ChangeFeed> {
  const feed = new StreamFeed(parts, settings)
  await feed.open()
  return feed
}

class StreamFeed implements ChangeFeed {
  readonly #parts
  readonly #settings
  readonly #key
  readonly #closed = new AbortController()
  /** Open while the database is listened to. */
  #listener: Listener | undefined
  #alive: Listener | undefined
  #relay: { close(): Promise<void> } | undefined
  #redis: RedisConnection | undefined
  #running: Promise<unknown> = Promise.resolve()
  #problem: string | undefined = STARTING
  /** Tries since the last answer to a read: a try that took its time and failed is none. */
  #failures = 0
  #server: string | undefined
  #after = '0-0'
  /** The number of the last entry that was heard. */
  #heard = 0n
  /** The streams found behind at the last look: behind is what stays behind between two looks. */
  #seen: { oldest: string | null; heard: bigint; relayed: bigint } | undefined
  #stuck: string | undefined
  /** One switch between Redis and the database at a time. */
  #switching: Promise<void> = Promise.resolve()

  constructor(parts: ChangeFeedParts, settings: StreamSettings) {
    this.#parts = parts
    this.#settings = settings
    this.#key = streamKey(settings.prefix)
  }

  state = () => (this.#problem === undefined ? 'redis' : `database: ${this.#problem}`)
  problem = () => this.#problem

  async open(): Promise<void> {
    const { db, onNotice, alive, log } = this.#parts
    this.#listener = await db.listen(CHANNEL, onNotice)
    this.#alive = await db.listen(ALIVE_CHANNEL, () => {}, alive)
    await db.system(wantChanges)
    this.#relay = createChangeRelay({ db, log, channel: CHANNEL, holder: randomUUID(), ...this.#settings })
    this.#running = Promise.all([this.#keepReading(), this.#keepLooking()])
  }

  async #keepReading(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      try {
        await this.#place()
        await this.#read()
      } catch (thrown) {
        this.#redis?.close()
        this.#redis = undefined
        if (this.#closed.signal.aborted) return
        // A connection that was cut is made anew once before anything else is done.
        if (this.#failures++ === 0) continue
        const problem = thrown instanceof Error ? thrown.message : String(thrown)
        await this.#switch(() => this.#fallBack(problem))
        await this.#pause(RETRY_MS)
      }
    }
    this.#redis?.close()
  }

  /** Connects, and takes its place in the stream: the one it had, or the end. */
  async #place(): Promise<void> {
    this.#redis = await openRedisConnection(this.#settings.url)
    const server = await serverOf(this.#redis)
    if (server === this.#server) return
    const isFirst = this.#server === undefined
    // Asked in this order: an entry is in the stream before the database counts it.
    const { relayed } = await this.#parts.db.system(lookAtRelay)
    const last = await lastEntry(this.#redis, this.#key)
    this.#after = last?.id ?? '0-0'
    this.#heard = last !== undefined && last.number > BigInt(relayed) ? last.number : BigInt(relayed)
    this.#seen = undefined
    this.#server = server
    // At the start the database is listened to until the place is taken.
    if (!isFirst) this.#reload('another Redis process responds')
  }

  async #read(): Promise<void> {
    for (let redis = this.#redis; redis !== undefined && !this.#closed.signal.aborted; redis = this.#redis) {
      await this.#switch(() => this.#comeBack())
      for (const entry of await readEntries(redis, this.#key, this.#after, READ_MS)) this.#hear(entry)
      this.#failures = 0
    }
  }

  #hear({ id, number, payload }: StreamEntry): void {
    if (number > this.#heard + 1n) this.#reload('entries of the stream are gone')
    this.#after = id
    if (number > this.#heard) this.#heard = number
    this.#parts.onNotice({ kind: 'payload', payload })
  }

  #reload(reason: string): void {
    this.#parts.log.info({ reason }, 'everything is reloaded: changes may have been missed')
    this.#parts.onNotice({ kind: 'reconnected' })
  }

  /** The stream is read from the place that was taken, so nothing is between it and what the database told. */
  async #comeBack(): Promise<void> {
    if (this.#listener === undefined || this.#stuck !== undefined) return
    const listener = this.#listener
    this.#listener = undefined
    if (this.#problem !== STARTING) this.#parts.log.info({}, 'changes are read from Redis again')
    this.#problem = undefined
    await listener.close()
  }

  async #fallBack(problem: string): Promise<void> {
    const { db, onNotice, log } = this.#parts
    if (this.#problem === undefined || this.#problem === STARTING)
      log.warn({ problem }, 'changes cannot be read from Redis; listening to the database until they can')
    this.#problem = problem
    if (this.#listener !== undefined) return
    try {
      this.#listener = await db.listen(CHANNEL, onNotice)
      this.#reload('listening to the database')
    } catch (thrown) {
      log.warn({ err: thrown }, 'cannot listen to the database either; retrying')
    }
  }

  async #keepLooking(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      await this.#pause(LOOK_EVERY_MS)
      await this.#look().catch(() => {}) // where the database is away, nothing is committed either
    }
  }

  async #look(): Promise<void> {
    const { db, log } = this.#parts
    // While Redis is away no gateway holds the relay, and rows would wait without bound.
    if (await db.system((sql) => dropWaiting(sql, KEPT)))
      log.warn({}, 'too many changes were waiting for Redis and were removed; everything is reloaded')
    const relayState = await db.system(lookAtRelay)
    if (this.#closed.signal.aborted) return
    if (!relayState.wanted) {
      await db.system(wantChanges)
      this.#reload('changes were not queued for a while')
    }
    const before = this.#seen
    const now = { oldest: relayState.oldest, heard: this.#heard, relayed: BigInt(relayState.relayed) }
    this.#seen = now
    this.#stuck = now.oldest !== null && now.oldest === before?.oldest ? 'no gateway sends changes to Redis' : undefined
    const stuck = this.#stuck
    if (stuck !== undefined) return this.#switch(() => this.#fallBack(stuck))
    // Read nothing since, although the stream is further: entries were lost where no later one shows it.
    if (before === undefined || before.heard !== now.heard || now.heard >= before.relayed) return
    this.#heard = before.relayed
    this.#reload('entries of the stream are gone')
  }

  #switch(work: () => Promise<void>): Promise<void> {
    this.#switching = this.#switching.then(work, work)
    return this.#switching
  }

  #pause = (milliseconds: number) =>
    sleep(milliseconds, undefined, { signal: this.#closed.signal, ref: false }).catch(() => {})

  async close() {
    this.#closed.abort()
    this.#redis?.close()
    await this.#relay?.close()
    await this.#running
    await Promise.all([this.#listener?.close(), this.#alive?.close()])
  }
}
