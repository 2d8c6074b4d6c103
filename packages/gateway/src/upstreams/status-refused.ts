/** An HTTP status of a server in place of an MCP answer: the cause of `upstream.busy` and `upstream.unreachable` over HTTP. */
import { Fault } from '@toolway/contract'
import { retryAfter } from '@toolway/protocol/retry'

export class StatusRefused extends Error {
  readonly status: number
  /** The value of `Retry-After`, as it was said (RFC 9110, section 10.2.3). */
  readonly retryAfter: string | undefined

  /** `target` is the address that a redirect names, where there is one. */
  constructor(status: number, retryAfter: string | undefined, target?: string) {
    super(target === undefined ? `HTTP ${status}` : `HTTP ${status} redirects to ${target}`)
    this.status = status
    this.retryAfter = retryAfter
  }
}

export const statusRefusedOf = (thrown: unknown): StatusRefused | undefined =>
  thrown instanceof Fault && thrown.cause instanceof StatusRefused ? thrown.cause : undefined

/** Seconds, where a server does not say when it wants to be asked again; and as many as a caller is told at most. */
const LATER = { unsaid: 10, most: 24 * 3_600 }

/** A server takes no more requests (429), until the time that its `Retry-After` names. */
export function limitedBy(connection: string, retryAfterHeader: string | undefined): Fault {
  const retryAfterMs = retryAfter(retryAfterHeader, Date.now())
  const seconds =
    retryAfterMs === undefined ? LATER.unsaid : Math.min(Math.max(Math.ceil(retryAfterMs / 1000), 1), LATER.most)
  return new Fault('upstream.limited', { connection, seconds }, { cause: new StatusRefused(429, retryAfterHeader) })
}
