/**
 * Listeners for changes of lists: open streams register with the lists that they may see, and are notified of no others.
 *
 * There is no bus across organizations: a listener names its organization's own channel.
 */
import type { ConnectionId, OrganizationId } from '@toolway/contract'

export type Changed = 'tools' | 'prompts' | 'resources'

export interface Listener {
  /** Whether this connection belongs to the listener's endpoint. */
  sees(connectionId: ConnectionId): boolean
  onChange(kind: Changed): void
}

export interface Changes {
  listen(organizationId: OrganizationId, listener: Listener): () => void
  tell(organizationId: OrganizationId, connectionId: ConnectionId, kind: Changed): void
  /** The same, unless it was told since then (milliseconds since 1970). */
  tellUnlessSince(organizationId: OrganizationId, connectionId: ConnectionId, kind: Changed, since: number): void
}

/** The number of lists whose last notification is remembered; a forgotten list may be notified once more. */
const MOST_REMEMBERED = 10_000

export function createChanges(): Changes {
  const channels = new Map<OrganizationId, Set<Listener>>()
  const announced = new Map<string, number>()

  function announce(organizationId: OrganizationId, connectionId: ConnectionId, kind: Changed): void {
    if (announced.size >= MOST_REMEMBERED) announced.clear()
    announced.set(`${connectionId} ${kind}`, Date.now())
    for (const listener of channels.get(organizationId) ?? []) if (listener.sees(connectionId)) listener.onChange(kind)
  }

  return {
    listen(organizationId, listener) {
      const channel = channels.get(organizationId) ?? new Set()
      channels.set(organizationId, channel.add(listener))
      return () => {
        channel.delete(listener)
        if (channel.size === 0 && channels.get(organizationId) === channel) channels.delete(organizationId)
      }
    },
    tell: announce,
    tellUnlessSince(organizationId, connectionId, kind, since) {
      if ((announced.get(`${connectionId} ${kind}`) ?? -Infinity) < since) announce(organizationId, connectionId, kind)
    },
  }
}
