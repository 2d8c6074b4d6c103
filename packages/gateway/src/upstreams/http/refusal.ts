/** Converts an HTTP status to a fault, with the facts needed for a retry: the server's `Retry-After` and its challenge. */
import { Fault } from '@toolway/contract'
import { header, type Incoming, type Peer } from '@toolway/protocol/client'
import { refusedAccess } from '../access-refused.ts'
import { limitedBy, StatusRefused } from '../status-refused.ts'

/** A status that is no answer of MCP. */
export function refusalOf(wire: Peer, incoming: Incoming): Fault {
  const { status } = incoming
  if (status === 401 || status === 403) return refusedAccess(wire.alias, status, challengeOf(wire, incoming))
  const later = header(incoming, 'retry-after')
  if (status === 429) return limitedBy(wire.alias, later)
  const cause = new StatusRefused(status, later)
  return new Fault(
    'upstream.unreachable',
    { connection: wire.alias, problem: `it responded with HTTP ${status}` },
    { cause },
  )
}

/** A server may challenge in several lines (RFC 9110, section 11.6.1), and repeat there what it was sent. */
function challengeOf(wire: Pick<Peer, 'mask'>, { headers }: Incoming): string | undefined {
  const given = headers['www-authenticate'] as string | string[] | undefined
  const all = Array.isArray(given) ? given.join(', ') : given
  return all === undefined ? undefined : wire.mask(all)
}
