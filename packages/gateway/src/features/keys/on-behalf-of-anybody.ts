/**
 * Calling for somebody where there are no accounts (ledger S1-ORG-07): a trusted key says for whom by an address, which the backend
 * knows. Any other caller's word is ignored, and logged once in a while.
 */
import { Fault } from '@toolway/contract'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { OnBehalf } from '../../call/callers/on-behalf.ts'
import type { Log } from '../../lib/log.ts'

const SAID = { max: 1_000, ttl: 60_000 }
const Email = z.email().max(254)

export function createOnBehalfOfAnybody(log: Pick<Log, 'warn'>): OnBehalf {
  const said = new LRUCache<string, true>(SAID)
  return (principal, email, { organization }) => {
    if (principal.trusted === 'waits') throw new Fault('behalf.waits')
    if (principal.trusted !== true) {
      if (!said.has(principal.id))
        log.warn(
          { principal: principal.id, organization: organization.slug },
          'a header that names another user is ignored: the key of this caller is not trusted to act on behalf of others',
        )
      said.set(principal.id, true)
      return principal
    }
    const address = Email.safeParse(email.trim().toLowerCase())
    if (!address.success) throw new Fault('behalf.unknown')
    return { ...principal, id: `behalf:${address.data}`, kind: 'user', behalf: address.data, vouched: true }
  }
}
