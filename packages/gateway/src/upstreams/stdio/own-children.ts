/**
 * A child of its own for whoever can be asked: over stdio everything comes on one channel, and only where all of a channel is
 * one caller's can a question or a log line find the call that it belongs to (ADR 0011).
 *
 * Everybody else shares one child, whose questions are refused. Own children are few, go when they are not used, and
 * are never another caller's: owner and capabilities are their key. Where none can be had, the shared one serves.
 */
import { isObject, MODERN, type Caller, type JsonObject, type Request, type Revision } from '@toolway/protocol'
import type { Answer, Ask, Hearing, ProcessState, Upstream } from '../upstream.ts'
import { waitFor } from '../wait.ts'

export interface OwnChildrenParts {
  readonly shared: Upstream
  readonly alias: string
  /** Seconds that a caller waits for a child to start. */
  readonly patience: number
  open(own: OwnChild, revision: Revision): Upstream
  readonly now?: () => number
}

/** Identifies a caller's own child: its owner, and the client capabilities sent to the child at its start. */
export interface OwnChild {
  readonly owner: string
  readonly capabilities: JsonObject
}

type Whose = Pick<Ask, 'session' | 'owner' | 'caller'>

interface Held {
  readonly upstream: Upstream
  uses: number
  used: number
}

/** Of one connection. */
const MOST = 8
/** Milliseconds that a child is kept unused, and that one which cannot be started is not tried again. */
const IDLE = 10 * 60_000
const REAP_EVERY = 60_000

export function createOwnChildren({ shared, alias, patience, open, now = Date.now }: OwnChildrenParts): Upstream {
  const own = new Map<string, Held>()
  const failed = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function reap(): void {
    const oldest = now() - IDLE
    for (const [key, one] of own) if (one.uses === 0 && one.used <= oldest) end(key, one)
    for (const [key, at] of failed) if (at <= oldest) failed.delete(key)
    if (own.size > 0 || failed.size > 0) timer?.refresh()
    else timer = undefined
  }

  function end(key: string, { upstream }: Held): void {
    own.delete(key)
    void upstream.close()
  }

  /** The one that was used longest ago makes room; undefined while each is in use. */
  function makeRoom(): boolean {
    if (own.size < MOST) return true
    let least: [string, Held] | undefined
    for (const [key, one] of own)
      if (one.uses === 0 && (least === undefined || one.used < least[1].used)) least = [key, one]
    if (least === undefined) return false
    end(...least)
    return true
  }

  function find(key: string, whose: OwnChild, revision: Revision): Held | undefined {
    const held = own.get(key)
    if (held !== undefined) return held
    if (closed || failed.has(key) || !makeRoom()) return undefined
    const one = { upstream: open(whose, revision), uses: 0, used: now() }
    own.set(key, one)
    timer ??= setInterval(reap, REAP_EVERY).unref()
    return one
  }

  /** Do the work in the caller's own child, or in the shared one. */
  async function use<T>(whose: Whose, signal: AbortSignal, work: (upstream: Upstream) => Promise<T>): Promise<T> {
    const { revision } = await introduction(shared, signal)
    const capabilities = askable(whose, revision === MODERN)
    if (capabilities === undefined) return work(shared)
    const key = `${whose.owner} ${JSON.stringify(capabilities)}`
    const one = find(key, { owner: whose.owner, capabilities }, revision)
    if (one === undefined) return work(shared)
    one.uses++
    try {
      if (!(await starts(key, one, signal))) return await work(shared)
      return await work(one.upstream)
    } finally {
      one.uses--
      one.used = now()
    }
  }

  const introduction = (upstream: Upstream, signal: AbortSignal) =>
    waitFor(upstream.introduce(signal), { alias, seconds: patience, signal })

  /** A server that cannot run twice still serves everybody as one. */
  async function starts(key: string, one: Held, signal: AbortSignal): Promise<boolean> {
    try {
      await introduction(one.upstream, signal)
      return true
    } catch (thrown) {
      // Its caller left, which says nothing about the child.
      if (signal.aborted) throw thrown
      failed.set(key, now())
      if (own.get(key) === one) end(key, one)
      return false
    }
  }

  return {
    introduce: shared.introduce,
    watch: shared.watch,
    doubt: shared.doubt,
    forget: shared.forget,
    processes: () => [...(shared.processes?.() ?? []), ...[...own.values()].flatMap(processesOf)],
    async stop() {
      const ending = [...own].map(([key, one]) => {
        own.delete(key)
        return one.upstream.close()
      })
      await Promise.all([shared.stop?.(), ...ending])
    },
    endUnused(idle) {
      const unused = [...own].filter(([, { uses, used }]) => uses === 0 && used <= now() - idle)
      for (const [key, one] of unused) end(key, one)
      return unused.length
    },
    async check(signal) {
      const others = [...own.values()].map(({ upstream }) => upstream.check(signal).catch(() => false))
      const answers = await shared.check(signal)
      await Promise.all(others)
      return answers
    },
    ask(asked: Ask): Promise<Answer> {
      if (!isSpecial(asked)) return shared.ask(asked)
      // The level of a session is told to its child when there is one, and with each call.
      if (asked.method === 'logging/setLevel') return Promise.resolve({ result: {} })
      return use(asked, asked.signal, (upstream) => upstream.ask(asked))
    },
    listen: (hearing: Hearing) =>
      // Without subscriptions no child of its own is needed.
      isSpecial(hearing) && hearing.uris.length + hearing.tasks.length > 0
        ? use(hearing, hearing.signal, async (upstream) => {
            const honoured = await upstream.listen(hearing)
            const one = [...own.values()].find(({ upstream: found }) => found === upstream)
            if (one !== undefined) hold(one, hearing.signal)
            return honoured
          })
        : shared.listen(hearing),
    tell(whose, notification) {
      for (const [key, { upstream }] of own) if (key.startsWith(`${whose.owner} `)) upstream.tell(whose, notification)
    },
    async close() {
      closed = true
      clearInterval(timer)
      await Promise.all([shared.close(), ...[...own.values()].map(({ upstream }) => upstream.close())])
    },
  }

  /** A child that somebody listens to is in use. */
  function hold(one: Held, signal: AbortSignal): void {
    if (signal.aborted) return
    one.uses++
    const leave = () => {
      one.uses--
      one.used = now()
    }
    signal.addEventListener('abort', leave, { once: true })
  }
}

const processesOf = ({ upstream, uses, used }: Held): ProcessState[] =>
  (upstream.processes?.() ?? []).map((state) => ({ ...state, uses, usedAt: used }))

/** Cheap, before anything is awaited: most callers can be asked nothing. */
function isSpecial({ session, caller }: Whose): boolean {
  const { capabilities, logLevel } = session?.caller ?? caller
  return logLevel !== undefined || ASKABLE.some((name) => isObject(capabilities[name]))
}

/**
 * Returns the client capabilities sent to a child; undefined for a caller that needs no child of its own. A modern server returns
 * its requests in its answers: only its log lines need one.
 */
function askable({ session, caller }: Whose, modern: boolean): JsonObject | undefined {
  const { capabilities, logLevel } = session?.caller ?? caller
  const able = modern ? [] : ASKABLE.filter((name) => isObject(capabilities[name]))
  if (able.length === 0 && logLevel === undefined) return undefined
  return Object.fromEntries(able.map((name) => [name, capabilities[name] ?? {}]))
}
const ASKABLE = ['elicitation', 'sampling']

/** Folders of a client are not the gateway's, and servers take them in place of the folders that the operator gave them (ADR 0011). */
export function withoutRoots(caller: Caller): Caller {
  if (caller.capabilities['roots'] === undefined) return caller
  const { roots: _, ...capabilities } = caller.capabilities
  return { ...caller, capabilities }
}

/** A child may ask for them all the same. */
export const askWithoutRoots = (asked: Ask, question: Request): Promise<Answer> =>
  question.method === 'roots/list'
    ? Promise.resolve({ error: { code: NO_METHOD, message: 'Not available here: roots/list' } })
    : asked.onQuestion(question)
const NO_METHOD = -32601
