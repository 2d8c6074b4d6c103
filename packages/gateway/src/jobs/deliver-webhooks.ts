/**
 * Delivering what waits for webhooks: leased, so that of several gateways one tries, and tried again with growing pauses for most of
 * a day. An address that took nothing all that while, or says that it is gone, is switched off, and its administrators are told.
 *
 * A message may come twice, by the same id, where a gateway dies between the answer and its note of it. It never comes to two
 * addresses.
 */
import { randomUUID } from 'node:crypto'
import { addAlert, type NewAlert } from '../alerts/alerts.ts'
import { removeOldAlerts } from '../alerts/list-alerts.ts'
import type { Db, SystemSql } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import {
  deliveredSince,
  leaseDeliveries,
  removeOldDeliveries,
  storeDelivered,
  storeFailed,
  switchOff,
  untilNext,
  type LeasedRow,
} from '../webhooks/deliveries.ts'
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

export function createDeliverWebhooks({ db, send, random, log }: DeliverWebhooksParts): DeliverWebhooks {
  const closed = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let again = false
  const cleaning = setInterval(() => void clean(), CLEAN_EVERY)
  cleaning.unref()
  plan(EVERY)

  function plan(after: number): void {
    clearTimeout(timer)
    if (!closed.signal.aborted) timer = setTimeout(() => void run(), after).unref()
  }

  function run(): Promise<void> {
    again = true
    running ??= work().finally(() => (running = undefined))
    return running
  }

  async function work(): Promise<void> {
    let wait = EVERY
    try {
      while (again && !closed.signal.aborted) {
        again = false
        while (!closed.signal.aborted && (await deliverSome()) > 0);
        wait = Math.min(Math.max((await db.system(untilNext)) ?? EVERY, GATHER), EVERY)
      }
    } catch (thrown) {
      if (!closed.signal.aborted) log.warn({ err: thrown }, 'webhooks could not be delivered; retrying')
    }
    plan(wait)
  }

  async function deliverSome(): Promise<number> {
    const lease = randomUUID()
    const leased = await db.system((sql) => leaseDeliveries(sql, { lease, limit: AT_ONCE }))
    await Promise.all(leased.map((row) => deliver(row, lease)))
    return leased.length
  }

  async function deliver(row: LeasedRow, lease: string): Promise<void> {
    const sent = await send({ ...row, webhookId: row.webhook_id }, closed.signal)
    // The next gateway tries it, since it is unknown whether it was delivered.
    if (closed.signal.aborted) return
    const held = { id: row.id, webhook_id: row.webhook_id, lease }
    const { status, problem } = sent
    if (status !== undefined && problem === undefined) {
      await db.system((sql) => storeDelivered(sql, held, status))
      return
    }
    await db.system((sql) => fail(sql, row, held, sent))
  }

  async function fail(
    sql: SystemSql,
    row: LeasedRow,
    held: Parameters<typeof storeFailed>[1],
    { status, problem = 'it failed', retryAfter }: Sent,
  ): Promise<void> {
    const pause = status === GONE ? undefined : PAUSES[row.attempts]
    const jittered = pause === undefined ? undefined : pause * (1 + JITTER * (2 * random() - 1))
    const pauses = jittered === undefined ? undefined : Math.max(jittered, retryAfter ?? 0)
    if (!(await storeFailed(sql, held, { status, problem, again: pauses }))) return
    const facts = { webhook: row.webhook_id, delivery: row.id, status, problem, tries: row.attempts + 1, again: pauses }
    log.info(facts, 'a webhook delivery failed')
    if (pauses !== undefined || (await deliveredSince(sql, row.webhook_id, row.id))) return
    const reason =
      status === GONE ? 'it answered 410: it is gone for good' : `after ${row.attempts + 1} tries ${problem}`
    if (!(await switchOff(sql, row.webhook_id, reason))) return
    log.warn({ webhook: row.webhook_id, problem: reason }, 'a webhook was disabled')
    await addAlert(sql, offAlert(row, reason))
  }

  async function clean(): Promise<void> {
    try {
      await db.system(async (sql) => {
        await removeOldAlerts(sql, ALERT_DAYS)
        await removeOldDeliveries(sql, DELIVERY_DAYS)
      })
    } catch (thrown) {
      log.warn({ err: thrown }, 'old alerts could not be removed; retrying in an hour')
    }
  }

  return {
    wake: () => plan(GATHER),
    run,
    clean,
    async close() {
      closed.abort()
      clearTimeout(timer)
      clearInterval(cleaning)
      await running
    },
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
