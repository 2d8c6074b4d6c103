/** Converts an HTTP status to a fault, with the facts needed for a retry: the server's `Retry-After` and its challenge. */
import { Fault } from '@toolway/contract'
import { header, type Incoming, type Peer } from '@toolway/protocol/client'
import { refusedAccess } from '../access-refused.ts'
import { wordsOfTarget } from './redirect.ts'
import { limitedBy, StatusRefused } from '../status-refused.ts'

/** The server that refused, and the origin that its redirects are relative to. */
type RefusedWire = Peer & { readonly origin?: string | undefined }

/** A status that is no answer of MCP. */
export function refusalOf(wire: RefusedWire, incoming: Incoming): Fault {
  const { status } = incoming
  if (status === 401 || status === 403) return refusedAccess(wire.alias, status, challengeOf(wire, incoming))
  const later = header(incoming, 'retry-after')
  if (status === 429) return limitedBy(wire.alias, later)
  const cause = new StatusRefused(status, later)
  const problem = `it responded with HTTP ${status}${redirectOf(wire, incoming)}`
  return new Fault('upstream.unreachable', { connection: wire.alias, problem }, { cause })
}

/** A redirect that is not followed: to another origin, or in a way that would drop the message. */
function redirectOf(wire: RefusedWire, incoming: Incoming): string {
  if (incoming.status < 300 || incoming.status >= 400) return ''
  const target = wordsOfTarget(wire.origin, header(incoming, 'location'))
  if (target === undefined) return ''
  return ` and redirects to ${wire.mask(target)}, which is not followed: if that is the server, use it as the URL of the connection`
}

/** A server may challenge in several lines (RFC 9110, section 11.6.1), and repeat there what it was sent. */
function challengeOf(wire: Pick<Peer, 'mask'>, { headers }: Incoming): string | undefined {
  const given = headers['www-authenticate'] as string | string[] | undefined
  const all = Array.isArray(given) ? given.join(', ') : given
  return all === undefined ? undefined : wire.mask(all)
}
