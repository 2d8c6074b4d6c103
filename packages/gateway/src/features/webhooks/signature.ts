/**
 * How a message proves where it comes from: HMAC-SHA-256 over its id, its second and its body (Standard Webhooks 1.0, section
 * "Signature scheme"). While a secret is turned, both sign, so that a receiver is never without one that it knows.
 */
import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
/** Of the 24 to 64 that the specification allows. */
const BYTES = 32

export const newWebhookSecret = (): string => PREFIX + randomBytes(BYTES).toString('base64')

export interface Message {
  readonly id: string
  /** When it is sent; a receiver refuses one that is old. */
  readonly at: Date
  readonly body: string
}

/** `secrets`: the one that is good, and the one before while that still signs. */
export function signedHeaders({ id, at, body }: Message, secrets: readonly string[]): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000)
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') }
}
