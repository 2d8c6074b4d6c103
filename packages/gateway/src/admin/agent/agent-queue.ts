/**
 * Which runs of agents go on now, and which wait. A run is a process and pays for a model, so runs are bounded for each member, each
 * organization and this gateway; the others wait in order, and of the organizations with waiting runs the one with the fewest that go on
 * is next. One organization can neither take all places nor fill the queue of another.
 */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'

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
  start(): void
}

/** `draining`: the gateway ends, and no run that waits is begun. */
export function createAgentQueue(limits: AgentLimits, draining: AbortSignal): AgentQueue {
  /** By member, of runs that go on or wait; by organization, of those that go on. */
  const ofMembers = new Map<string, number>()
  const ofOrganizations = new Map<string, number>()
  let waiting: Waiting[] = []
  let running = 0

  const runsOf = ({ organizationId }: AgentEntry): number => ofOrganizations.get(organizationId) ?? 0
  const memberOf = ({ organizationId, userId }: AgentEntry): string => `${organizationId} ${userId}`

  function begin(entry: AgentEntry): Disposable {
    running++
    add(ofOrganizations, entry.organizationId, 1)
    return {
      [Symbol.dispose]() {
        running--
        add(ofOrganizations, entry.organizationId, -1)
        add(ofMembers, memberOf(entry), -1)
        startNext()
      },
    }
  }

  const isFree = (entry: AgentEntry): boolean => running < limits.gateway && runsOf(entry) < limits.organization

  function startNext(): void {
    for (;;) {
      const [next] = waiting.filter(isFree).toSorted((one, other) => runsOf(one) - runsOf(other))
      if (next === undefined) return
      leave(next)
      next.start()
    }
  }

  /** The others of the organization move up. */
  function leave(entry: Waiting): void {
    const at = waiting.indexOf(entry)
    if (at === -1) return
    const ahead = waiting.slice(0, at).filter(({ organizationId }) => organizationId === entry.organizationId).length
    waiting = waiting.filter((each) => each !== entry)
    const rest = waiting.filter(({ organizationId }) => organizationId === entry.organizationId)
    for (const [index, each] of rest.entries()) if (index >= ahead) each.onPosition(index + 1)
  }

  function wait(entry: AgentEntry): Promise<Disposable> {
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
    const stop = () => {
      for (const signal of [entry.signal, draining]) signal.removeEventListener('abort', stop)
      leave(own)
      add(ofMembers, memberOf(entry), -1)
      reject(reasonOf(entry.signal, draining))
    }
    const own: Waiting = {
      ...entry,
      start() {
        for (const signal of [entry.signal, draining]) signal.removeEventListener('abort', stop)
        resolve(begin(entry))
      },
    }
    waiting.push(own)
    for (const signal of [entry.signal, draining]) signal.addEventListener('abort', stop, { once: true })
    entry.onPosition(waiting.filter(({ organizationId }) => organizationId === entry.organizationId).length)
    return promise
  }

  return {
    async enter(entry) {
      if (entry.signal.aborted || draining.aborted) throw reasonOf(entry.signal, draining)
      if ((ofMembers.get(memberOf(entry)) ?? 0) >= limits.member)
        throw new Fault('agent.busy', { limit: limits.member })
      const behind = waiting.filter(({ organizationId }) => organizationId === entry.organizationId).length
      const begins = behind === 0 && isFree(entry)
      if (!begins && behind >= limits.waiting) throw new Fault('agent.full', { limit: limits.waiting })
      add(ofMembers, memberOf(entry), 1)
      return begins ? begin(entry) : wait(entry)
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
