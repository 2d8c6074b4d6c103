/** How a connection is, in a word and a tone, and what may mend it. Pure: it asks nothing and draws nothing. */
import { kindOf } from '@toolway/contract'
import type { Connection } from '@toolway/contract/admin'
import { connectionStateOf, type ConnectionState } from '../../../data/connection-state.ts'
import { texts } from '../../../texts/texts.ts'
import type { Tone } from '../../../ui/badges.tsx'

export const TABS = ['overview', 'accounts', 'tools', 'changes', 'process', 'document', 'settings'] as const
export type Tab = (typeof TABS)[number]

const { states } = texts.connection

type Seen = Pick<Connection, 'status' | 'needs' | 'enabled' | 'stale_reason'>

const TONES = {
  ...{ connected: 'good', needs_app: 'warn', needs_account: 'warn', refused: 'bad' },
  ...{ new: 'busy', error: 'bad', disabled: 'off' },
} as const satisfies Record<ConnectionState, Tone>

export function stateOf(connection: Seen): { tone: Tone; word: string } {
  const state = connectionStateOf(connection)
  if (state === 'connected' && connection.stale_reason !== null) return { tone: 'warn', word: states.stale }
  return { tone: TONES[state], word: states[state] }
}

type Kind = Pick<Connection, 'connector' | 'auth' | 'openapi'>

/** Whether it takes accounts that people connect, or keys that they give. */
export const takesAccounts = ({ auth, connector }: Pick<Connection, 'auth' | 'connector'>): boolean =>
  brokersAccounts(connector) || (auth !== null && auth.kind !== 'none')

/** Whether its server keeps the accounts of users itself, as Composio does. */
export const brokersAccounts = (connector: Connection['connector']): boolean =>
  kindOf(connector).brokersAccounts === true

/** The tabs that say something of a connection of this kind. */
export const tabsOf = (connection: Kind): readonly Tab[] =>
  TABS.filter((tab) => {
    if (tab === 'accounts') return takesAccounts(connection)
    if (tab === 'process') return kindOf(connection.connector).runsHere
    if (tab === 'document') return kindOf(connection.connector).hasDocument === true
    return true
  })

/** Something that a person can do about a failure. */
export type Fix = 'enable' | 'account' | 'settings' | 'restart' | 'process' | 'document'

/**
 * Returns the possible fixes, the likeliest first.
 * @param code of the fault table; undefined where only the state is known
 */
export function fixesFor(connection: Kind & Seen, code?: string): readonly Fix[] {
  const { connector, enabled, status } = connection
  if (!enabled || code === 'upstream.disabled') return ['enable']
  const unlet = code === undefined ? status === 'needs_auth' : /^(credential\.|upstream\.needs-auth)/.test(code)
  if (unlet) return takesAccounts(connection) ? ['account', 'settings'] : ['settings']
  if (code?.startsWith('openapi.') === true) return code === 'openapi.address' ? ['settings'] : ['document']
  if (kindOf(connector).runsHere) return ['restart', 'process', 'settings']
  return ['settings']
}

/** Reasons go on after other words; alone they begin and end like a sentence. */
export const sentence = (text: string): string =>
  text.slice(0, 1).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
