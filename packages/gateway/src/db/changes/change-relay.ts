/**
 * Moves committed changes from the database to the stream. Every gateway tries to hold the lease, one does. A row goes when its
 * entry is in the stream, so a change comes at least once, whoever ends in between; an entry that comes twice has a number that
 * was there already.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import type { Db, Listener } from '../db.ts'
import { dropWaiting, holdRelay, RELAY_BATCH, releaseRelay, storeRelayed, waitingChanges } from './change-rows.ts'
import { addEntry, KEPT, streamKey } from './stream-entries.ts'
import { openRedisConnection, type RedisConnection } from './redis-connection.ts'

export interface ChangeRelay {
  close(): Promise<void>
}

export interface ChangeRelayParts {
  readonly db: Pick<Db, 'system' | 'listen'>
  readonly url: string
  readonly prefix: string
  readonly channel: string
  /** The name of this gateway's lease. */
  readonly holder: string
  readonly log: Log
}

/** Milliseconds: between two looks of the holder, which is woken besides; between two tries of the others. */
const LOOK_EVERY_MS = 1_000
const TRY_EVERY_MS = 2_000

export const createChangeRelay = (parts: ChangeRelayParts): ChangeRelay => new Relay(parts)

class Relay implements ChangeRelay {
  readonly #parts
  readonly #key
  readonly #closed = new AbortController()
  readonly #done
  #redis: RedisConnection | undefined
  #listener: Listener | undefined
  #wake = Promise.withResolvers<void>()
  #reportedFailure: string | undefined

  constructor(parts: ChangeRelayParts) {
    this.#parts = parts
    this.#key = streamKey(parts.prefix)
    this.#done = this.#run()
  }

  async #run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      const relayed = await this.#round().catch((thrown: unknown) => this.#lose(thrown))
      const wait = sleep(relayed ? LOOK_EVERY_MS : TRY_EVERY_MS, undefined, {
        signal: this.#closed.signal,
        ref: false,
      }).catch(() => {})
      await (relayed ? Promise.race([wait, this.#wake.promise]) : wait)
    }
  }

  /** Whether this gateway holds the relay. */
  async #round(): Promise<boolean> {
    const { db, url, holder, log } = this.#parts
    // A gateway without Redis must not keep the relay from one that has it.
    this.#redis ??= await openRedisConnection(url)
    await this.#redis.call(['PING'])
    const from = await db.system((sql) => holdRelay(sql, holder))
    if (from === undefined) {
      await this.#listener?.close()
      this.#listener = undefined
      return false
    }
    this.#listener ??= await db.listen(this.#parts.channel, () => this.#wake.resolve())
    this.#wake = Promise.withResolvers()
    if (this.#reportedFailure !== undefined) log.info({}, 'changes are sent to Redis again')
    this.#reportedFailure = undefined
    await this.#drain(this.#redis)
    return true
  }

  async #drain(redis: RedisConnection): Promise<void> {
    const { db, holder } = this.#parts
    if (await db.system((sql) => dropWaiting(sql, KEPT))) return
    for (let full = true; full && !this.#closed.signal.aborted;) {
      const rows = await db.system((sql) => waitingChanges(sql, RELAY_BATCH))
      if (rows.length === 0) return
      const from = await db.system((sql) => holdRelay(sql, holder))
      if (from === undefined) return
      await Promise.all(rows.map(({ payload }, at) => addEntry(redis, this.#key, from + BigInt(at + 1), payload)))
      if (!(await db.system((sql) => storeRelayed(sql, { holder, from, rows })))) return
      full = rows.length === RELAY_BATCH
    }
  }

  async #lose(thrown: unknown): Promise<false> {
    const { db, holder, log } = this.#parts
    this.#redis?.close()
    this.#redis = undefined
    if (this.#closed.signal.aborted) return false
    const problem = thrown instanceof Error ? thrown.message : String(thrown)
    if (this.#reportedFailure !== problem) log.warn({ problem }, 'this gateway cannot send changes to Redis')
    this.#reportedFailure = problem
    await db.system((sql) => releaseRelay(sql, holder)).catch(() => {})
    return false
  }

  async close() {
    const { db, holder } = this.#parts
    this.#closed.abort()
    this.#redis?.close()
    await this.#done
    await this.#listener?.close()
    await db.system((sql) => releaseRelay(sql, holder)).catch(() => {})
  }
}
