/** What a server answered instead of an answer: the cause of `upstream.busy` and `upstream.unreachable` where it came over HTTP. */
import { Fault } from '@toolway/contract'

export class StatusRefused extends Error {
  readonly status: number
  /** The value of `Retry-After`, as it was said (RFC 9110, section 10.2.3). */
  readonly retryAfter: string | undefined

  constructor(status: number, retryAfter: string | undefined) {
    super(`HTTP ${status}`)
    this.status = status
    this.retryAfter = retryAfter
  }
}

export const statusRefusedOf = (thrown: unknown): StatusRefused | undefined =>
  thrown instanceof Fault && thrown.cause instanceof StatusRefused ? thrown.cause : undefined
