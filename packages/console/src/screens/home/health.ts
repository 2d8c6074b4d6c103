/** How a connection is, for people: a tone and a word, and which of several is to be looked at first. */
import type { Connection } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import type { Tone } from '../../ui/badges.tsx'

export interface Health {
  readonly tone: Tone
  readonly word: string
}

const TONES: Readonly<Record<string, Tone>> = { connected: 'good', needs_auth: 'warn', new: 'busy', error: 'bad' }

export function healthOf({
  enabled,
  status,
  stale_reason: stale,
}: Pick<Connection, 'enabled' | 'status' | 'stale_reason'>): Health {
  const words = texts.home.health
  if (!enabled) return { tone: 'off', word: words.off }
  if (status === 'connected' && stale !== null) return { tone: 'warn', word: words.stale }
  const known = Object.hasOwn(TONES, status)
  return { tone: known ? (TONES[status] ?? 'bad') : 'bad', word: words.of[known ? status : 'error'] ?? status }
}

const ORDER: readonly Tone[] = ['bad', 'warn', 'busy', 'good', 'off']

/** The worst first, by name among equals. */
export const byNeed = (connections: readonly Connection[]): Connection[] =>
  connections.toSorted((one, other) => {
    const [a, b] = [one, other].map((connection) => ORDER.indexOf(healthOf(connection).tone)) as [number, number]
    return a - b || one.title.localeCompare(other.title)
  })
