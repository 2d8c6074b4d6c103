/**
 * The live upstreams of this process, one per connection, made on first use and replaced when the connection changes.
 *
 * What is kept holds no caller. A connection whose settings or secrets changed gets a new upstream under a new key, so that
 * no request with the old credential can follow one with the new.
 */
import { Fault } from '@toolway/contract'
import type { LegacySession } from '@toolway/protocol/client'
import type { Revision } from '@toolway/protocol'
import type { SharedTexts } from '../lib/shared-texts.ts'
import type { Children } from './children/worker-link.ts'
import { CallHealth, type LetIn } from './call-health.ts'
import { createSessionPool, type PooledState, type SessionPool } from './session-pool.ts'
import { GATEWAY, type Answer, type Ask, type ProcessState, type Upstream } from './upstream.ts'

export interface UpstreamsParts {
  readonly children: Pick<Children, 'start'>
  /** Whether a session with a server serves more than one request; true unless it says otherwise. */
  readonly pools?: boolean
  /** Answers of contract backends are kept there for all gateways in front of them. */
  readonly shared?: SharedTexts | undefined
  /** An upstream told or showed which revision it speaks. */
  onRevision(connectionId: string, revision: Revision): void
  onNoise(alias: string, line: string): void
  /** A connection is asked nothing from now on, because of this; undefined when it is asked again. */
  onStateChange?(connectionId: string, failure: Fault | undefined): void
  /** Calls of a connection are sent and fail, although the gateway's own requests succeed; undefined when a call succeeded again. */
  onTrouble?(connectionId: string, failure: Fault | undefined): void
  /** A call found a session with its server open, or had to open one. */
  onPoolUse?(isHit: boolean): void
  /** A child ended that nobody had told to. */
  onCrash?(): void
  /**
   * Hears the hints about the sandboxes of a connection's programs, in sentences with the mend: all of them, as of now. Undefined for a new
   * upstream, of which nothing is known yet.
   */
  onHints?(connectionId: string, sentences: readonly string[] | undefined): void
  /** Something about a connection that an operator should read: a line for the log. */
  onNote?(facts: Record<string, unknown>, message: string): void
}

export interface Upstreams {
  /**
   * The upstream of a connection. `version` sorts by time: whoever still holds an older description of the connection gets
   * the upstream of the newer one. `letIn`: what the connection's own headers let in; it is called when a server refuses a call. Throws `upstream.disabled` for a version that has been dropped.
   */
  open(
    connectionId: string,
    version: string,
    alias: string,
    make: (context: UpstreamContext) => Upstream,
    letIn?: () => LetIn,
  ): Upstream
  /** An upstream of no connection, which whoever opens it closes. */
  openApart(alias: string, make: (context: UpstreamContext) => Upstream): Upstream
  /** End the upstream of a connection that was removed, disabled or changed; nothing opens that version again. */
  drop(connectionId: string, version: string): Promise<void>
  forgetSession(session: string): void
  /** Sessions held with servers. */
  readonly sessions: number
  /** Servers that are started here and run. */
  readonly runningProcesses: number
  /** Connections whose calls are refused now, because they do not answer. */
  readonly openCircuits: number
  /** Undefined where nothing is held of the connection, or it is not started here. */
  processes(connectionId: string): readonly ProcessState[] | undefined
  /** End what runs of a connection; it is started again when it is needed. */
  stop(connectionId: string): Promise<void>
  /** Returns the open sessions with servers, and the processes of single callers. */
  pooled(): readonly PooledResource[]
  /** Give up what is held of that connection, or of all of them, and was not used for so many milliseconds. How much it was. */
  evict(of: { connectionId?: string; idle: number }): number
  close(): Promise<void>
}

/** One thing that is held open with a server. Times are in milliseconds. */
export interface PooledResource {
  readonly connectionId: string
  readonly kind: 'session' | 'process'
  readonly holder: 'gateway' | 'session' | 'principal'
  readonly calls: number
  readonly streams: number
  readonly openedAt: number
  readonly usedAt: number
}

/** Resources of the process shared by all upstreams; each kind takes those that it needs. */
export interface UpstreamContext {
  /** Ids of our own requests, unique in the process. */
  ids(): number
  /** Sessions held with servers. */
  readonly pool: SessionPool<LegacySession>
  readonly children: Pick<Children, 'start'>
  now(): number
  onRevision(revision: Revision): void
  /** Its calls are refused from now on, because of this; undefined when they are let through again. */
  onStateChange(failure: Fault | undefined): void
  onTrouble?(failure: Fault | undefined): void
  onNoise(line: string): void
  onCrash?(): void
  /** Hears the hints about the sandbox of that child of the connection. */
  onHints?(child: string, sentences: readonly string[]): void
  /** Something that an operator should read: a line for the log. */
  onNote(facts: Record<string, unknown>, message: string): void
  /** Unsaid, every gateway fetches for itself what it keeps. */
  readonly shared?: SharedTexts
}

interface Live {
  readonly version: string
  readonly upstream: Upstream
}

export const createUpstreams = (parts: UpstreamsParts): Upstreams => new LiveUpstreams(parts)

class LiveUpstreams implements Upstreams {
  readonly #parts: UpstreamsParts
  readonly #pools
  readonly #pool
  readonly #held = new Map<string, Live>()
  /** The newest version that was dropped: a request that began before must not bring it back. */
  readonly #dropped = new Map<string, string>()
  /** Connections whose circuit is open. */
  readonly #open = new Set<string>()
  #last = 0

  constructor(parts: UpstreamsParts) {
    this.#parts = parts
    const { pools = true } = parts
    this.#pools = pools
    this.#pool = createSessionPool<LegacySession>({
      now: Date.now,
      reuses: this.#pools,
      onUse: (isHit) => parts.onPoolUse?.(isHit),
    })
  }

  // One source for the whole process: ids stay unique on every shared channel, and no retry ever re-uses one.
  readonly #ids = () => ++this.#last

  #makingOf(connectionId: string, alias: string, isCurrent: () => boolean): UpstreamContext {
    const hints = createHints((sentences) => {
      if (isCurrent()) this.#parts.onHints?.(connectionId, sentences)
    })
    return {
      onHints: hints,
      ...{ ids: this.#ids, pool: this.#pool, children: this.#parts.children, now: Date.now },
      ...(this.#parts.shared === undefined ? {} : { shared: this.#parts.shared }),
      onRevision: (revision) => this.#parts.onRevision(connectionId, revision),
      onStateChange: (failure) => {
        // An upstream that was replaced says nothing of the one in its place.
        if (!isCurrent()) return
        if (failure === undefined) this.#open.delete(connectionId)
        else this.#open.add(connectionId)
        this.#parts.onStateChange?.(connectionId, failure)
      },
      onTrouble: (failure) => {
        if (isCurrent()) this.#parts.onTrouble?.(connectionId, failure)
      },
      onNoise: (line) => this.#parts.onNoise(alias, line),
      ...(this.#parts.onCrash === undefined ? {} : { onCrash: this.#parts.onCrash }),
      onNote: (facts, message) => this.#parts.onNote?.({ connection: alias, ...facts }, message),
    }
  }

  async drop(connectionId: string, version: string): Promise<void> {
    this.#dropped.set(connectionId, version)
    const current = this.#held.get(connectionId)
    if (current === undefined || current.version > version) return
    this.#held.delete(connectionId)
    this.#open.delete(connectionId)
    await current.upstream.close()
  }

  open(
    connectionId: string,
    version: string,
    alias: string,
    make: (context: UpstreamContext) => Upstream,
    letIn?: () => LetIn,
  ) {
    const current = this.#held.get(connectionId)
    if (current !== undefined && current.version >= version) return current.upstream
    const last = this.#dropped.get(connectionId)
    if (last !== undefined && last >= version) throw new Fault('upstream.disabled', { connection: alias })
    const isCurrent = (): boolean => this.#held.get(connectionId)?.upstream === upstream
    const health = new CallHealth((failure) => {
      if (isCurrent()) this.#parts.onTrouble?.(connectionId, failure)
    }, letIn)
    const upstream = withCounting(make(this.#makingOf(connectionId, alias, isCurrent)), health)
    this.#held.set(connectionId, { version, upstream })
    this.#open.delete(connectionId)
    // The hints about the program before say nothing of this program.
    this.#parts.onHints?.(connectionId, undefined)
    void current?.upstream.close().catch(() => {})
    return upstream
  }

  openApart(alias: string, make: (context: UpstreamContext) => Upstream): Upstream {
    return make(this.#makingOf('', alias, () => false))
  }

  forgetSession(session: string) {
    for (const { upstream } of this.#held.values()) upstream.forget(session)
  }

  get sessions() {
    return this.#pool.size
  }

  get openCircuits() {
    return this.#open.size
  }

  get runningProcesses() {
    let count = 0
    for (const { upstream } of this.#held.values())
      count += upstream.processes?.().filter(({ pid }) => pid !== undefined).length ?? 0
    return count
  }

  processes(connectionId: string) {
    return this.#held.get(connectionId)?.upstream.processes?.()
  }

  async stop(connectionId: string) {
    return this.#held.get(connectionId)?.upstream.stop?.()
  }

  pooled() {
    return [
      ...this.#pool.list().map((state) => ({ ...state, kind: 'session' as const, holder: holderOf(state) })),
      ...[...this.#held].flatMap(([connectionId, { upstream }]) => ownProcesses(connectionId, upstream)),
    ]
  }

  evict({ connectionId, idle }: { connectionId?: string; idle: number }) {
    const oldest = Date.now() - idle
    const isMeant = (id: string) => connectionId === undefined || connectionId === id
    const sessions = this.#pool.evict(
      (state) =>
        isMeant(state.connectionId) && (idle === 0 || (state.calls + state.streams === 0 && state.usedAt <= oldest)),
    )
    const ending = [...this.#held]
      .filter(([id]) => isMeant(id))
      .map(([, { upstream }]) => upstream.endUnused?.(idle) ?? 0)
    return ending.reduce((sum, count) => sum + count, sessions)
  }

  async close() {
    this.#pool.close()
    await Promise.all([...this.#held.entries()].map(([id, { version }]) => this.drop(id, version)))
  }
}

/** Sentences, and children of one connection whose sentences are kept. */
const MOST_HINTS = 8
const MOST_HINTING = 64

/** The same upstream, whose calls are counted; what the gateway asks for itself says nothing of them. */
export function withCounting(upstream: Upstream, health: CallHealth): Upstream {
  const ask = upstream.ask.bind(upstream)
  const good = (answer: Answer): Answer => {
    if (health.failures > 0) health.succeeded()
    return answer
  }
  // Made once for all calls.
  const badOf =
    (hasCredential: boolean) =>
    (thrown: unknown): never => {
      health.failed(thrown, hasCredential)
      throw thrown
    }
  const [bad, badWithCredential] = [badOf(false), badOf(true)]
  return Object.assign(upstream, {
    ask: (request: Ask) =>
      request.owner === GATEWAY
        ? ask(request)
        : ask(request).then(good, request.credential === undefined ? bad : badWithCredential),
  })
}

/** Joins the sentences of all children of a connection, each once. */
function createHints(tell: (sentences: readonly string[]) => void) {
  const ofChildren = new Map<string, readonly string[]>()
  return (child: string, sentences: readonly string[]) => {
    const isFirst = ofChildren.size === 0
    if (!isFirst && !ofChildren.has(child) && (sentences.length === 0 || ofChildren.size >= MOST_HINTING)) return
    ofChildren.set(child, sentences)
    tell([...new Set([...ofChildren.values()].flat())].slice(0, MOST_HINTS))
  }
}

const holderOf = ({ holder: { owner, lasting } }: PooledState): PooledResource['holder'] =>
  owner === GATEWAY ? 'gateway' : lasting ? 'session' : 'principal'

const ownProcesses = (connectionId: string, upstream: Upstream): PooledResource[] =>
  (upstream.processes?.() ?? [])
    .filter(({ ofOneCaller }) => ofOneCaller)
    .map(({ uses = 0, startedAt = Date.now(), usedAt = startedAt }) => ({
      connectionId,
      kind: 'process',
      holder: 'principal',
      calls: uses,
      streams: 0,
      openedAt: startedAt,
      usedAt,
    }))
