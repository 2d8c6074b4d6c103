/**
 * The open streams of callers over all transports. A stream is ended when its caller would not be admitted any more. The
 * admission is consulted when keys or endpoints change and at intervals (a key expires without a change), and makes the decision.
 * While the database is unreachable and the admission cannot decide, open streams stay as they are.
 */
import { setTimeout } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import type { Admit } from '../../call/admit.ts'
import type { Inbound } from '../../snapshot/ports/endpoint.ts'
import { isDatabaseFault } from '../../db/unreachable.ts'
import { nextTurn } from '../../lib/next-turn.ts'

export interface OpenStreams {
  /**
   * Known here until the returned function is called. `end` gets the fault that the admission now answers with. `organizationId`:
   * the one that it was admitted to.
   */
  register(inbound: Inbound, end: (fault: Fault) => void, organizationId?: string): () => void
  /** The same for what is admitted in another way: `stands` throws, or rejects with, the fault it is refused with. */
  watch(stands: () => unknown, end: (fault: Fault) => void, organizationId?: string): () => void
  /** Keys or endpoints have changed: of these organizations, or of any. */
  recheck(organizations?: ReadonlySet<string>): void
  close(): void
}

/** Milliseconds. */
const EVERY = 30_000
/** Streams that are checked before other work gets its turn. */
const AT_ONCE = 100

/** Milliseconds that others wait for those that take long to be known. */
const PATIENCE = 20

type OpenOne = readonly [stands: () => unknown, end: (fault: Fault) => void]
/** What ends each stream, by what says whether it stands. */
type OpenOnes = Map<() => unknown, (fault: Fault) => void>
const NONE: OpenOnes = new Map()

/** Whether an admission says no, and not only that it cannot be known at this moment. */
export const isRefusal = (fault: Fault): boolean => !NOT_NOW.has(fault.code) && !isDatabaseFault(fault)
const NOT_NOW: ReadonlySet<string> = new Set(['gateway.not-ready', 'gateway.busy', 'limit.address'])

async function judge(...[stands, end]: OpenOne): Promise<void> {
  try {
    await stands()
  } catch (thrown) {
    const fault = Fault.of(thrown)
    if (isRefusal(fault)) end(fault)
  }
}

export function createOpenStreams(admit: Admit, every = EVERY): OpenStreams {
  /** By the organization; those of none known are checked with every one. */
  const open = new Map<string | undefined, OpenOnes>()
  const looking = new Map<() => unknown, { again: boolean }>()
  let checking = false
  let again = new Set<string>()
  let all = false
  const rounds = setInterval(() => recheck(), every)
  rounds.unref()

  /** Resolves once it is known; a change that comes meanwhile has it looked at again. */
  async function look([stands, end]: OpenOne): Promise<void> {
    const under = looking.get(stands)
    if (under !== undefined) return void (under.again = true)
    const own = { again: false }
    looking.set(stands, own)
    do {
      own.again = false
      await judge(stands, end)
    } while (own.again)
    looking.delete(stands)
  }

  /** Calls come between: thousands of streams are some hundred milliseconds of work. Those that take long are not waited for. */
  async function check(ones: readonly OpenOne[]): Promise<void> {
    for (let from = 0; from < ones.length; from += AT_ONCE) {
      if (from > 0) await nextTurn()
      const known = Promise.all(ones.slice(from, from + AT_ONCE).map(look))
      await Promise.race([known, setTimeout(PATIENCE, undefined, { ref: false })])
    }
  }

  /** A copy: what ends meanwhile is checked once more, which does no harm. */
  function checks(): OpenOne[] {
    const lists = all ? [...open.values()] : [undefined, ...again].map((id) => open.get(id) ?? NONE)
    all = false
    again = new Set()
    return lists.flatMap((list) => [...list])
  }

  /** One round at a time: what changes during one is seen by the next. */
  function recheck(organizations?: ReadonlySet<string>): void {
    if (organizations === undefined) all = true
    else for (const id of organizations) again.add(id)
    if (checking) return
    checking = true
    void (async () => {
      while (all || again.size > 0) await check(checks())
    })().finally(() => (checking = false))
  }

  function watch(stands: () => unknown, end: (fault: Fault) => void, organizationId?: string): () => void {
    const own: OpenOnes = open.get(organizationId) ?? new Map()
    open.set(organizationId, own.set(stands, end))
    return () => {
      own.delete(stands)
      if (own.size === 0 && open.get(organizationId) === own) open.delete(organizationId)
    }
  }

  return {
    register: (inbound, end, organizationId) => watch(() => admit(inbound), end, organizationId),
    watch,
    recheck,
    close: () => clearInterval(rounds),
  }
}
