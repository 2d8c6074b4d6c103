/**
 * A child of its own for whoever can be asked: over stdio everything comes on one channel, and only where all of a channel is
 * one caller's can a question or a log line find the call that it belongs to (ADR 0011).
 *
 * Everybody else shares one child, whose questions are refused. Own children are few, go when they are not used, and
 * are never another caller's: owner and capabilities are their key. Where none can be had, the shared one serves.
 */
import {
  askableOf,
  eraOf,
  isObject,
  MODERN,
  NEWEST_LEGACY,
  type Caller,
  type JsonObject,
  type Request,
  type Revision,
} from '@toolway/protocol'
import { isInitializeRefused } from '@toolway/protocol/client'
import { OtherEra, OtherEraMissing } from '../other-era.ts'
import type { Answer, Ask, Hearing, ProcessState, ServerInfo, Upstream } from '../upstream.ts'
import { waitFor } from '../wait-for.ts'

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

interface OwnChildEntry {
  readonly upstream: Upstream
  uses: number
  used: number
}

/** Of one connection. */
const MOST = 8
/** Milliseconds that a child is kept unused, and that one which cannot be started is not tried again. */
const IDLE_MS = 10 * 60_000
const REAP_EVERY = 60_000

/** Waits until a child was greeted. */
type Introduction = (upstream: Upstream, signal: AbortSignal) => Promise<ServerInfo>

interface CallerChildrenParts extends Pick<OwnChildrenParts, 'open'> {
  readonly now: (() => number) | undefined
  readonly introduction: Introduction
}

/** The children of single callers: found by caller and capabilities, bounded, ended when they are idle. */
class CallerChildren {
  readonly #open: OwnChildrenParts['open']
  readonly #now: () => number
  readonly #introduction: Introduction
  readonly #own = new Map<string, OwnChildEntry>()
  /** When a child could not be started, by its key. */
  readonly #failed = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor({ open, now = Date.now, introduction }: CallerChildrenParts) {
    this.#open = open
    this.#now = now
    this.#introduction = introduction
  }

  get all(): readonly (readonly [key: string, child: OwnChildEntry])[] {
    return [...this.#own]
  }

  /** Does the work in the caller's own child. `failure`: there is none, since a start failed, or undefined where each is in use. */
  async serve<T>(
    whose: OwnChild,
    revision: Revision,
    signal: AbortSignal,
    work: (upstream: Upstream) => Promise<T>,
  ): Promise<{ readonly result: T } | { readonly failure: unknown }> {
    const key = `${whose.owner} ${eraOf(revision)} ${JSON.stringify(whose.capabilities)}`
    const child = this.#find(key, whose, revision)
    if (child === undefined) return { failure: undefined }
    child.uses++
    try {
      const failure = await this.#start(key, child, signal)
      return failure === undefined ? { result: await work(child.upstream) } : { failure }
    } finally {
      this.#leave(child)
    }
  }

  /** Why it did not start. A server that cannot run twice still serves everybody as one. */
  async #start(key: string, child: OwnChildEntry, signal: AbortSignal): Promise<unknown> {
    try {
      await this.#introduction(child.upstream, signal)
      return undefined
    } catch (thrown) {
      // Its caller left, which says nothing about the child.
      if (signal.aborted) throw thrown
      this.#failed.set(key, this.#now())
      if (this.#own.get(key) === child) this.#end(key, child)
      return thrown
    }
  }

  #find(key: string, whose: OwnChild, revision: Revision): OwnChildEntry | undefined {
    const child = this.#own.get(key)
    if (child !== undefined) return child
    if (this.#closed || this.#failed.has(key) || !this.#makeRoom()) return undefined
    const opened = { upstream: this.#open(whose, revision), uses: 0, used: this.#now() }
    this.#own.set(key, opened)
    this.#timer ??= setInterval(() => this.#reap(), REAP_EVERY).unref()
    return opened
  }

  #leave(child: OwnChildEntry): void {
    child.uses--
    child.used = this.#now()
  }

  /** A child with a subscription is in use until the signal. */
  hold({ upstream }: Pick<OwnChildEntry, 'upstream'>, signal: AbortSignal): void {
    const child = [...this.#own.values()].find((other) => other.upstream === upstream)
    if (child === undefined || signal.aborted) return
    child.uses++
    signal.addEventListener('abort', () => this.#leave(child), { once: true })
  }

  /** Whether they answer is known to each of them then. */
  async check(signal: AbortSignal): Promise<void> {
    await Promise.all(this.all.map(([, { upstream }]) => upstream.check(signal).catch(() => false)))
  }

  endUnused(idle: number): number {
    const unused = this.all.filter(([, { uses, used }]) => uses === 0 && used <= this.#now() - idle)
    for (const [key, child] of unused) this.#end(key, child)
    return unused.length
  }

  async stop(): Promise<void> {
    const ending = this.all.map(([key, child]) => {
      this.#own.delete(key)
      return child.upstream.close()
    })
    await Promise.all(ending)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await Promise.all(this.all.map(([, { upstream }]) => upstream.close()))
  }

  #end(key: string, { upstream }: OwnChildEntry): void {
    this.#own.delete(key)
    void upstream.close()
  }

  /** Ends the child that was used longest ago; false while each is in use. */
  #makeRoom(): boolean {
    if (this.#own.size < MOST) return true
    let least: readonly [string, OwnChildEntry] | undefined
    for (const [key, child] of this.#own)
      if (child.uses === 0 && (least === undefined || child.used < least[1].used)) least = [key, child]
    if (least === undefined) return false
    this.#end(...least)
    return true
  }

  #reap(): void {
    const oldest = this.#now() - IDLE_MS
    for (const [key, child] of this.#own) if (child.uses === 0 && child.used <= oldest) this.#end(key, child)
    for (const [key, at] of this.#failed) if (at <= oldest) this.#failed.delete(key)
    if (this.#own.size > 0 || this.#failed.size > 0) this.#timer?.refresh()
    else this.#timer = undefined
  }
}

export function createOwnChildren({ shared, alias, patience, open, now }: OwnChildrenParts): Upstream {
  const introduction: Introduction = (upstream, signal) =>
    waitFor(upstream.introduce(signal), { alias, seconds: patience, signal })
  const own = new CallerChildren({ open, now, introduction })
  const other = new OtherEra(now)

  /** A server that speaks both eras has a child of its own for a caller in the legacy era, too: a child speaks one (ADR 0126). */
  async function askAsLegacy(request: Ask): Promise<Answer> {
    const capabilities = askable(request, false)
    if (capabilities === undefined || otherEra() !== 'possible') throw new OtherEraMissing()
    const whose = { owner: request.owner, capabilities }
    const served = await own.serve(whose, NEWEST_LEGACY, request.signal, (upstream) => {
      other.found()
      return upstream.ask(request)
    })
    if ('result' in served) return served.result
    // A full house, or a start that failed otherwise, says nothing of what the server speaks.
    if (isInitializeRefused(served.failure)) return other.refused(served.failure)
    throw new OtherEraMissing('', { cause: served.failure })
  }

  const otherEra = () =>
    shared.otherEra?.() === 'possible' && !other.mayBeSpoken ? 'none' : (shared.otherEra?.() ?? 'none')

  /** Do the work in the caller's own child, or in the shared one. */
  async function runInChild<T>(
    whose: Whose,
    signal: AbortSignal,
    work: (upstream: Upstream) => Promise<T>,
  ): Promise<T> {
    const { revision } = await introduction(shared, signal)
    const capabilities = askable(whose, revision === MODERN)
    if (capabilities === undefined) return work(shared)
    const served = await own.serve({ owner: whose.owner, capabilities }, revision, signal, work)
    return 'result' in served ? served.result : work(shared)
  }

  return {
    introduce: (signal) => shared.introduce(signal),
    watch: (onChange, signal) => shared.watch(onChange, signal),
    doubt() {
      other.forget()
      shared.doubt()
    },
    forget: (session) => shared.forget(session),
    processes: () => [...(shared.processes?.() ?? []), ...own.all.flatMap(([, child]) => processesOf(child))],
    async stop() {
      await Promise.all([shared.stop?.(), own.stop()])
    },
    endUnused: (idle) => own.endUnused(idle),
    async check(signal) {
      const [answer] = await Promise.all([shared.check(signal), own.check(signal)])
      return answer
    },
    otherEra,
    ask(request: Ask): Promise<Answer> {
      if (request.asLegacy === true) return askAsLegacy(request)
      if (!isSpecial(request)) return shared.ask(request)
      // The level of a session is told to its child when there is one, and with each call.
      if (request.method === 'logging/setLevel') return Promise.resolve({ result: {} })
      return runInChild(request, request.signal, (upstream) => upstream.ask(request))
    },
    listen: (hearing: Hearing) =>
      // Without subscriptions no child of its own is needed.
      isSpecial(hearing) && hearing.uris.length + hearing.tasks.length > 0
        ? runInChild(hearing, hearing.signal, async (upstream) => {
            const honoured = await upstream.listen(hearing)
            own.hold({ upstream }, hearing.signal)
            return honoured
          })
        : shared.listen(hearing),
    tell(whose, notification) {
      for (const [key, { upstream }] of own.all)
        if (key.startsWith(`${whose.owner} `)) upstream.tell(whose, notification)
    },
    async close() {
      await Promise.all([shared.close(), own.close()])
    },
  }
}

const processesOf = ({ upstream, uses, used }: OwnChildEntry): ProcessState[] =>
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
  const declared = askableOf(capabilities)
  return Object.fromEntries(able.map((name) => [name, declared[name] ?? {}]))
}
const ASKABLE = ['elicitation', 'sampling']

/** Folders of a client are not the gateway's, and servers take them in place of the folders that the operator gave them (ADR 0011). */
export function withoutRoots(caller: Caller): Caller {
  if (caller.capabilities['roots'] === undefined) return caller
  const { roots: _, ...capabilities } = caller.capabilities
  return { ...caller, capabilities }
}

/** A child may ask for them all the same. */
export const askWithoutRoots = (request: Ask, question: Request): Promise<Answer> =>
  question.method === 'roots/list'
    ? Promise.resolve({ error: { code: NO_METHOD, message: 'Not available here: roots/list' } })
    : request.onQuestion(question)
const NO_METHOD = -32601
