/**
 * Events that followers of an organization receive: changed connections, new records, alerts that concern them, and clients of
 * theirs that connected.
 *
 * The database sends the notifications, so every gateway informs its own followers of changes by any of them. The number of
 * followers is limited for each principal and each organization; earlier events are not sent later. A follower's permission is
 * checked at each event.
 */
import { OrganizationEvents, type EventFeedParts, type EventNotice, type Follower } from './organization-events.ts'
import { Fault } from '@toolway/contract'

export interface EventFeed {
  /** Until the returned function is called. Throws `channel.limit`. */
  follow(follower: Follower): () => void
  hear(notice: EventNotice): void
  /** Notices were lost: anything may have changed. */
  lost(): void
  readonly size: number
  close(): void
}

const MOST = { ofPrincipal: 20, ofOrganization: 500, together: 5_000 } as const

type Most = { readonly [Name in keyof typeof MOST]: number }

function refuseMore({ principal }: Follower, followers: ReadonlySet<Follower>, together: number, most: Most): void {
  const own = [...followers].filter((follower) => follower.principal.id === principal.id).length
  if (own >= most.ofPrincipal) throw new Fault('channel.limit', { limit: most.ofPrincipal, scope: 'for one key' })
  if (followers.size >= most.ofOrganization)
    throw new Fault('channel.limit', { limit: most.ofOrganization, scope: 'for one organization' })
  if (together >= most.together) throw new Fault('channel.limit', { limit: most.together, scope: 'at a time' })
}

export function createEventFeed(parts: EventFeedParts, most: Most = MOST) {
  const followed = new Map<string, OrganizationEvents>()
  let size = 0

  function follow(follower: Follower): () => void {
    const { organizationId } = follower
    const here = followed.get(organizationId) ?? new OrganizationEvents(organizationId, parts)
    refuseMore(follower, here.followers, size, most)
    followed.set(organizationId, here)
    here.followers.add(follower)
    size++
    return () => {
      if (!here.followers.delete(follower)) return
      size--
      if (here.followers.size > 0) return
      here.stop()
      followed.delete(organizationId)
    }
  }

  function onNotice(notice: EventNotice): void {
    if (notice.organization !== undefined) followed.get(notice.organization)?.hear(notice)
  }

  return {
    follow,
    hear: onNotice,
    lost() {
      for (const here of followed.values()) here.lost()
    },
    get size() {
      return size
    },
    close() {
      for (const here of followed.values()) here.stop()
      followed.clear()
      size = 0
    },
  } satisfies EventFeed
}
