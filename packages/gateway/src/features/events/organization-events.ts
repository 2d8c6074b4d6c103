/**
 * The followers of one organization, and the events that they receive in a moment: changes are gathered, and a permission is judged at
 * each event.
 */
import { alertOf, type AlertRow } from '../alerts/index.ts'
import { permits, type OrganizationId } from '@toolway/contract'
import { INTEGRATION_ACTIONS, type ClientSeen, type GatewayEvent } from '@toolway/contract/admin'
import { admittedIn } from '../../snapshot/role.ts'
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

/** Changes within this time are sent together, such as those of one save. Milliseconds. */
const GATHER_MS = 100
/** Between two words that there are new records, which a busy organization has all the time. */
const RECORDS_EVERY = 1_000
/** Different changes that are told singly; more of them are told as one. */
const MOST_TOLD = 100

/** Decides which follower may receive an event, by the role that the follower has at that moment. */
function createAudience({ accounts, findOrganization }: Pick<EventFeedParts, 'accounts' | 'findOrganization'>) {
  function roleOf({ principal, organizationId }: Follower) {
    const snapshot = findOrganization(organizationId)
    try {
      return snapshot === undefined ? undefined : admittedIn(accounts, principal, snapshot)
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

export class OrganizationEvents {
  readonly followers = new Set<Follower>()
  readonly #organization: string
  readonly #parts: EventFeedParts
  readonly #audience
  readonly #changes = new Map<string, Changed>()
  readonly #alerts = new Set<string>()
  #seen: SeenNotice[] = []
  #approvals = false
  #timer: NodeJS.Timeout | undefined
  /** When new records were last told of. */
  #recordsAt = 0
  #recordsTimer: NodeJS.Timeout | undefined

  constructor(organization: string, parts: EventFeedParts) {
    this.#organization = organization
    this.#parts = parts
    this.#audience = createAudience(parts)
  }

  hear({ event, alert, approval, records, seen }: EventNotice): void {
    if (records === true) return this.#hearRecords()
    if (alert !== undefined) this.#alerts.add(alert)
    if (approval !== undefined) this.#approvals = true
    if (seen !== undefined && this.#seen.length < MOST_TOLD) this.#seen.push(seen)
    if (event !== undefined) this.#note(changedOf(event))
    this.#timer ??= setTimeout(() => void this.#tell(), GATHER_MS)
  }

  /** Notices were lost: anything may have changed. */
  lost(): void {
    this.hear({ event: { id: null, action: 'changed' } })
    this.hear({ records: true })
  }

  stop(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#recordsTimer)
  }

  #hearRecords(): void {
    const wait = Math.max(GATHER_MS, this.#recordsAt + RECORDS_EVERY - Date.now())
    this.#recordsTimer ??= setTimeout(() => {
      this.#recordsTimer = undefined
      this.#recordsAt = Date.now()
      this.#say({ type: 'records_changed' }, undefined)
    }, wait)
  }

  #note(change: Changed): void {
    const key = `${change.id ?? ''} ${change.action}`
    if (this.#changes.size < MOST_TOLD || this.#changes.has(key)) return void this.#changes.set(key, change)
    this.#changes.clear()
    this.#changes.set('', EVERYTHING)
  }

  async #tell(): Promise<void> {
    this.#timer = undefined
    const [changes, alerts] = [[...this.#changes.values()], [...this.#alerts]]
    const [isAsked, seen] = [this.#approvals, this.#seen]
    this.#changes.clear()
    this.#alerts.clear()
    this.#approvals = false
    this.#seen = []
    try {
      if (changes.length > 0) await this.#parts.refresh(this.#organization)
      for (const change of changes) this.#say(this.#now(change), undefined)
      // The event does not name the approvals: users with permission look them up.
      if (isAsked) this.#say({ type: 'approvals_changed' }, undefined)
      for (const notice of seen) this.#sayTo(seenOf(notice), (follower) => this.#audience.mayHearOf(follower, notice))
      for (const id of alerts) {
        const row = await this.#parts.findAlert(this.#organization, id)
        if (row !== undefined) this.#say({ type: 'alert', alert: alertOf(row) }, row)
      }
    } catch (thrown) {
      const facts = { err: thrown, organization: this.#organization }
      this.#parts.log.warn(facts, 'events could not be sent; followers are told to reload')
      this.#say(this.#now(EVERYTHING), undefined)
    }
  }

  /** As it can be looked at: the version that this gateway's memory has. */
  #now(change: Changed): IntegrationChanged {
    return { ...change, version: this.#parts.findOrganization(this.#organization)?.version ?? 0 }
  }

  #say(event: GatewayEvent, alert: AlertRow | undefined): void {
    this.#sayTo(event, (follower) => this.#audience.mayHear(follower, alert))
  }

  #sayTo(event: GatewayEvent, may: (follower: Follower) => boolean): void {
    for (const follower of this.followers) if (may(follower)) follower.hear(event)
  }
}

const EVERYTHING: Changed = { type: 'integrations_changed', id: null, action: 'changed' }

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
