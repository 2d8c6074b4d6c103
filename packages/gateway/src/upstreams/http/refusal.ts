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
  const target = targetOf(wire, incoming)
  const cause = new StatusRefused(status, later, target)
  const problem = `it responded with HTTP ${status}${target === undefined ? '' : REDIRECTS}`
  return new Fault('upstream.unreachable', { connection: wire.alias, problem }, { cause })
}

/** Callers read this: addresses of servers are in the cause alone, which operators see. */
const REDIRECTS = ' and redirects to another address, which is not followed: check the URL of the connection'

/** Where a redirect leads that is not followed: to another origin, or in a way that would drop the message. */
function targetOf(wire: RefusedWire, incoming: Incoming): string | undefined {
  if (incoming.status < 300 || incoming.status >= 400) return undefined
  const target = wordsOfTarget(wire.origin, header(incoming, 'location'))
  return target === undefined ? undefined : wire.mask(target)
}

/** A server may challenge in several lines (RFC 9110, section 11.6.1), and repeat there what it was sent. */
function challengeOf(wire: Pick<Peer, 'mask'>, { headers }: Incoming): string | undefined {
  const challenge = headers['www-authenticate'] as string | string[] | undefined
  const all = Array.isArray(challenge) ? challenge.join(', ') : challenge
  return all === undefined ? undefined : wire.mask(all)
}
