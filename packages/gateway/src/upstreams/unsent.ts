/**
 * Tells whether a request was certainly not sent because no connection was made. After any other failure the server may have
 * acted.
 */
import { Fault } from '@toolway/contract'

/** No connection came about. A certificate that is no good leaves nothing to try again. */
const NOBODY = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

export function wasUnsent(thrown: unknown): boolean {
  if (!(thrown instanceof Fault)) return false
  // That may be a name that does not resolve just now.
  if (thrown.code === 'egress.refused') return true
  if (thrown.code !== 'upstream.unreachable') return false
  const { cause } = thrown
  return typeof cause === 'object' && cause !== null && 'code' in cause && NOBODY.has(String(cause.code))
}
