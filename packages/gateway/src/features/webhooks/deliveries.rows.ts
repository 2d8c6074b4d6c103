/**
 * Messages that wait for a webhook, and how they fare. One gateway leases a message for a minute; the rows are made by the database,
 * in the transaction of what they tell.
 */
import type { DeliveryId, OrganizationId, WebhookId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'

const Id = z.object({ id: z.string() })

export const LeasedRow = z.object({
  id: z.string().transform((id) => id as DeliveryId),
  organization_id: z.string().transform((id) => id as OrganizationId),
  webhook_id: z.string().transform((id) => id as WebhookId),
  payload: z.record(z.string(), z.unknown()),
  /** Before this one. */
  attempts: z.int(),
  url: z.string(),
  private: z.boolean(),
  sealed_secret: z.instanceof(Buffer),
  /** Null once it signs no more. */
  sealed_previous: z.instanceof(Buffer).nullable(),
})
export type LeasedRow = z.output<typeof LeasedRow>

/**
 * The oldest that are due, one of each webhook at a time: an address that hangs holds up its own messages and no others.
 *
 * The inner query reads the state of its beginning. The conditions on the row itself are repeated outside, where PostgreSQL checks
 * them again once another gateway has let go of the row: it may have delivered the message meanwhile.
 */
export const leaseDeliveries = (sql: SystemSql, { lease, limit }: { lease: string; limit: number }) => sql(LeasedRow)`
  update webhook_deliveries d
     set lease = ${lease}, leased_until = now() + interval '1 minute'
    from webhooks w
   where w.id = d.webhook_id
     and d.id in (
         select id from (
           select distinct on (x.webhook_id) x.id, x.next_try
             from webhook_deliveries x join webhooks v on v.id = x.webhook_id
            where x.delivered_at is null and x.given_up_at is null and x.next_try <= now() and v.enabled
              and not exists (select from webhook_deliveries y where y.webhook_id = x.webhook_id and y.leased_until > now())
            order by x.webhook_id, x.created_at, x.id) as first
          order by next_try limit ${limit})
     and d.delivered_at is null and d.given_up_at is null and d.next_try <= now()
     and (d.leased_until is null or d.leased_until < now())
  returning d.id, d.organization_id, d.webhook_id, d.payload, d.attempts, w.url, w.private, w.sealed_secret,
            case when w.previous_until > now() then w.sealed_previous end as sealed_previous`

/** Milliseconds until the next one is due; undefined when none waits. */
export async function untilNext(sql: SystemSql): Promise<number | undefined> {
  const [found] = await sql(z.object({ wait: z.number().nullable() }))`
    select extract(epoch from min(greatest(d.next_try, coalesce(d.leased_until, d.next_try))) - now())::float8 * 1000 as wait
      from webhook_deliveries d join webhooks w on w.id = d.webhook_id
     where d.delivered_at is null and d.given_up_at is null and w.enabled`
  return found?.wait ?? undefined
}

type LeasedDelivery = Pick<LeasedRow, 'id' | 'webhook_id'> & { readonly lease: string }

export async function storeDelivered(
  sql: SystemSql,
  { id, webhook_id: webhook, lease }: LeasedDelivery,
  status: number,
) {
  await lockWebhook(sql, webhook)
  await sql(Id)`
    update webhook_deliveries
       set delivered_at = now(), attempts = attempts + 1, last_status = ${status}, last_problem = null, lease = null,
           leased_until = null
     where id = ${id} and lease = ${lease} returning id`
  await sql(Id)`
    update webhooks set delivered_at = now(), failed_at = null, last_problem = null where id = ${webhook} returning id`
}

/**
 * The webhook is locked before its deliveries, as a removal of the webhook locks them: the other order is a deadlock between the
 * two (PostgreSQL 40P01), and an administrator's DELETE was answered with 500.
 */
const lockWebhook = (sql: SystemSql, id: string) => sql(Id)`select id from webhooks where id = ${id} for no key update`

export interface Failure {
  readonly status: number | undefined
  readonly problem: string
  /** Seconds until it is tried again; undefined: it is given up. */
  readonly again: number | undefined
}

/** Whether the row still was the one's who tried: a later one's word counts, not this. */
export async function storeFailed(
  sql: SystemSql,
  { id, webhook_id: webhook, lease }: LeasedDelivery,
  { status, problem, again }: Failure,
): Promise<boolean> {
  await lockWebhook(sql, webhook)
  const rows = await sql(Id)`
    update webhook_deliveries
       set attempts = attempts + 1, last_status = ${status ?? null}, last_problem = ${problem}, lease = null,
           leased_until = null,
           next_try = coalesce(now() + make_interval(secs => ${again ?? null}::float8), next_try),
           given_up_at = case when ${again === undefined}::boolean then now() end
     where id = ${id} and lease = ${lease} returning id`
  if (rows.length === 0) return false
  await sql(Id)`
    update webhooks set failed_at = now(), last_problem = ${problem} where id = ${webhook} returning id`
  return true
}

/** Off it is, and nothing waits for it any more; false when it was off already. */
export async function switchOff(sql: SystemSql, id: WebhookId, reason: string): Promise<boolean> {
  const rows = await sql(Id)`
    update webhooks set enabled = false, off_reason = ${reason}, updated_at = now()
     where id = ${id} and enabled returning id`
  await sql(Id)`
    update webhook_deliveries set given_up_at = now(), lease = null, leased_until = null
     where webhook_id = ${id} and delivered_at is null and given_up_at is null returning id`
  return rows.length > 0
}

/** Whether anything got through since a message was made. */
export async function deliveredSince(sql: SystemSql, webhook: WebhookId, id: DeliveryId): Promise<boolean> {
  const rows = await sql(Id)`
    select w.id from webhooks w join webhook_deliveries d on d.webhook_id = w.id
     where w.id = ${webhook} and d.id = ${id} and w.delivered_at > d.created_at`
  return rows.length > 0
}

/** Those that are over, after so many days. */
export const removeOldDeliveries = async (sql: SystemSql, days: number): Promise<number> =>
  (
    await sql(Id)`
      delete from webhook_deliveries
       where created_at < now() - make_interval(days => ${days}::int)
         and (delivered_at is not null or given_up_at is not null) returning id`
  ).length
