/** Webhooks: addresses that an organization is told at, by signed messages that are tried again for most of a day (ADR 0027). */
import type { BaseWithDatabase } from '../../base/base.ts'
import { createGuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import type { Vault } from '../../vault/vault.ts'
import { createDeliverWebhooks } from './deliver-webhooks.job.ts'
import { createSendWebhook, type SendWebhook } from './send-webhook.ts'

export type { SendWebhook } from './send-webhook.ts'
export { newWebhookSecret, signedHeaders } from './signature.ts'
export { isFresh, isSignedBy, isSignedWith, type SignedMessage } from './verify.ts'
export { webhookOperations as operations, type WebhookParts } from './webhooks.operations.ts'
export { listWebhooks, type WebhookRow } from './webhooks.rows.ts'

/** Sends from here to the addresses of webhooks. */
export const createWebhookSender = (vault: Pick<Vault, 'open'>): SendWebhook =>
  createSendWebhook({ vault, fetchFor: createGuardedFetch, now: Date.now })

/** Delivers them from now on, also those that an earlier run left over. */
export function startWebhooks({ db, vault, log, opened }: BaseWithDatabase) {
  const sendWebhook = createWebhookSender(vault)
  const deliveries = createDeliverWebhooks({ db, log, send: sendWebhook, random: Math.random })
  opened.defer(() => deliveries.close())
  deliveries.wake()
  return { sendWebhook, wakeWebhooks: () => deliveries.wake() }
}
