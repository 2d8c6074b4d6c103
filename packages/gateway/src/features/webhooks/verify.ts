/**
 * Whether a message is signed by somebody who holds a secret of ours (Standard Webhooks 1.0, "Verifying webhook authenticity"): the
 * same scheme by which our own are signed, the other way round. Whether an id came before is for who keeps them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface SignedMessage {
  readonly id: string
  /** Seconds since 1970, as it was sent. */
  readonly timestamp: string
  /** One or more `v1,…`, with spaces between. */
  readonly signature: string
  readonly body: Buffer
}

/** Seconds that a message may be old, or come from a clock that goes before ours. */
export const TOLERANCE_SECONDS = 300
/** Signatures that are looked at: one of each secret that is good, and some room. */
const MOST = 10

/** Whether it was sent just now. */
export function isFresh({ timestamp }: Pick<SignedMessage, 'timestamp'>, now: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false
  return Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS
}

export const isSignedBy = (message: SignedMessage, secret: string): boolean =>
  isSignedWith(message, Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))

/** The same with the key itself, for senders whose secret is no base64. */
export function isSignedWith({ id, timestamp, signature, body }: SignedMessage, key: Buffer): boolean {
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  return signature
    .split(' ')
    .slice(0, MOST)
    .some((value) => {
      if (!value.startsWith('v1,')) return false
      const presented = Buffer.from(value.slice(3), 'base64')
      return presented.length === expected.length && timingSafeEqual(presented, expected)
    })
}
