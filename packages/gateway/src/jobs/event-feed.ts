/**
 * What the followers of an organization hear by themselves: that its connections are others now, that there are new
 * records, and alerts that concern them.
 *
 * The database says it, so every gateway tells its own followers of what any of them did. Who follows is bounded for each principal
 * and each organization; what came while nobody followed is not told later. It is asked at each event what a follower may know.
 */
import { Fault, permits, type OrganizationId } from '@toolway/contract'
import { INTEGRATION_ACTIONS, type GatewayEvent } from '@toolway/contract/admin'
import type { AlertRow } from '../alerts/list-alerts.ts'
import { roleIn } from '../call/callers/role.ts'
import type { Snapshot } from '../call/snapshot.ts'
import type { Accounts } from '../identity/accounts.ts'
import type { Principal } from '../identity/principal.ts'
import type { Log } from '../lib/log.ts'

type Told = Extract<GatewayEvent, { type: 'integrations_changed' }>
type Changed = Omit<Told, 'version'>

/** What the database says: what happened to a connection, or that there is an alert. */
export interface EventNotice {
  readonly organization?: string | undefined
  readonly event?: { readonly id?: unknown; readonly action?: unknown } | undefined
  readonly alert?: string | undefined
  /** A question whether a call may be made is another. */
  readonly approval?: string | undefined
  /** There are records that were not there. */
  readonly records?: boolean | undefined
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

/** What one save sets off is told at once. Milliseconds. */
const GATHER = 100
/** Between two words that there are new records, which a busy organization has all the time. */
const RECORDS_EVERY = 1_000
/** Different changes that are told singly; more of them are told as one. */
const MOST_TOLD = 100
const MOST = { ofPrincipal: 20, ofOrganization: 500, together: 5_000 } as const

interface Followed {
  readonly followers: Set<Follower>
  readonly changes: Map<string, Changed>
  readonly alerts: Set<string>
  approvals: boolean
  timer: NodeJS.Timeout | undefined
  /** When new records were last told of. */
  recordsAt: number
  recordsTimer: NodeJS.Timeout | undefined
}

export function createEventFeed(parts: EventFeedParts, most: { readonly [Name in keyof typeof MOST]: number } = MOST) {
  const { accounts, findOrganization, refresh, log } = parts
  const followed = new Map<string, Followed>()
  let size = 0

  function refuseMore({ principal, organizationId }: Follower): void {
    const { followers = new Set<Follower>() } = followed.get(organizationId) ?? {}
    const own = [...followers].filter((one) => one.principal.id === principal.id).length
    if (own >= most.ofPrincipal) throw new Fault('channel.limit', { limit: most.ofPrincipal, scope: 'for one key' })
    if (followers.size >= most.ofOrganization)
      throw new Fault('channel.limit', { limit: most.ofOrganization, scope: 'for one organization' })
    if (size >= most.together) throw new Fault('channel.limit', { limit: most.together, scope: 'at a time' })
  }

  function follow(follower: Follower): () => void {
    refuseMore(follower)
    const { organizationId } = follower
    const here = followed.get(organizationId) ?? newFollowed()
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

  function hear({ organization, event, alert, approval, records }: EventNotice): void {
    const here = organization === undefined ? undefined : followed.get(organization)
    if (organization === undefined || here === undefined) return
    if (records === true) return hearRecords(here)
    if (alert !== undefined) here.alerts.add(alert)
    if (approval !== undefined) here.approvals = true
    if (event !== undefined) note(here, changedOf(event))
    here.timer ??= setTimeout(() => void tell(organization, here), GATHER)
  }

  function hearRecords(here: Followed): void {
    const wait = Math.max(GATHER, here.recordsAt + RECORDS_EVERY - Date.now())
    here.recordsTimer ??= setTimeout(() => {
      here.recordsTimer = undefined
      here.recordsAt = Date.now()
      say(here, { type: 'records_changed' }, undefined)
    }, wait)
  }

  async function tell(organization: string, here: Followed): Promise<void> {
    here.timer = undefined
    const [changes, alerts] = [[...here.changes.values()], [...here.alerts]]
    const isAsked = here.approvals
    here.changes.clear()
    here.alerts.clear()
    here.approvals = false
    try {
      if (changes.length > 0) await refresh(organization)
      for (const change of changes) say(here, now(organization, change), undefined)
      // Which ones is for those who may see them to look up.
      if (isAsked) say(here, { type: 'approvals_changed' }, undefined)
      for (const id of alerts) {
        const row = await parts.findAlert(organization, id)
        if (row !== undefined) say(here, { type: 'alert', alert: alertOf(row) }, row)
      }
    } catch (thrown) {
      log.warn({ err: thrown, organization }, 'events could not be told; followers are told to look')
      say(here, now(organization, EVERYTHING), undefined)
    }
  }

  /** As it can be looked at: the version that this gateway's memory has. */
  const now = (organization: string, change: Changed): Told => ({
    ...change,
    version: findOrganization(organization)?.version ?? 0,
  })

  function say(here: Followed, event: GatewayEvent, alert: AlertRow | undefined): void {
    for (const follower of here.followers) if (mayHear(follower, alert)) follower.hear(event)
  }

  /** A role may be another by now. An alert reaches whom it concerns and whoever administers connections. */
  function mayHear({ principal, organizationId }: Follower, alert: AlertRow | undefined): boolean {
    const snapshot = findOrganization(organizationId)
    const role = snapshot === undefined ? undefined : roleOf(principal, snapshot)
    if (role === undefined || !permits(role, 'connector_read')) return false
    if (alert === undefined || permits(role, 'connector_update')) return true
    return principal.userId !== undefined && alert.user_id === principal.userId
  }

  function roleOf(principal: Principal, snapshot: Snapshot) {
    try {
      return roleIn(accounts, principal, snapshot.members)
    } catch {
      return undefined
    }
  }

  return {
    follow,
    hear,
    lost() {
      for (const organization of followed.keys()) {
        hear({ organization, event: { id: null, action: 'changed' } })
        hear({ organization, records: true })
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

function note({ changes }: Followed, change: Changed): void {
  const key = `${change.id ?? ''} ${change.action}`
  if (changes.size < MOST_TOLD || changes.has(key)) return void changes.set(key, change)
  changes.clear()
  changes.set('', EVERYTHING)
}

function changedOf({ id, action }: NonNullable<EventNotice['event']>): Changed {
  const known = INTEGRATION_ACTIONS.find((one) => one === action)
  return { type: 'integrations_changed', id: typeof id === 'string' ? id : null, action: known ?? 'changed' }
}

export const alertOf = ({ id, kind, connection_id, user_id, detail, created_at }: AlertRow) => ({
  id,
  kind,
  connection_id,
  user_id,
  detail,
  created_at: created_at.toISOString(),
})
