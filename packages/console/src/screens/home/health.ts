/** How a connection is, for people: a tone and a word, and which of several is to be looked at first. */
import type { Connection } from '@toolway/contract/admin'
import { connectionStateOf, type ConnectionState } from '../../data/connection-state.ts'
import { texts } from '../../texts/texts.ts'
import type { Tone } from '../../ui/badges.tsx'

export interface Health {
  readonly tone: Tone
  readonly word: string
}

const TONES = {
  ...{ connected: 'good', needs_app: 'warn', needs_account: 'warn', refused: 'bad' },
  ...{ new: 'busy', error: 'bad', disabled: 'off' },
} as const satisfies Record<ConnectionState, Tone>

export function healthOf(connection: Pick<Connection, 'enabled' | 'status' | 'needs' | 'stale_reason'>): Health {
  const words = texts.home.health
  const state = connectionStateOf(connection)
  if (state === 'disabled') return { tone: 'off', word: words.off }
  if (state === 'connected' && connection.stale_reason !== null) return { tone: 'warn', word: words.stale }
  return { tone: TONES[state], word: words.of[state] }
}

const ORDER: readonly Tone[] = ['bad', 'warn', 'busy', 'good', 'off']

/** The worst first, by name among equals. */
export const byNeed = (connections: readonly Connection[]): Connection[] =>
  connections.toSorted((item, other) => {
    const [a, b] = [item, other].map((connection) => ORDER.indexOf(healthOf(connection).tone)) as [number, number]
    return a - b || item.title.localeCompare(other.title)
  })
