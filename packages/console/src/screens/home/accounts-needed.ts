/**
 * At which services somebody still has to connect an account of their own: pure. Whether one is needed is the gateway's word; one that the
 * organization shares needs nobody, and one that only the organization may have is an administrator's matter.
 */
import type { AccountInPlace, Connection } from '@toolway/contract/admin'

export interface AccountsNeeded {
  /** Titles of the services. */
  readonly titles: readonly string[]
  /** Whether own accounts matter here at all: some are needed, or there are some. */
  readonly concerns: boolean
}

export function accountsNeededBy(
  user: string | undefined,
  connections: readonly Pick<Connection, 'title' | 'enabled' | 'needs' | 'auth'>[],
  accounts: readonly Pick<AccountInPlace, 'user_id'>[],
): AccountsNeeded {
  const titles = connections
    .filter(({ enabled, needs, auth }) => enabled && needs === 'account' && auth?.owners.includes('member') === true)
    .map(({ title }) => title)
  const hasOwn = accounts.some(({ user_id: id }) => id !== null && id === user)
  return { titles, concerns: user !== undefined && (titles.length > 0 || hasOwn) }
}
