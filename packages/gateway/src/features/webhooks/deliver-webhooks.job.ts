/**
 * Delivering what waits for webhooks: leased, so that of several gateways one tries, and tried again with growing pauses for most of
 * a day. An address that took nothing all that while, or says that it is gone, is switched off, and its administrators are told.
 *
 * A message may come twice, by the same id, where a gateway dies between the answer and its note of it. It never comes to two
 * addresses.
 */
import { randomUUID } from 'node:crypto'
import { addAlert, type NewAlert, removeOldAlerts } from '../alerts/index.ts'
import type { Db, SystemSql } from '../../db/db.ts'
import type { Log } from '../../lib/log.ts'
import {
  deliveredSince,
  leaseDeliveries,
  removeOldDeliveries,
  storeDelivered,
  storeFailed,
  switchOff,
  untilNext,
  type LeasedRow,
} from './deliveries.rows.ts'
import type { SendWebhook, Sent } from './send-webhook.ts'

export interface DeliverWebhooksParts {
  readonly db: Pick<Db, 'system'>
  readonly send: SendWebhook
  readonly random: () => number
  readonly log: Pick<Log, 'info' | 'warn'>
}

export interface DeliverWebhooks {
  /** Something may be due. */
  wake(): void
  /** Deliver what is due now; resolves when nothing is. */
  run(): Promise<void>
  /** Remove what is kept no longer. */
  clean(): Promise<void>
  close(): Promise<void>
}

/** Seconds before each further try: eight tries in about eighteen hours. */
export const PAUSES = [5, 60, 300, 1_800, 7_200, 18_000, 36_000] as const
const JITTER = 0.2
const AT_ONCE = 10
/** Milliseconds: between two looks, where nobody wakes it; after a notice; between two cleanings. */
const EVERY = 60_000
const GATHER = 100
const CLEAN_EVERY = 3_600_000
const ALERT_DAYS = 90
const DELIVERY_DAYS = 7
const GONE = 410

export const createDeliverWebhooks = (parts: DeliverWebhooksParts): DeliverWebhooks => new WebhookDelivery(parts)

class WebhookDelivery implements DeliverWebhooks {
  readonly #parts: DeliverWebhooksParts
  readonly #db
  readonly #log
  readonly #closed = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #again = false
  readonly #cleaning

  constructor(parts: DeliverWebhooksParts) {
    this.#parts = parts
    this.#db = parts.db
    this.#log = parts.log
    this.#cleaning = setInterval(() => void this.clean(), CLEAN_EVERY)
    this.#cleaning.unref()
    this.#plan(EVERY)
  }

  #plan(after: number): void {
    clearTimeout(this.#timer)
    if (!this.#closed.signal.aborted) this.#timer = setTimeout(() => void this.run(), after).unref()
  }

  run(): Promise<void> {
    this.#again = true
    this.#running ??= this.#work().finally(() => (this.#running = undefined))
    return this.#running
  }

  async #work(): Promise<void> {
    let wait = EVERY
    try {
      while (this.#again && !this.#closed.signal.aborted) {
        this.#again = false
        while (!this.#closed.signal.aborted && (await this.#deliverSome()) > 0);
        wait = Math.min(Math.max((await this.#db.system(untilNext)) ?? EVERY, GATHER), EVERY)
      }
    } catch (thrown) {
      if (!this.#closed.signal.aborted) this.#log.warn({ err: thrown }, 'webhooks could not be delivered; retrying')
    }
    this.#plan(wait)
  }

  async #deliverSome(): Promise<number> {
    const lease = randomUUID()
    const leased = await this.#db.system((sql) => leaseDeliveries(sql, { lease, limit: AT_ONCE }))
    await Promise.all(leased.map((row) => this.#deliver(row, lease)))
    return leased.length
  }

  async #deliver(row: LeasedRow, lease: string): Promise<void> {
    const sent = await this.#parts.send({ ...row, webhookId: row.webhook_id }, this.#closed.signal)
    // The next gateway tries it, since it is unknown whether it was delivered.
    if (this.#closed.signal.aborted) return
    const leased = { id: row.id, webhook_id: row.webhook_id, lease }
    const { status, problem } = sent
    if (status !== undefined && problem === undefined) {
      await this.#db.system((sql) => storeDelivered(sql, leased, status))
      return
    }
    await this.#db.system((sql) => this.#fail(sql, row, leased, sent))
  }

  async #fail(
    sql: SystemSql,
    row: LeasedRow,
    delivery: Parameters<typeof storeFailed>[1],
    { status, problem = 'it failed', retryAfter }: Sent,
  ): Promise<void> {
    const pause = status === GONE ? undefined : PAUSES[row.attempts]
    const jittered = pause === undefined ? undefined : pause * (1 + JITTER * (2 * this.#parts.random() - 1))
    const pauses = jittered === undefined ? undefined : Math.max(jittered, retryAfter ?? 0)
    if (!(await storeFailed(sql, delivery, { status, problem, again: pauses }))) return
    const facts = { webhook: row.webhook_id, delivery: row.id, status, problem, tries: row.attempts + 1, again: pauses }
    this.#log.info(facts, 'a webhook delivery failed')
    if (pauses !== undefined || (await deliveredSince(sql, row.webhook_id, row.id))) return
    const reason =
      status === GONE
        ? 'it responded with HTTP 410: it is permanently gone'
        : `after ${row.attempts + 1} tries ${problem}`
    if (!(await switchOff(sql, row.webhook_id, reason))) return
    this.#log.warn({ webhook: row.webhook_id, problem: reason }, 'a webhook was disabled')
    await addAlert(sql, offAlert(row, reason))
  }

  async clean(): Promise<void> {
    try {
      await this.#db.system(async (sql) => {
        await removeOldAlerts(sql, ALERT_DAYS)
        await removeOldDeliveries(sql, DELIVERY_DAYS)
      })
    } catch (thrown) {
      this.#log.warn({ err: thrown }, 'old alerts could not be removed; retrying in an hour')
    }
  }

  wake() {
    return this.#plan(GATHER)
  }

  async close() {
    this.#closed.abort()
    clearTimeout(this.#timer)
    clearInterval(this.#cleaning)
    await this.#running
  }
}

const offAlert = (
  { organization_id: organizationId, webhook_id: webhook, url }: LeasedRow,
  problem: string,
): NewAlert => ({
  organizationId,
  kind: 'webhook.off',
  detail: { webhook, host: URL.parse(url)?.host ?? null, problem },
})
