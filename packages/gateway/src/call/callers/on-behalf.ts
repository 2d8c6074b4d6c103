/**
 * Calling on behalf of a member (ledger S1-ORG-07): a trusted key names it by its address and is that member from then on, as
 * far as the key itself reaches.
 *
 * Any other caller's header is no word of anybody's: it is ignored, and logged once in a while.
 */
import { Fault } from '@toolway/contract'
import { LRUCache } from 'lru-cache'
import type { Accounts } from '../../identity/accounts.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Log } from '../../lib/log.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'

export interface OnBehalfParts {
  readonly accounts: Pick<Accounts, 'find' | 'findByEmail'>
  readonly log: Pick<Log, 'warn'>
}

export type OnBehalf = (principal: Principal, email: string, snapshot: Snapshot) => Principal

const SAID = { max: 1_000, ttl: 60_000 }

export function createOnBehalf({ accounts, log }: OnBehalfParts): OnBehalf {
  const said = new LRUCache<string, true>(SAID)
  return (principal, email, { organization, members }) => {
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
    const account = accounts.findByEmail(email)
    if (account === undefined || !account.active || !members.has(account.id)) throw new Fault('behalf.unknown')
    return { ...principal, id: account.id, kind: 'user', userId: account.id, behalf: account.email, vouched: true }
  }
}
