/**
 * Whether each connection's other end is still there: asked every 30 s of children and every 5 min of remote servers.
 *
 * A failure is noted with its reason and has the catalogs asked anew, which retries with growing pauses, so that recovery is
 * noticed soon. A child that does not run is not started for it. A check holds up no call and no other check.
 */
import { Fault, type ConnectionId, type OrganizationId } from '@toolway/contract'
import type { Log } from '../../lib/log.ts'
import type { WatchedConnection } from './keep-catalog.job.ts'
import { KeptConnections } from './kept-connections.ts'

/** Milliseconds (ledger S3-EXT-04, S2-SES-04). */
const EVERY = { child: 30_000, remote: 5 * 60_000 }
/** Checks are spread by a tenth to either side, so that those of many connections do not fall together for ever. */
const SPREAD = 0.1
/** Under way at the same time. */
const MOST = 8

export interface KeepHealthyParts {
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Notes the result of a check: undefined after a failure means that it has recovered. */
  note(organizationId: OrganizationId, connectionId: ConnectionId, fault: Fault | undefined): Promise<void>
  /** Whether this gateway is to ask a remote server now: no other one did within so many milliseconds. */
  claim(connectionId: ConnectionId, within: number): Promise<boolean>
  /** Its state has turned: what it offers is to be asked anew. */
  again(connectionId: ConnectionId): void
  count(outcome: 'well' | 'unwell' | 'asleep'): void
  readonly log: Pick<Log, 'info' | 'warn'>
}

export interface KeepHealthy {
  /** These connections are to be looked at, as they stand now, and no others: of these organizations, or of all. */
  want(connections: readonly WatchedConnection[], organizations?: ReadonlySet<string>): void
  close(): void
}

interface HealthState {
  readonly organizationId: OrganizationId
  readonly watched: WatchedConnection
  readonly stop: AbortController
  due: number
  busy: boolean
  unwell: boolean
}

export const createKeepHealthy = (parts: KeepHealthyParts): KeepHealthy => new HealthKeeper(parts)

class HealthKeeper implements KeepHealthy {
  readonly #parts: KeepHealthyParts
  readonly #kept = new KeptConnections<HealthState>()
  #timer: NodeJS.Timeout | undefined
  #running = 0
  #closed = false

  constructor(parts: KeepHealthyParts) {
    this.#parts = parts
  }

  #next({ kind }: WatchedConnection) {
    return this.#parts.now() + EVERY[kind] * (1 + SPREAD * (2 * this.#parts.random() - 1))
  }

  readonly #plan = (): void => {
    clearTimeout(this.#timer)
    const due = [...this.#kept.values()].filter(({ busy }) => !busy).map((healthState) => healthState.due)
    // A check that ends makes a new plan, so with all places taken there is nothing to wait for.
    if (this.#closed || due.length === 0 || this.#running >= MOST) return
    const first = due.reduce((soonest, value) => Math.min(soonest, value))
    this.#timer = setTimeout(this.#look, Math.max(0, first - this.#parts.now())).unref()
  }

  readonly #look = (): void => {
    const at = this.#parts.now()
    for (const healthState of this.#kept.values()) {
      if (this.#running >= MOST) break
      if (!healthState.busy && healthState.due <= at) void this.#check(healthState).finally(this.#plan)
    }
    this.#plan()
  }

  async #check(healthState: HealthState): Promise<void> {
    healthState.busy = true
    this.#running++
    try {
      if (!(await this.#isOurs(healthState))) return
      const fault = await this.#ask(healthState)
      if (!healthState.stop.signal.aborted) await this.#learn(healthState, fault)
    } finally {
      this.#running--
      healthState.busy = false
      healthState.due = this.#next(healthState.watched)
    }
  }

  /** A child is this gateway's own. A remote server that is unwell is asked by each that knows so, which then knows it is well. */
  async #isOurs({ watched: { connectionId, kind }, unwell }: HealthState): Promise<boolean> {
    if (kind === 'child' || unwell) return true
    // Without the database nobody agrees on anything, and each asks.
    return this.#parts.claim(connectionId, EVERY.remote * (1 - 2 * SPREAD)).catch(() => true)
  }

  /** Undefined when it is well, or not there to be asked. */
  async #ask({ watched, stop }: HealthState): Promise<Fault | undefined> {
    try {
      this.#parts.count((await watched.upstream().check(stop.signal)) ? 'well' : 'asleep')
      return undefined
    } catch (thrown) {
      const fault = Fault.of(thrown)
      // One that has too much to do is there.
      const well =
        fault.code === 'upstream.busy' || fault.code === 'upstream.limited' || fault.code === 'upstream.disabled'
      if (!stop.signal.aborted) this.#parts.count(well ? 'well' : 'unwell')
      return well ? undefined : fault
    }
  }

  async #learn(healthState: HealthState, fault: Fault | undefined): Promise<void> {
    const turned = healthState.unwell !== (fault !== undefined)
    if (!turned && fault === undefined) return
    healthState.unwell = fault !== undefined
    const { organizationId, connectionId, alias } = healthState.watched
    if (turned && fault === undefined) this.#parts.log.info({ connection: alias, connectionId }, 'answers again')
    else if (turned)
      this.#parts.log.warn({ connection: alias, connectionId, code: fault?.code, problem: fault?.message }, 'no answer')
    await this.#parts
      .note(organizationId, connectionId, fault)
      .catch((thrown: unknown) =>
        this.#parts.log.warn({ connection: alias, err: thrown }, 'the state of a connection could not be stored'),
      )
    if (turned) this.#parts.again(connectionId)
  }

  want(connections: readonly WatchedConnection[], organizations?: ReadonlySet<string>) {
    const watchedById = new Map(connections.map((connection) => [connection.connectionId, connection]))
    for (const [id, healthState] of this.#kept.entriesOf(organizations)) {
      if (watchedById.get(id)?.version === healthState.watched.version) continue
      this.#kept.delete(id)
      healthState.stop.abort()
    }
    for (const [id, watched] of watchedById) {
      if (this.#kept.has(id)) continue
      const { organizationId } = watched
      const [stop, due] = [new AbortController(), this.#next(watched)]
      this.#kept.set(id, { organizationId, watched, stop, due, busy: false, unwell: false })
    }
    this.#plan()
  }

  close() {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const { stop } of this.#kept.values()) stop.abort()
    this.#kept.clear()
  }
}
