/**
 * Whether each connection's other end is still there: asked every 30 s of children and every 5 min of remote servers.
 *
 * A failure is noted with its reason and has the catalogs asked anew, which retries with growing pauses, so that recovery is
 * noticed soon. A child that does not run is not started for it. A check holds up no call and no other check.
 */
import { Fault, type ConnectionId, type OrganizationId } from '@toolway/contract'
import type { Log } from '../lib/log.ts'
import type { Wanted } from './keep-catalog.ts'

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
  /** These connections are to be looked at, as they stand now, and no others. */
  want(connections: readonly Wanted[]): void
  close(): void
}

interface HealthState {
  readonly watched: Wanted
  readonly stop: AbortController
  due: number
  busy: boolean
  unwell: boolean
}

export function createKeepHealthy({ now, random, claim, note, again, count, log }: KeepHealthyParts): KeepHealthy {
  const kept = new Map<ConnectionId, HealthState>()
  let timer: NodeJS.Timeout | undefined
  let running = 0
  let closed = false

  const next = ({ kind }: Wanted) => now() + EVERY[kind] * (1 + SPREAD * (2 * random() - 1))

  function plan(): void {
    clearTimeout(timer)
    const due = [...kept.values()].filter(({ busy }) => !busy).map((one) => one.due)
    // A check that ends makes a new plan, so with all places taken there is nothing to wait for.
    if (closed || due.length === 0 || running >= MOST) return
    const first = due.reduce((soonest, one) => Math.min(soonest, one))
    timer = setTimeout(look, Math.max(0, first - now())).unref()
  }

  function look(): void {
    const at = now()
    for (const one of kept.values()) {
      if (running >= MOST) break
      if (!one.busy && one.due <= at) void check(one).finally(plan)
    }
    plan()
  }

  async function check(one: HealthState): Promise<void> {
    one.busy = true
    running++
    try {
      if (!(await isOurs(one))) return
      const fault = await ask(one)
      if (!one.stop.signal.aborted) await learn(one, fault)
    } finally {
      running--
      one.busy = false
      one.due = next(one.watched)
    }
  }

  /** A child is this gateway's own. A remote server that is unwell is asked by each that knows so, which then knows it is well. */
  async function isOurs({ watched: { connectionId, kind }, unwell }: HealthState): Promise<boolean> {
    if (kind === 'child' || unwell) return true
    // Without the database nobody agrees on anything, and each asks.
    return claim(connectionId, EVERY.remote * (1 - 2 * SPREAD)).catch(() => true)
  }

  /** Undefined when it is well, or not there to be asked. */
  async function ask({ watched, stop }: HealthState): Promise<Fault | undefined> {
    try {
      count((await watched.upstream().check(stop.signal)) ? 'well' : 'asleep')
      return undefined
    } catch (thrown) {
      const fault = Fault.of(thrown)
      // One that has too much to do is there.
      const well =
        fault.code === 'upstream.busy' || fault.code === 'upstream.limited' || fault.code === 'upstream.disabled'
      if (!stop.signal.aborted) count(well ? 'well' : 'unwell')
      return well ? undefined : fault
    }
  }

  async function learn(one: HealthState, fault: Fault | undefined): Promise<void> {
    const turned = one.unwell !== (fault !== undefined)
    if (!turned && fault === undefined) return
    one.unwell = fault !== undefined
    const { organizationId, connectionId, alias } = one.watched
    if (turned && fault === undefined) log.info({ connection: alias, connectionId }, 'answers again')
    else if (turned)
      log.warn({ connection: alias, connectionId, code: fault?.code, problem: fault?.message }, 'no answer')
    await note(organizationId, connectionId, fault).catch((thrown: unknown) =>
      log.warn({ connection: alias, err: thrown }, 'the state of a connection could not be stored'),
    )
    if (turned) again(connectionId)
  }

  return {
    want(connections) {
      const wanted = new Map(connections.map((one) => [one.connectionId, one]))
      for (const [id, one] of kept) {
        if (wanted.get(id)?.version === one.watched.version) continue
        kept.delete(id)
        one.stop.abort()
      }
      for (const [id, watched] of wanted) {
        if (kept.has(id)) continue
        kept.set(id, { watched, stop: new AbortController(), due: next(watched), busy: false, unwell: false })
      }
      plan()
    },
    close() {
      closed = true
      clearTimeout(timer)
      for (const { stop } of kept.values()) stop.abort()
      kept.clear()
    },
  }
}
