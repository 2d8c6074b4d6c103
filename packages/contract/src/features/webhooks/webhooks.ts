/**
 * Addresses that an organization is told at: its alerts, and what happens to its connections if that is asked for. Signed as Standard
 * Webhooks says (https://www.standardwebhooks.com). The secret is shown once, when it is made.
 */
import { z } from 'zod'
import { inOrganization, listOf, operation } from '../../admin/operation.ts'
import { TENANT } from '../organizations/organizations.ts'

/** `integrations_changed`, kinds of alerts, or `alert` for all of those. */
export const WebhookEvent = z
  .string()
  .regex(
    /^(alert|integrations_changed|(approval|credential|records|rule|stream|tool|webhook)\.[a-z]{1,40})$/,
    'is not an event type',
  )

export const Webhook = z.strictObject({
  id: z.string(),
  url: z.string(),
  /** Whether the address may lie in a private network. */
  private: z.boolean(),
  description: z.string().nullable(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  /** Why the gateway switched it off; null where it did not. */
  off_reason: z.string().nullable(),
  /** Until when the secret before the last rotation signs too. */
  previous_secret_until: z.iso.datetime().nullable(),
  delivered_at: z.iso.datetime().nullable(),
  failed_at: z.iso.datetime().nullable(),
  last_problem: z.string().nullable(),
  /** Messages that are still to be delivered. */
  waiting: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type Webhook = z.output<typeof Webhook>
export const WebhookWithSecret = Webhook.extend({ secret: z.string() })

const Address = z.string().min(1).max(2_000)
const Events = z.array(WebhookEvent).min(1).max(20)
const Description = z.string().max(200).nullable()

export const NewWebhook = z.strictObject({
  url: Address,
  /** A platform administrator's to say. */
  private: z.boolean().optional(),
  description: Description.optional(),
  events: Events.default(['alert']),
  enabled: z.boolean().default(true),
})
export const WebhookChange = z.strictObject({
  url: Address.optional(),
  private: z.boolean().optional(),
  description: Description.optional(),
  events: Events.optional(),
  enabled: z.boolean().optional(),
})

const WEBHOOKS = `${TENANT}/webhooks`
const WEBHOOK = `${WEBHOOKS}/{webhook}`

export const listWebhooks = operation({
  id: 'listWebhooks',
  at: `GET ${WEBHOOKS}`,
  summary: 'List the webhooks of an organization and the results of their last deliveries.',
  needs: inOrganization('tenant_update'),
  answer: listOf(Webhook),
})
export const addWebhook = operation({
  id: 'addWebhook',
  at: `POST ${WEBHOOKS}`,
  summary: 'Add a webhook for alerts. Its secret is included only in this response.',
  needs: inOrganization('tenant_update'),
  lasting: true,
  body: NewWebhook,
  answer: WebhookWithSecret,
  status: 201,
})
export const changeWebhook = operation({
  id: 'changeWebhook',
  at: `PUT ${WEBHOOK}`,
  summary:
    'Update a webhook. Fields that are not sent keep their values. Deliveries pending for the old address are not sent to the new one.',
  needs: inOrganization('tenant_update'),
  lasting: true,
  body: WebhookChange,
  answer: Webhook,
})
export const removeWebhook = operation({
  id: 'removeWebhook',
  at: `DELETE ${WEBHOOK}`,
  summary: 'Delete a webhook with its pending deliveries.',
  needs: inOrganization('tenant_update'),
})
export const testWebhook = operation({
  id: 'testWebhook',
  at: `POST ${WEBHOOK}/test`,
  summary: 'Send a message of the type `webhook.test` now, and show the result.',
  needs: inOrganization('tenant_update'),
  answer: z.strictObject({
    delivered: z.boolean(),
    /** Of the answer; null where there was none. */
    status: z.int().nullable(),
    problem: z.string().nullable(),
  }),
})
export const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  at: `POST ${WEBHOOK}/rotate`,
  summary: 'Rotate the secret of a webhook. Messages are also signed with the previous secret for 24 hours.',
  needs: inOrganization('tenant_update'),
  lasting: true,
  answer: WebhookWithSecret,
})
