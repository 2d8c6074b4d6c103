/**
 * Whether an address that a person gives can be kept at all, before anything is sent there (ledger S2-API-02, U-23).
 *
 * It spares a person a connection that could never be made. It is no guard: what a name leads to is judged when the connection is made
 * (`agent.ts`), each time.
 */
import { isIP } from 'node:net'
import { isAllowed, type Permits } from './agent.ts'
import { nameOf, NO_EXCEPTIONS } from './exceptions.ts'

const MOST = 2_000
/** Names that lead to this machine or into a network nearby wherever they are asked for (RFC 6761, 6762, 8375; ICANN: `.internal`). */
const NEARBY = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/

/**
 * Returns the problem with an address, as the rest of a sentence that begins with the position of the address; undefined: it may
 * be stored.
 */
export function problemOfAddress(text: string, permits: Permits, protocols = ['http:', 'https:']): string | undefined {
  const url = text.length > MOST ? null : URL.parse(text.trim())
  if (url === null || url.hostname === '') return 'is not an address such as https://mcp.example.com/mcp'
  if (!protocols.includes(url.protocol))
    return `must start with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`
  if (url.username !== '' || url.password !== '')
    return 'contains a user name or password: send them as an Authorization header instead'
  const host = nameOf(url.hostname.replace(/^\[|\]$/g, ''))
  if (isIP(host) !== 0)
    return isAllowed(host, permits) ? undefined : 'is an address in a private network that may not be reached from here'
  const { allowPrivate, exceptions = NO_EXCEPTIONS } = permits
  // Where some networks may be reached, only its address tells whether such a name is in one of them.
  if (!NEARBY.test(host) || allowPrivate || exceptions !== NO_EXCEPTIONS) return undefined
  return 'points to a private network that may not be reached from here'
}
