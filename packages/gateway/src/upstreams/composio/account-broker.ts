/**
 * The accounts that users have at Composio. They and their tokens stay there: what is known here is an id, a name and a state, for half a
 * minute (ledger S0-CMP-04).
 */
import { Fault } from '@toolway/contract'
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { LRUCache } from 'lru-cache'
import { createSingleFlight } from '../../lib/single-flight.ts'
import type { AccountBroker, BrokeredAccount, ComposioTarget } from '../upstream.ts'
import type { ComposioApi } from './composio-api.ts'

export interface BrokerParts {
  readonly alias: string
  readonly api: ComposioApi
  readonly terms: Pick<ComposioTarget, 'way' | 'toolkits' | 'users' | 'defaultUser' | 'webhookSecret'>
  /** Whether any of its tools acts for an account. */
  needsAccounts(): boolean
}

const KNOWN = { max: 10_000, ttl: 30_000 }

export function createAccountBroker({ alias, api, terms, needsAccounts }: BrokerParts): AccountBroker {
  const { way, toolkits, users, defaultUser } = terms
  const known = new LRUCache<string, readonly BrokeredAccount[]>(KNOWN)
  const fly = createSingleFlight<string, readonly BrokeredAccount[]>()

  const fetch = (user: string) =>
    fly(user, async () => {
      const found = (await api.accounts(user, toolkits)).flatMap((value) => accountOf(value, user))
      // Those that serve come first; of equals, the newest, as Composio has them.
      const accounts = found.toSorted((a, b) => Number(a.problem !== undefined) - Number(b.problem !== undefined))
      known.set(user, accounts)
      return accounts
    })

  return {
    webhookSecret: terms.webhookSecret,
    forget: (user) => (user === undefined ? known.clear() : void known.delete(user)),
    userOf(member) {
      if (member === undefined) return defaultUser
      return users === 'id' ? member.id : (member.email ?? defaultUser)
    },
    get named() {
      return way === 'mcp' || (way === 'rest' && toolkits.length === 1 && needsAccounts())
    },
    accounts: (user, anew = false) => (anew ? undefined : known.get(user)) ?? fetch(user),
    async link(user, app, callback) {
      const toolkit = app ?? toolkits[0]
      if (toolkit === undefined || (toolkits.length > 0 && !toolkits.includes(toolkit)))
        throw new Fault('flow.unfit', {
          connection: alias,
          problem: 'its settings do not specify a toolkit to connect an account for',
        })
      known.delete(user)
      return api.link(user, toolkit, callback)
    },
    async remove(user, id) {
      const own = await fetch(user)
      if (own.every((account) => account.id !== id)) return false
      await api.remove(id)
      known.delete(user)
      return true
    },
  }
}

const momentOf = (input: Json | undefined): string | undefined =>
  typeof input === 'string' && !Number.isNaN(Date.parse(input)) ? new Date(input).toISOString() : undefined

/** An account as Composio tells of it; nothing for that of somebody else, whatever was asked. */
function accountOf(value: JsonObject, user: string): BrokeredAccount[] {
  const { id, user_id: owner, status, status_reason: reason, toolkit, alias, is_disabled: disabled } = value
  if (typeof id !== 'string' || (typeof owner === 'string' && owner !== user)) return []
  const app = isObject(toolkit) ? toolkit['slug'] : undefined
  const serves = status === 'ACTIVE' && disabled !== true
  const why =
    disabled === true
      ? 'it is turned off'
      : typeof reason === 'string' && reason !== ''
        ? reason
        : `it is ${String(status).toLowerCase()}`
  return [
    {
      id,
      app: typeof app === 'string' ? app : '',
      account: typeof alias === 'string' && alias !== '' ? alias : id,
      since: momentOf(value['created_at']),
      problem: serves ? undefined : why,
    },
  ]
}
