/** Webhooks: addresses that an organization is told at, by signed messages that are tried again for most of a day (ADR 0027). */
import type { Db } from '../../db/db.ts'
import type { Log } from '../../lib/log.ts'
import { createGuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import type { Vault } from '../../vault/vault.ts'
import { createDeliverWebhooks, type DeliverWebhooks } from './deliver-webhooks.job.ts'
import { createSendWebhook, type SendWebhook } from './send-webhook.ts'

export type { SendWebhook } from './send-webhook.ts'
export { newWebhookSecret, signedHeaders } from './signature.ts'
export { isFresh, isSignedBy, isSignedWith, type SignedMessage } from './verify.ts'
export { webhookOperations, type WebhookParts } from './webhooks.operations.ts'
export { listWebhooks, type WebhookRow } from './webhooks.rows.ts'

/** Sends from here to the addresses of webhooks. */
export const createWebhookSender = (vault: Pick<Vault, 'open'>): SendWebhook =>
  createSendWebhook({ vault, fetchFor: createGuardedFetch, now: Date.now })

/** Delivers them from now on, until it is closed. */
export const startWebhooks = (parts: { db: Db; log: Log; send: SendWebhook }): DeliverWebhooks =>
  createDeliverWebhooks({ ...parts, random: Math.random })
