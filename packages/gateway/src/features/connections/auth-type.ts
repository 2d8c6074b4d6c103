/** How a connection is let in, in one word: as it is set, and as it has turned out where nobody said. Pure. */
import type { Connection } from '@toolway/contract/admin'

/** Facts about the accounts of a connection. */
export interface Accounts {
  readonly oauth: boolean
  readonly key: boolean
  readonly lost: boolean
}
export const NO_ACCOUNTS: Accounts = { oauth: false, key: false, lost: false }

export interface WayIn extends Pick<Connection, 'auth' | 'status'> {
  /** Names of the headers that are sent. */
  readonly headers: readonly string[]
}

export function authTypeOf(
  { auth, headers, status }: WayIn,
  { oauth, key }: Accounts = NO_ACCOUNTS,
): Connection['auth_type'] {
  if (auth?.kind === 'oauth') return 'oauth'
  if (auth?.kind === 'key' || key || headers.some((name) => name.toLowerCase() === 'authorization')) return 'api_key'
  return auth?.kind === 'auto' && (oauth || status === 'needs_auth') ? 'oauth' : 'none'
}
