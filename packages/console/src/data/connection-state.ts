/**
 * The state of a connection in one key, for words, signs and tones alike: as the gateway derives it for whoever looks (`needs` tells what
 * their calls lack). Pure, and the only place where the console reads it.
 */
import type { Connection } from '@toolway/contract/admin'

/** The list is filtered by them, too. */
export const CONNECTION_STATES = [
  'connected',
  'needs_app',
  'needs_account',
  'refused',
  'error',
  'new',
  'disabled',
] as const
export type ConnectionState = (typeof CONNECTION_STATES)[number]

const OF_NEEDS = { app: 'needs_app', account: 'needs_account', credential: 'refused' } as const

/** A word that nobody knows here is no good sign. */
export function connectionStateOf({
  status,
  needs,
  enabled = true,
}: Pick<Connection, 'status' | 'needs'> & Partial<Pick<Connection, 'enabled'>>): ConnectionState {
  if (!enabled) return 'disabled'
  if (needs !== null) return OF_NEEDS[needs]
  return CONNECTION_STATES.find((state) => state === status) ?? (status === 'needs_auth' ? 'needs_account' : 'error')
}
