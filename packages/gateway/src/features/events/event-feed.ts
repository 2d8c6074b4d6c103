/**
 * Events that followers of an organization receive: changed connections, new records, alerts that concern them, and clients of
 * theirs that connected.
 *
 * The database sends the notifications, so every gateway informs its own followers of changes by any of them. The number of
 * followers is limited for each principal and each organization; earlier events are not sent later. A follower's permission is
 * checked at each event.
 */
import { alertOf, type AlertRow } from '../alerts/index.ts'
import { Fault, permits, type OrganizationId } from '@toolway/contract'
import { INTEGRATION_ACTIONS, type ClientSeen, type GatewayEvent } from '@toolway/contract/admin'
import { roleIn } from '../../snapshot/role.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { Accounts } from '../../identity/accounts.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Log } from '../../lib/log.ts'

type IntegrationChanged = Extract<GatewayEvent, { type: 'integrations_changed' }>
type Changed = Omit<IntegrationChanged, 'version'>

/** The database's notification: a change of a connection, or a new alert. */
export interface EventNotice {
  readonly organization?: string | undefined
  readonly event?: { readonly id?: unknown; readonly action?: unknown } | undefined
  readonly alert?: string | undefined
  /** A question whether a call may be made is another. */
  readonly approval?: string | undefined
  /** There are records that were not there. */
  readonly records?: boolean | undefined
  /** A client did a step. */
  readonly seen?: SeenNotice | undefined
}

/** As the database says it, which is what the gateway that saw it wrote there. */
interface SeenNotice {
  readonly step: ClientSeen['step']
  readonly key_id: string | null
  readonly user_id: string | null
  readonly name: string
  readonly version: string
  readonly revision: string
  readonly at: string
}

export interface EventFeedParts {
  readonly accounts: Pick<Accounts, 'find'>
  findOrganization(id: string): Snapshot | undefined
  /** So that whoever hears of a change and looks finds it. */
  refresh(id: string): Promise<void>
  findAlert(organizationId: string, id: string): Promise<AlertRow | undefined>
  readonly log: Pick<Log, 'warn'>
}

export interface Follower {
  readonly principal: Principal
  readonly organizationId: OrganizationId
  hear(event: GatewayEvent): void
}

export interface EventFeed {
  /** Until the returned function is called. Throws `channel.limit`. */
  follow(follower: Follower): () => void
  hear(notice: EventNotice): void
  /** Notices were lost: anything may have changed. */
  lost(): void
  readonly size: number
  close(): void
}

/** Changes within this time are sent together, such as those of one save. Milliseconds. */
const GATHER_MS = 100
/** Between two words that there are new records, which a busy organization has all the time. */
const RECORDS_EVERY = 1_000
/** Different changes that are told singly; more of them are told as one. */
const MOST_TOLD = 100
const MOST = { ofPrincipal: 20, ofOrganization: 500, together: 5_000 } as const

interface Followed {
  readonly followers: Set<Follower>
  readonly changes: Map<string, Changed>
  readonly alerts: Set<string>
  seen: SeenNotice[]
  approvals: boolean
  timer: NodeJS.Timeout | undefined
  /** When new records were last told of. */
  recordsAt: number
  recordsTimer: NodeJS.Timeout | undefined
}

function sayTo({ followers }: Followed, event: GatewayEvent, may: (follower: Follower) => boolean): void {
  for (const follower of followers) if (may(follower)) follower.hear(event)
}

/** Decides which follower may receive an event, by the role that the follower has at that moment. */
function createAudience({ accounts, findOrganization }: Pick<EventFeedParts, 'accounts' | 'findOrganization'>) {
  function roleOf({ principal, organizationId }: Follower) {
    const snapshot = findOrganization(organizationId)
    try {
      return snapshot === undefined ? undefined : roleIn(accounts, principal, snapshot.members)
    } catch {
      return undefined
    }
  }

  /** An alert reaches the member that it concerns and everybody who administers connections. */
  function mayHear(follower: Follower, alert: AlertRow | undefined): boolean {
    const role = roleOf(follower)
    if (role === undefined || !permits(role, 'connector_read')) return false
    if (alert === undefined || permits(role, 'connector_update')) return true
    return follower.principal.userId !== undefined && alert.user_id === follower.principal.userId
  }

  /** Of a client: its owner, and everybody who administers the organization's keys. */
  function mayHearOf(follower: Follower, { user_id, key_id }: SeenNotice): boolean {
    const { principal } = follower
    if (!mayHear(follower, undefined)) return false
    if (principal.userId !== undefined && principal.userId === user_id) return true
    if (principal.keyId !== undefined && principal.keyId === key_id) return true
    const role = roleOf(follower)
    return role !== undefined && permits(role, 'key_manage')
  }

  return { mayHear, mayHearOf }
}

type Most = { readonly [Name in keyof typeof MOST]: number }

function refuseMore({ principal }: Follower, followers: ReadonlySet<Follower>, together: number, most: Most): void {
  const own = [...followers].filter((follower) => follower.principal.id === principal.id).length
  if (own >= most.ofPrincipal) throw new Fault('channel.limit', { limit: most.ofPrincipal, scope: 'for one key' })
  if (followers.size >= most.ofOrganization)
    throw new Fault('channel.limit', { limit: most.ofOrganization, scope: 'for one organization' })
  if (together >= most.together) throw new Fault('channel.limit', { limit: most.together, scope: 'at a time' })
}

export function createEventFeed(parts: EventFeedParts, most: Most = MOST) {
  const { findOrganization, refresh, log } = parts
  const { mayHear, mayHearOf } = createAudience(parts)
  const followed = new Map<string, Followed>()
  let size = 0

  function follow(follower: Follower): () => void {
    const { organizationId } = follower
    const here = followed.get(organizationId) ?? newFollowed()
    refuseMore(follower, here.followers, size, most)
    followed.set(organizationId, here)
    here.followers.add(follower)
    size++
    return () => {
      if (!here.followers.delete(follower)) return
      size--
      if (here.followers.size > 0) return
      stop(here)
      followed.delete(organizationId)
    }
  }

  function onNotice({ organization, event, alert, approval, records, seen }: EventNotice): void {
    const here = organization === undefined ? undefined : followed.get(organization)
    if (organization === undefined || here === undefined) return
    if (records === true) return hearRecords(here)
    if (alert !== undefined) here.alerts.add(alert)
    if (approval !== undefined) here.approvals = true
    if (seen !== undefined && here.seen.length < MOST_TOLD) here.seen.push(seen)
    if (event !== undefined) noteChange(here, changedOf(event))
    here.timer ??= setTimeout(() => void sendChanges(organization, here), GATHER_MS)
  }

  function hearRecords(here: Followed): void {
    const wait = Math.max(GATHER_MS, here.recordsAt + RECORDS_EVERY - Date.now())
    here.recordsTimer ??= setTimeout(() => {
      here.recordsTimer = undefined
      here.recordsAt = Date.now()
      sendEvent(here, { type: 'records_changed' }, undefined)
    }, wait)
  }

  async function sendChanges(organization: string, here: Followed): Promise<void> {
    here.timer = undefined
    const [changes, alerts] = [[...here.changes.values()], [...here.alerts]]
    const { approvals: isAsked, seen } = here
    here.changes.clear()
    here.alerts.clear()
    here.approvals = false
    here.seen = []
    try {
      if (changes.length > 0) await refresh(organization)
      for (const change of changes) sendEvent(here, now(organization, change), undefined)
      // The event does not name the approvals: users with permission look them up.
      if (isAsked) sendEvent(here, { type: 'approvals_changed' }, undefined)
      for (const notice of seen) sayTo(here, seenOf(notice), (follower) => mayHearOf(follower, notice))
      for (const id of alerts) {
        const row = await parts.findAlert(organization, id)
        if (row !== undefined) sendEvent(here, { type: 'alert', alert: alertOf(row) }, row)
      }
    } catch (thrown) {
      log.warn({ err: thrown, organization }, 'events could not be sent; followers are told to reload')
      sendEvent(here, now(organization, EVERYTHING), undefined)
    }
  }

  /** As it can be looked at: the version that this gateway's memory has. */
  const now = (organization: string, change: Changed): IntegrationChanged => ({
    ...change,
    version: findOrganization(organization)?.version ?? 0,
  })

  function sendEvent(here: Followed, event: GatewayEvent, alert: AlertRow | undefined): void {
    sayTo(here, event, (follower) => mayHear(follower, alert))
  }

  return {
    follow,
    hear: onNotice,
    lost() {
      for (const organization of followed.keys()) {
        onNotice({ organization, event: { id: null, action: 'changed' } })
        onNotice({ organization, records: true })
      }
    },
    get size() {
      return size
    },
    close() {
      for (const here of followed.values()) stop(here)
      followed.clear()
      size = 0
    },
  } satisfies EventFeed
}

const newFollowed = (): Followed => ({
  followers: new Set(),
  changes: new Map(),
  alerts: new Set(),
  seen: [],
  approvals: false,
  timer: undefined,
  recordsAt: 0,
  recordsTimer: undefined,
})

function stop({ timer, recordsTimer }: Followed): void {
  clearTimeout(timer)
  clearTimeout(recordsTimer)
}

const EVERYTHING: Changed = { type: 'integrations_changed', id: null, action: 'changed' }

function noteChange({ changes }: Followed, change: Changed): void {
  const key = `${change.id ?? ''} ${change.action}`
  if (changes.size < MOST_TOLD || changes.has(key)) return void changes.set(key, change)
  changes.clear()
  changes.set('', EVERYTHING)
}

function changedOf({ id, action }: NonNullable<EventNotice['event']>): Changed {
  const known = INTEGRATION_ACTIONS.find((integrationAction) => integrationAction === action)
  return { type: 'integrations_changed', id: typeof id === 'string' ? id : null, action: known ?? 'changed' }
}

const seenOf = ({ step, key_id, user_id, name, version, revision, at }: SeenNotice): ClientSeen => ({
  type: 'client_seen',
  step,
  key_id,
  user_id,
  client: name === '' ? null : { name, version },
  revision,
  at: new Date(at).toISOString(),
})
