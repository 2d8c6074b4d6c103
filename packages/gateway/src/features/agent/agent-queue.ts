/**
 * Which runs of agents go on now, and which wait. A run is a process and pays for a model, so runs are bounded for each member, each
 * organization, this gateway and the installation; the others wait in order, and of the organizations with waiting runs the one with the
 * fewest that go on is next. One organization can neither take all places nor fill the queue of another.
 */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import type { SharedPlaces } from './shared-places.rows.ts'

export interface AgentLimits {
  /** Runs of one member, those that wait among them. */
  readonly member: number
  /** Runs of one organization that go on at once. */
  readonly organization: number
  /** Runs of this gateway process that go on at once. */
  readonly gateway: number
  /** Runs of one organization that wait. */
  readonly waiting: number
}

interface AgentEntry {
  readonly organizationId: OrganizationId
  readonly userId: UserId
  /** The caller has gone. */
  readonly signal: AbortSignal
  /** Told whenever it changes: the place among the waiting runs of the organization, from 1. */
  onPosition(position: number): void
}

export interface AgentQueue {
  /** Resolves when the run may begin; disposed when it ends. Rejects with `agent.busy`, `agent.full`, or the reason of the signal. */
  enter(entry: AgentEntry): Promise<Disposable>
}

interface Waiting extends AgentEntry {
  start(places: Disposable): void
}

export interface AgentQueueParts {
  readonly limits: AgentLimits
  /** The gateway ends, and no run that waits is begun. */
  readonly draining: AbortSignal
  /** Those of all gateways together; absent where this is the only process. */
  readonly shared?: SharedPlaces | undefined
}

/** Milliseconds after which a place that another gateway may have left is asked for again. */
const AGAIN = 2_000

export function createAgentQueue({ limits, draining, shared }: AgentQueueParts): AgentQueue {
  const ofMembers = new Map<string, number>()
  const places = createPlaces(limits, shared)
  const line = createLine()
  const { startNext, askAgain } = createStarts(line, places)

  const isOver = ({ signal }: AgentEntry): boolean => signal.aborted || draining.aborted
  const memberOf = ({ organizationId, userId }: AgentEntry): string => `${organizationId} ${userId}`

  const runOf = (entry: AgentEntry, taken: Disposable): Disposable => ({
    [Symbol.dispose]() {
      taken[Symbol.dispose]()
      add(ofMembers, memberOf(entry), -1)
      void startNext()
    },
  })

  function wait(entry: AgentEntry): Promise<Disposable> {
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
    const stop = () => {
      for (const signal of [entry.signal, draining]) signal.removeEventListener('abort', stop)
      line.leave(own)
      add(ofMembers, memberOf(entry), -1)
      reject(reasonOf(entry.signal, draining))
    }
    const own: Waiting = {
      ...entry,
      start(taken) {
        for (const signal of [entry.signal, draining]) signal.removeEventListener('abort', stop)
        resolve(runOf(entry, taken))
      },
    }
    for (const signal of [entry.signal, draining]) signal.addEventListener('abort', stop, { once: true })
    line.join(own)
    return promise
  }

  return {
    async enter(entry) {
      if (isOver(entry)) throw reasonOf(entry.signal, draining)
      if ((ofMembers.get(memberOf(entry)) ?? 0) >= limits.member)
        throw new Fault('agent.busy', { limit: limits.member })
      const behind = line.of(entry).length
      const isNext = behind === 0 && places.isFree(entry)
      if (!isNext && behind >= limits.waiting) throw new Fault('agent.full', { limit: limits.waiting })
      add(ofMembers, memberOf(entry), 1)
      if (!isNext) return wait(entry)
      try {
        using taken = await places.take(entry)
        if (isOver(entry)) throw reasonOf(entry.signal, draining)
        if (taken !== undefined) return runOf(entry, taken.move())
      } catch (thrown) {
        add(ofMembers, memberOf(entry), -1)
        throw thrown
      }
      askAgain()
      return wait(entry)
    },
  }
}

/** Starts runs that wait, as places become free. */
function createStarts(line: ReturnType<typeof createLine>, places: ReturnType<typeof createPlaces>) {
  let starting: Promise<void> | undefined
  let again: NodeJS.Timeout | undefined

  /** One after the other: a second one waits for the first, and then looks at what has changed. */
  function startNext(): Promise<void> {
    const next: Promise<void> = (starting ?? Promise.resolve()).then(startWaiting).finally(() => {
      if (starting === next) starting = undefined
    })
    return (starting = next)
  }

  async function startWaiting(): Promise<void> {
    const refused = new Set<OrganizationId>()
    for (;;) {
      const [next] = line
        .all()
        .filter((entry) => !refused.has(entry.organizationId) && places.isFree(entry))
        .toSorted((item, other) => places.runsOf(item) - places.runsOf(other))
      if (next === undefined) break
      // A database that is away is asked again, like one that has no place.
      const taken = await places.take(next).catch(() => undefined)
      if (taken === undefined) refused.add(next.organizationId)
      else if (line.leave(next)) next.start(taken)
      else taken[Symbol.dispose]()
    }
    if (refused.size > 0) askAgain()
  }

  function askAgain(): void {
    again ??= setTimeout(() => {
      again = undefined
      void startNext()
    }, AGAIN).unref()
  }

  return { startNext, askAgain }
}

/** Places for runs that go on, of this gateway and of all gateways together. */
function createPlaces(limits: AgentLimits, shared: SharedPlaces | undefined) {
  const ofOrganizations = new Map<string, number>()
  let running = 0
  const runsOf = ({ organizationId }: AgentEntry): number => ofOrganizations.get(organizationId) ?? 0

  /** Of this gateway, before it is known whether the installation has one. */
  function reserve({ organizationId }: AgentEntry): Disposable {
    running++
    add(ofOrganizations, organizationId, 1)
    return {
      [Symbol.dispose]() {
        running--
        add(ofOrganizations, organizationId, -1)
      },
    }
  }

  return {
    runsOf,
    isFree: (entry: AgentEntry): boolean => running < limits.gateway && runsOf(entry) < limits.organization,
    /** Undefined where the installation has none. Rejects where that cannot be known. */
    async take(entry: AgentEntry): Promise<DisposableStack | undefined> {
      using taken = new DisposableStack()
      taken.use(reserve(entry))
      if (shared === undefined) return taken.move()
      const common = await shared.take(entry.organizationId)
      if (common === undefined) return undefined
      taken.use(common)
      return taken.move()
    },
  }
}

/** Runs that wait, in their order. */
function createLine() {
  let waiting: Waiting[] = []
  const of = ({ organizationId }: AgentEntry): Waiting[] =>
    waiting.filter((entry) => entry.organizationId === organizationId)
  return {
    all: (): readonly Waiting[] => waiting,
    of,
    join(entry: Waiting): void {
      waiting.push(entry)
      entry.onPosition(of(entry).length)
    },
    /** Whether it was there. The others of the organization move up. */
    leave(entry: Waiting): boolean {
      const ahead = of(entry).indexOf(entry)
      if (ahead === -1) return false
      waiting = waiting.filter((each) => each !== entry)
      for (const [index, each] of of(entry).entries()) if (index >= ahead) each.onPosition(index + 1)
      return true
    },
  }
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}

function reasonOf({ reason }: AbortSignal, draining: AbortSignal): Fault {
  if (draining.aborted) return new Fault('gateway.draining')
  return reason instanceof Fault ? reason : new Fault('call.cancelled')
}
