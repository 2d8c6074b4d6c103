/**
 * Notes clients that made a step for the first time in a while, outside their request (ADR 0041).
 *
 * The call path reads memory, once for each request, and waits for nothing: new steps are gathered for a tenth of a second and
 * stored in one statement, and the database notifies every gateway. A step that memory has dropped, or could not store, is noted
 * when it happens again.
 */
import { MODERN, type McpRequest, type Caller } from '@toolway/protocol'
import { LRUCache } from 'lru-cache'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { ClientStep, SeenClient } from './clients-seen.rows.ts'
import type { Log } from '../../lib/log.ts'

export interface KeepClientsSeenParts {
  readonly now: () => number
  store(seen: readonly SeenClient[]): Promise<unknown>
  /** Remove what is old. */
  forget(): Promise<unknown>
  readonly log: Pick<Log, 'warn'>
}

export interface KeepClientsSeen {
  /** A request of this client was let in. */
  note(requestContext: RequestContext, request: Pick<McpRequest, 'method' | 'caller'>): void
  close(): Promise<void>
}

/** Milliseconds in which a step that is done again is nothing new. */
export const QUIET = 60_000
const GATHER = 100
/** Callers and their clients that memory tells apart. */
const MOST = 10_000
/** New ones that wait to be stored; a database that is away for long is not made to catch up. */
const MOST_WAITING = 1_000
const FORGET_EVERY = 6 * 3_600_000
const LONGEST = 100

const STEPS: Readonly<Record<string, ClientStep>> = {
  initialize: 'initialize',
  'tools/list': 'list',
  'tools/call': 'call',
}
const INTRODUCED: ClientStep = 'initialize'

/** Requests of the console for a user do not count as a client. */
const OWN = 'browser'

type Times = Partial<Record<ClientStep, number>>

export function createKeepClientsSeen({ now, store, forget, log }: KeepClientsSeenParts): KeepClientsSeen {
  const known = new LRUCache<string, Times>({ max: MOST })
  let waiting = new Map<string, SeenClient>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const rounds = setInterval(() => void forgetOld(), FORGET_EVERY)
  rounds.unref()

  function add(name: string, step: ClientStep, requestContext: RequestContext, caller: Caller): void {
    const { principal, organizationId } = requestContext
    const before = waiting.get(name)
    if (before === undefined && waiting.size >= MOST_WAITING) return
    waiting.set(name, {
      organizationId,
      principal: principal.id,
      client: textOf(caller, 'name'),
      version: textOf(caller, 'version'),
      revision: caller.revision,
      keyId: principal.keyId,
      userId: principal.userId,
      steps: { ...before?.steps, [step]: new Date(now()) },
    })
    timer ??= setTimeout(() => void flush(), GATHER).unref()
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    return (writing = writing.then(write))
  }

  async function write(): Promise<void> {
    if (waiting.size === 0) return
    const seen = waiting
    waiting = new Map()
    await store([...seen.values()]).catch((thrown: unknown) => {
      for (const name of seen.keys()) known.delete(name)
      log.warn({ err: thrown, clients: seen.size }, 'the list of clients seen could not be stored')
    })
  }

  const forgetOld = () =>
    forget().catch((thrown: unknown) =>
      log.warn({ err: thrown }, 'old entries in the list of clients seen could not be removed'),
    )

  return {
    note(requestContext, { method, caller }) {
      const { principal, organizationId } = requestContext
      if (principal.client === OWN) return
      const step = STEPS[method]
      const introduces = caller.revision === MODERN
      if (step === undefined && !introduces) return
      const name = `${principal.id} ${organizationId} ${textOf(caller, 'name')}`
      let times = known.get(name)
      if (times === undefined) known.set(name, (times = {}))
      const at = now()
      // A client of 2026-07-28 has no opening of its own: each of its requests says who it is.
      if (introduces && isDue(times, INTRODUCED, at)) add(name, INTRODUCED, requestContext, caller)
      if (step !== undefined && isDue(times, step, at)) add(name, step, requestContext, caller)
    },
    async close() {
      clearInterval(rounds)
      await flush()
    },
  }
}

/** Says so once, and not again while it is quiet. */
function isDue(times: Times, step: ClientStep, at: number): boolean {
  const last = times[step]
  if (last !== undefined && at - last < QUIET) return false
  times[step] = at
  return true
}

/** Text of a client's choosing, as a database can hold it. */
function textOf({ client }: Caller, name: string): string {
  const text = client?.[name]
  return typeof text === 'string' ? text.slice(0, LONGEST).toWellFormed().replaceAll('\0', '\u{fffd}') : ''
}
