/**
 * Sending one message to the address of a webhook: signed, by way of the guarded agent, without following anybody anywhere else.
 *
 * It never throws, and what it says of a failure names no secret and quotes nobody: the address is a stranger's.
 */
import { Fault } from '@toolway/contract'
import { retryAfter as parseRetryAfter } from '@toolway/protocol/retry'
import { REFUSED_ADDRESS } from '../../upstreams/http/agent.ts'
import type { GuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import { privateOriginOf } from '../../upstreams/http/permits.ts'
import type { Vault } from '../../vault/vault.ts'
import { previousWebhookSecretSealContext, webhookSecretSealContext } from '../../vault/sealed-columns.ts'
import { signedHeaders } from './signature.ts'
import type { WebhookRow } from './webhooks.rows.ts'

export interface SendWebhookParts {
  readonly vault: Pick<Vault, 'open'>
  fetchFor(reach: { alias: string; privateOrigins: readonly string[] }): GuardedFetch
  readonly now: () => number
}

export interface Outgoing extends Pick<WebhookRow, 'url' | 'private' | 'sealed_secret' | 'sealed_previous'> {
  readonly webhookId: WebhookRow['id']
  /** Of the message: the same at every try. */
  readonly id: string
  readonly payload: object
}

export interface Sent {
  /** Undefined where there was no answer. */
  readonly status: number | undefined
  /** Undefined: it was taken. */
  readonly problem: string | undefined
  /** Seconds that the receiver asked to be left alone. */
  readonly retryAfter: number | undefined
}

export type SendWebhook = (outgoing: Outgoing, signal: AbortSignal) => Promise<Sent>

/** Milliseconds for all of it. */
const PATIENCE_MS = 10_000
const DAY = 86_400

export function createSendWebhook({ vault, fetchFor, now }: SendWebhookParts): SendWebhook {
  const secretsOf = ({ webhookId, sealed_secret: secret, sealed_previous: previous }: Outgoing): string[] => [
    vault.open(secret, webhookSecretSealContext(webhookId)),
    ...(previous === null ? [] : [vault.open(previous, previousWebhookSecretSealContext(webhookId))]),
  ]

  return async (outgoing, signal) => {
    const { id, url, payload } = outgoing
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
    try {
      const body = JSON.stringify(payload)
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'toolway-webhooks',
        ...signedHeaders({ id, at: new Date(now()), body }, secretsOf(outgoing)),
      }
      const post = fetchFor({ alias: 'of a webhook', privateOrigins: privateOriginOf(outgoing.private, url) })
      const answer = await post(url, { method: 'POST', headers, body, signal: bounded })
      return sentOf(answer)
    } catch (thrown) {
      return { status: undefined, problem: problemOf(thrown, bounded), retryAfter: undefined }
    }
  }
}

function sentOf({ status, headers }: Response): Sent {
  if (status >= 200 && status < 300) return { status, problem: undefined, retryAfter: undefined }
  const wait = parseRetryAfter(headers.get('retry-after'), Date.now())
  const retryAfter = wait === undefined ? undefined : Math.min(Math.ceil(wait / 1000), DAY)
  const redirects = status >= 300 && status < 400
  return {
    status,
    problem: `it responded with HTTP ${status}${redirects ? ', and redirects are not followed' : ''}`,
    retryAfter,
  }
}

const CODE = /^[A-Z][A-Z0-9_]{2,40}$/

function problemOf(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `it did not respond within ${PATIENCE_MS / 1000} s`
  for (let cause: unknown = thrown; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Fault && cause.code === 'egress.refused') return REFUSED_ADDRESS
    if (cause instanceof Fault && cause.code === 'result.too-large') return 'its response was too long'
    const { code } = cause as { code?: unknown }
    if (typeof code === 'string' && CODE.test(code)) return `it could not be reached (${code})`
  }
  return 'it could not be reached'
}
