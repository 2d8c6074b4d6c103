/**
 * A server's door is shut: what it said with its 401 or 403 (RFC 9110, section 11; RFC 6750, section 3). It travels as the cause of
 * `upstream.needs-auth`, to whoever may have a better credential. It never reaches a client.
 */
import { Fault } from '@toolway/contract'

export class AccessRefused extends Error {
  readonly status: number
  /** The value of `WWW-Authenticate`; a challenge says that the request was not looked at. */
  readonly challenge: string | undefined

  constructor(status: number, challenge: string | undefined) {
    super(`HTTP ${status}`)
    this.status = status
    this.challenge = challenge
  }
}

export const refusedAccess = (connection: string, status: number, challenge: string | undefined): Fault =>
  new Fault(
    'upstream.needs-auth',
    { connection, problem: `HTTP ${status}` },
    { cause: new AccessRefused(status, challenge) },
  )

/** Returns the server's refusal (401 or 403) if a call ended with one. */
export const accessRefusedOf = (thrown: unknown): AccessRefused | undefined =>
  thrown instanceof Fault && thrown.cause instanceof AccessRefused ? thrown.cause : undefined
