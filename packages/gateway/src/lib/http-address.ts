/** An address of a server that somebody entered. */
import { Fault } from '@toolway/contract'

/** Throws `url.malformed`, which is answered with 400 (ledger S2-API-02). */
export function addressIn(text: string): string {
  const url = URL.parse(text.trim())
  if (url === null) throw new Fault('url.malformed', { problem: 'cannot be read' })
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Fault('url.malformed', { problem: 'does not start with http:// or https://' })
  if (url.username !== '' || url.password !== '')
    throw new Fault('url.malformed', { problem: 'contains a user name or password' })
  return text.trim()
}
