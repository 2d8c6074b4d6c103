/** Refusals of the egress proxy: each has an HTTP status and a sentence that the child process reads and the log repeats. */

const REFUSALS = {
  form: { status: 400, says: 'this proxy accepts CONNECT host:port and http:// addresses, without user names' },
  unlisted: { status: 403, says: 'the host is not among the hosts that this server may reach (allow_hosts)' },
  address: { status: 403, says: 'the address does not resolve, or is in a network that this server may not reach' },
  plain: { status: 403, says: 'a tunnel to a listed host carries TLS only' },
  name: { status: 403, says: 'the TLS handshake in the tunnel names a different host than the one requested' },
  busy: { status: 503, says: 'this server has too many connections open' },
  unreachable: { status: 502, says: 'the host did not accept the connection' },
  silent: { status: 504, says: 'the host did not respond in time' },
} as const

export type EgressReason = keyof typeof REFUSALS

/** Whether the rules were the reason, rather than the network. */
export const isByRule = (reason: EgressReason): boolean => REFUSALS[reason].status === 403

/** A host that was refused, with its port. */
export interface RefusedHost {
  readonly reason: EgressReason
  /** `name:port` */
  readonly target: string
}

export class EgressRefused extends Error implements RefusedHost {
  readonly reason: EgressReason
  readonly target: string
  readonly status: number

  constructor(reason: EgressReason, target: string, options?: ErrorOptions) {
    const { status, says } = REFUSALS[reason]
    super(`Toolway did not connect to ${target}: ${says}.`, options)
    this.reason = reason
    this.target = target
    this.status = status
  }
}
