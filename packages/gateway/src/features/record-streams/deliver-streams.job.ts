/**
 * Delivering record streams: one gateway leases a stream, sends batch after batch, and moves its cursor when the destination has one.
 * A stream that fails is tried again for as long as it is switched on, with pauses of up to five minutes; nothing is skipped. One
 * batch of each stream under way is in memory.
 *
 * A batch of records may come twice, with the same id and the same items, where a gateway ends between the answer and its note of it;
 * alerts may come twice with more of them behind, so in a batch with another id.
 */
import { randomUUID } from 'node:crypto'
import type { OrganizationId } from '@toolway/contract'
import type { AlertKind } from '@toolway/contract/admin'
import { backoff } from '@toolway/protocol/retry'
import { addAlert } from '../alerts/index.ts'
import type { Db, SystemSql } from '../../db/db.ts'
import type { Log } from '../../lib/log.ts'
import { INSTALLATION } from '../../snapshot/installation.ts'
import { destinationOf } from './record-streams.rows.ts'
import {
  isBehind,
  leaseStream,
  nextAlerts,
  nextRecords,
  releaseStream,
  renewStream,
  storeBehind,
  markDelivered,
  untilDue,
  type AlertBatch,
  type BatchLimits,
  type Held,
  type RecordBatch,
} from './stream-batches.rows.ts'
import type { SendBatch } from './send-batch.ts'

export interface DeliverStreamsParts {
  readonly db: Pick<Db, 'system'>
  readonly send: SendBatch
  readonly random: () => number
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Seconds after which what waits counts as behind. */
  readonly behindAfterSeconds?: number
}

export interface DeliverStreams {
  /** There may be something to deliver. */
  wake(): void
  /** Deliver what is due now; resolves when nothing is. */
  run(): Promise<void>
  close(): Promise<void>
}

const MIB = 1024 * 1024
/** Stores want few large parts, everybody else small ones soon. */
const LARGE_BATCHES: BatchLimits & { pauseSeconds: number } = { items: 5_000, bytes: 16 * MIB, pauseSeconds: 30 }
const SMALL_BATCHES: BatchLimits & { pauseSeconds: number } = { items: 500, bytes: 4 * MIB, pauseSeconds: 1 }
const batchLimitsOf = (stored: Held) =>
  /^(?:s3|clickhouse)$/.test(destinationOf(stored).kind) ? LARGE_BATCHES : SMALL_BATCHES

type Kind = (RecordBatch | AlertBatch)['of']

/** Streams of one gateway at a time. */
const AT_ONCE = 4
/** Milliseconds: after a notice; between two looks where nobody wakes it. */
const GATHER = 200
const EVERY = 10_000
/** Seconds: before each further try, and after how many a stream is behind. */
const PAUSES = { first: 1, most: 300 }
const BEHIND_AFTER_SECONDS = 900

export const createDeliverStreams = (parts: DeliverStreamsParts): DeliverStreams => new StreamDelivery(parts)

class StreamDelivery implements DeliverStreams {
  readonly #parts
  readonly #closed = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Infinity
  #running: Promise<void> | undefined
  #woken = true

  constructor(parts: DeliverStreamsParts) {
    this.#parts = parts
    this.#plan(GATHER)
  }

  /** The earlier of two plans holds. */
  #plan(after: number): void {
    const at = Date.now() + after
    if (this.#closed.signal.aborted || at >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => {
      this.#timerAt = Infinity
      void this.run()
    }, after).unref()
  }

  run(): Promise<void> {
    this.#running ??= this.#work().finally(() => (this.#running = undefined))
    return this.#running
  }

  async #work(): Promise<void> {
    let wait = EVERY
    try {
      const woken = this.#woken
      this.#woken = false
      // Where nothing happens, nobody asks each second.
      const found = await this.#parts.db.system(
        async (sql) => (await leaseStream(sql, randomUUID())) ?? (woken ? await untilDue(sql) : undefined),
      )
      let due = typeof found === 'number' ? found : undefined
      if (typeof found === 'object' && ((await this.#workOnAll(found)) || woken))
        due = await this.#parts.db.system(untilDue)
      wait = Math.min(Math.max(due ?? EVERY, GATHER), EVERY)
    } catch (thrown) {
      if (!this.#closed.signal.aborted)
        this.#parts.log.warn({ err: thrown }, 'record streams cannot be delivered; retrying')
    }
    // Messages that came while this ran may not have been seen.
    this.#plan(this.#woken ? GATHER : wait)
  }

  /** This stream and those that are due beside it. Whether there was something to send. */
  async #workOnAll(first: Held): Promise<boolean> {
    const worked = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) => this.#workOn(at === 0 ? first : undefined)),
    )
    return worked.includes(true)
  }

  async #workOn(first: Held | undefined): Promise<boolean> {
    let worked = false
    let leased = first
    while (!this.#closed.signal.aborted) {
      leased ??= await this.#parts.db.system((sql) => leaseStream(sql, randomUUID()))
      if (leased === undefined) break
      if (await this.#deliver(leased)) worked = true
      leased = undefined
    }
    return worked
  }

  async #deliver(leased: Held): Promise<boolean> {
    const { db, send, log } = this.#parts
    const batchLimits = batchLimitsOf(leased)
    let sent = false
    // Neither kind waits until the other one has ended, and a batch that is refused again and again does not hold up the other kind.
    let kinds: readonly Kind[] = leased.attempts % 2 === 0 ? ['records', 'alerts'] : ['alerts', 'records']
    for (;;) {
      const turn = kinds
      const batch = await db.system((sql) => this.#next(sql, leased, batchLimits, turn))
      if (batch === undefined) break
      sent = true
      const failed = await send(leased, batch, this.#closed.signal)
      if (this.#closed.signal.aborted) {
        // Whether it was taken is unknown: the next gateway sends the same batch.
        await db.system((sql) => releaseStream(sql, leased, { retryAfterSeconds: 0 })).catch(() => {})
        return sent
      }
      if (failed !== undefined) {
        await this.#fail(leased, failed)
        return sent
      }
      if (!(await db.system((sql) => markDelivered(sql, leased, batch)))) {
        log.info({ stream: leased.id }, 'a record stream was taken over by another gateway')
        return sent
      }
      leased.attempts = 0
      kinds = kinds.filter((kind) => kind !== batch.of)
      // A store gets no small part more of a kind.
      if (batch.full || batchLimits !== LARGE_BATCHES) kinds = [...kinds, batch.of]
    }
    await this.#noteBehind(leased)
    await db.system((sql) => releaseStream(sql, leased, { retryAfterSeconds: batchLimits.pauseSeconds }))
    return sent
  }

  async #next(
    sql: SystemSql,
    stored: Held,
    batchLimits: BatchLimits,
    kinds: readonly Kind[],
  ): Promise<RecordBatch | AlertBatch | undefined> {
    if (!(await renewStream(sql, stored))) return undefined
    for (const kind of kinds) {
      const batch = await (kind === 'records' ? nextRecords : nextAlerts)(sql, stored, batchLimits)
      if (batch?.of === 'records' && batch.lost > 0) await this.#tellGap(sql, stored, batch)
      if (batch !== undefined) return batch
    }
    return undefined
  }

  async #fail(stored: Held, { problem, retryAfter = 0 }: { problem: string; retryAfter: number | undefined }) {
    const { db, log, random } = this.#parts
    const retryAfterSeconds = Math.max(backoff(PAUSES, stored.attempts + 1, random()), retryAfter)
    log.info(
      { stream: stored.id, problem, tries: stored.attempts + 1, again: retryAfterSeconds },
      'a delivery of a record stream failed',
    )
    await this.#noteBehind(stored, problem)
    await db.system((sql) => releaseStream(sql, stored, { retryAfterSeconds, problem }))
  }

  /** Says when a stream falls behind, and when it keeps up again. */
  async #noteBehind(stored: Held, problem?: string): Promise<void> {
    const { db, log, behindAfterSeconds = BEHIND_AFTER_SECONDS } = this.#parts
    await db.system(async (sql) => {
      const behind = await isBehind(sql, stored, behindAfterSeconds)
      if (!(await storeBehind(sql, stored, behind))) return
      const facts = { stream: stored.id, ...(problem === undefined ? {} : { problem }) }
      if (behind) log.warn(facts, 'a record stream is behind')
      else log.info(facts, 'a record stream has caught up')
      await this.#alert(sql, stored, behind ? 'stream.behind' : 'stream.current', facts)
    })
  }

  /** In the transaction that moves the cursor past the gap: it is told or found again. */
  async #tellGap(sql: SystemSql, stored: Held, { lost, organizationId }: RecordBatch): Promise<void> {
    const facts = { stream: stored.id, organization: organizationId, records: lost }
    this.#parts.log.warn(facts, 'retention removed records before a record stream delivered them')
    await this.#alert(sql, stored, 'stream.gap', facts)
  }

  /** Streams of the installation have no organization to tell: the log and the list of streams have it. */
  async #alert(
    sql: SystemSql,
    { organization_id: owner }: Held,
    kind: AlertKind,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    if (owner !== INSTALLATION) await addAlert(sql, { organizationId: owner as OrganizationId, kind, detail })
  }

  wake() {
    this.#woken = true
    this.#plan(GATHER)
  }

  async close() {
    this.#closed.abort()
    clearTimeout(this.#timer)
    await this.#running
  }
}
