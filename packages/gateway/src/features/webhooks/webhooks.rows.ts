/** Webhooks: addresses that an organization is told at. Their secrets are sealed. Nothing is sent from here. */
import { newId, type OrganizationId, type WebhookId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../../db/db.ts'

export const WebhookRow = z.object({
  id: z.string().transform((id) => id as WebhookId),
  organization_id: z.string().transform((id) => id as OrganizationId),
  url: z.string(),
  private: z.boolean(),
  description: z.string().nullable(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  off_reason: z.string().nullable(),
  sealed_secret: z.instanceof(Buffer),
  sealed_previous: z.instanceof(Buffer).nullable(),
  previous_until: z.date().nullable(),
  delivered_at: z.date().nullable(),
  failed_at: z.date().nullable(),
  last_problem: z.string().nullable(),
  created_at: z.date(),
  updated_at: z.date(),
})
export type WebhookRow = z.output<typeof WebhookRow>

/** With how many messages wait for it. A previous secret that has run out signs nothing, and is not shown. */
const ListedRow = WebhookRow.extend({ waiting: z.int() })
export type ListedWebhook = z.output<typeof ListedRow>

export const listWebhooks = (sql: OrgSql) => sql(ListedRow)`
  select id, organization_id, url, private, description, events, enabled, off_reason, sealed_secret,
         case when previous_until > now() then sealed_previous end as sealed_previous,
         previous_until, delivered_at, failed_at, last_problem, created_at, updated_at,
         (select count(*)::int from webhook_deliveries d
           where d.webhook_id = w.id and d.delivered_at is null and d.given_up_at is null) as waiting
    from webhooks w order by created_at, id`

/** It stays as it is until the transaction ends. */
export const lockWebhook = async (sql: OrgSql, id: string): Promise<WebhookRow | undefined> =>
  (
    await sql(WebhookRow)`
      select id, organization_id, url, private, description, events, enabled, off_reason, sealed_secret,
             case when previous_until > now() then sealed_previous end as sealed_previous,
             previous_until, delivered_at, failed_at, last_problem, created_at, updated_at
        from webhooks where id = ${id} for update`
  )[0]

export type WebhookWords = Pick<WebhookRow, 'url' | 'private' | 'description' | 'events' | 'enabled'>

export async function addWebhook(
  sql: OrgSql,
  organizationId: OrganizationId,
  words: WebhookWords,
  seal: (id: WebhookId) => Buffer,
): Promise<WebhookId> {
  const id = newId('whk')
  const { url, private: reach, description, events, enabled } = words
  await sql(Id)`
    insert into webhooks (id, organization_id, url, private, description, events, enabled, sealed_secret)
    values (${id}, ${organizationId}, ${url}, ${reach}, ${description}, ${[...events]}, ${enabled}, ${seal(id)})
    returning id`
  return id
}

/**
 * Enabling a webhook clears the reason it was disabled for; a new address gets none of the deliveries that waited for the old
 * one.
 */
export async function changeWebhook(sql: OrgSql, stored: WebhookRow, words: WebhookWords): Promise<void> {
  const { url, private: reach, description, events, enabled } = words
  await sql(Id)`
    update webhooks
       set url = ${url}, private = ${reach}, description = ${description}, events = ${[...events]}, enabled = ${enabled},
           off_reason = case when ${enabled}::boolean then null else off_reason end, updated_at = now()
     where id = ${stored.id} returning id`
  if (url !== stored.url)
    await sql(Id)`
      delete from webhook_deliveries
       where webhook_id = ${stored.id} and delivered_at is null and given_up_at is null returning id`
}

export const removeWebhook = async (sql: OrgSql, id: string): Promise<boolean> =>
  (await sql(Id)`delete from webhooks where id = ${id} returning id`).length > 0

/** The secret that was good signs beside the new one for so many hours. */
export const rotateSecret = (sql: OrgSql, id: WebhookId, sealed: { next: Buffer; previous: Buffer; hours: number }) =>
  sql(Id)`
    update webhooks
       set sealed_secret = ${sealed.next}, sealed_previous = ${sealed.previous},
           previous_until = now() + make_interval(hours => ${sealed.hours}::int), updated_at = now()
     where id = ${id} returning id`

const Id = z.object({ id: z.string() })
