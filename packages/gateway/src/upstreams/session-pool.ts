/**
 * Pool of the gateway's sessions with servers: one for the process, keyed by connection, owner and capability set. Concurrent
 * misses open one session; a hit is a look-up in a map.
 *
 * A session holds no caller: the caller, its credential and its user are part of each request. The pool opens nothing itself and
 * never ends a session during a call: a retired one takes no new call and ends with its last one.
 */
import { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'

/** Sessions held at most; beyond it the one that was used least recently goes (ledger S3-POOL-02). */
const MOST = 5_000
/** How old a session gets, how long it is kept unused, and how often that is looked at, in milliseconds (S2-SES-02, S3-POOL-03). */
const LIFE = 30 * 60_000
const IDLE = 10 * 60_000
const REAP_EVERY = 60_000
/** How long a client's own session may rest: as long as the client's session at our door may. */
const IDLE_OF_CLIENT = 30 * 60_000

export interface Pooled {
  /** Tell the server that it ends; rejects never. */
  close(): Promise<void>
}

/** Identifies the holder of a session. Two holders that differ in anything never share one. */
export interface Holder {
  readonly owner: string
  /** A server is told once what its client can do, so each set of capabilities has a session of its own. */
  readonly capabilities: JsonObject
  /**
   * It carries what one client built up at the server (an open page, a working folder): it does not age, because a new one in
   * its place would silently be empty. It ends with the client's own session, or when it was not used as long as that may rest.
   */
  readonly lasting: boolean
  /** Names the credential that it was opened under; it is used under no other, and ends with its owner's all the same. */
  readonly credential?: string | undefined
}

/** One session that is held, as it may be shown: not whose it is. Times are in milliseconds. */
export interface PooledState {
  readonly connectionId: string
  readonly holder: Holder
  readonly calls: number
  readonly streams: number
  readonly openedAt: number
  readonly usedAt: number
}

export interface SessionPool<Session extends Pooled> {
  /** The sessions of one connection as it is set up now; once it changes, another place takes over. */
  place(connectionId: string, alias: string): ConnectionPool<Session>
  readonly size: number
  list(): PooledState[]
  /** Give up those of which this is true: calls under way finish, and the next one opens anew. How many those are. */
  evict(is: (state: PooledState) => boolean): number
  /** Ends the looking after; each place ends its own sessions. */
  close(): void
}

export interface ConnectionPool<Session extends Pooled> {
  /**
   * Do the work in the holder's session, which is opened where there is none. Rejects with what `open` or the work rejects
   * with, and with `upstream.disabled` where the session was given up while it was being opened.
   */
  use<T>(holder: Holder, open: () => Promise<Session>, work: (session: Session) => Promise<T>): Promise<T>
  /** As `use`, for a stream that stays open: it keeps the session from resting, not from ending. `ended` ends the stream. */
  listen<T>(
    holder: Holder,
    open: () => Promise<Session>,
    work: (session: Session, ended: AbortSignal) => Promise<T>,
  ): Promise<T>
  /** The open sessions of whoever has these capabilities: one for each credential. */
  held(holder: Pick<Holder, 'owner' | 'capabilities'>): readonly Session[]
  /** The server does not know it any more: it is used by nobody else, and nothing is told to the server. */
  lose(holder: Holder, session: Session): void
  /** Give up what is held for an owner. */
  forget(owner: string): void
  /** Resolves when no call is under way in it. */
  drained(): Promise<void>
  /** End everything, also what is under way. */
  close(): Promise<void>
}

interface Entry<Session> {
  readonly key: string
  readonly connectionId: string
  readonly holder: Holder
  /** The sessions of its place by owner: where it is noted until it has ended. */
  readonly siblings: Map<string, Set<Entry<Session>>>
  readonly opening: Promise<Session>
  session: Session | undefined
  readonly born: number
  used: number
  calls: number
  streams: number
  /** It takes no new call. */
  retired: boolean
  /** Callers that wait for it to open are refused. */
  refused: boolean
  ended: AbortController | undefined
  closing: Promise<void> | undefined
}

export interface SessionPoolParts {
  readonly now: () => number
  /** False: each use has a session of its own, which ends with it. One that belongs to a client's session lasts all the same. */
  readonly reuses?: boolean
}

export const createSessionPool = <Session extends Pooled>(parts: SessionPoolParts): SessionPool<Session> =>
  new PoolOfSessions<Session>(parts)

class PoolOfSessions<Session extends Pooled> implements SessionPool<Session> {
  readonly #reuses
  readonly #now
  /** In the order of their last use, the oldest first. */
  readonly #entries = new Map<string, Entry<Session>>()
  #places = 0
  readonly #reaper

  constructor(parts: SessionPoolParts) {
    this.#now = parts.now
    const { reuses = true } = parts
    this.#reuses = reuses
    this.#reaper = setInterval(this.#reap, REAP_EVERY)
    this.#reaper.unref()
  }

  readonly #reap = (): void => {
    for (const entry of this.#entries.values()) if (this.#isPast(entry)) this.#retire(entry)
  }

  #isPast({ holder, born, used, calls, streams }: Entry<Session>): boolean {
    const at = this.#now()
    if (!holder.lasting && at - born >= LIFE) return true
    return calls === 0 && streams === 0 && at - used >= (holder.lasting ? IDLE_OF_CLIENT : IDLE)
  }

  #retire(entry: Entry<Session>): void {
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key)
    entry.retired = true
    entry.ended?.abort()
    if (entry.calls === 0) void this.#end(entry)
  }

  /** The server is told without anybody waiting for it, once. */
  #end(entry: Entry<Session>): Promise<void> {
    entry.closing ??= (async () => {
      const session = await entry.opening.catch(() => undefined)
      await session?.close().catch(() => {})
      this.#strike(entry)
    })()
    return entry.closing
  }

  #strike(entry: Entry<Session>): void {
    const { siblings, holder } = entry
    const own = siblings.get(holder.owner)
    own?.delete(entry)
    if (own?.size === 0) siblings.delete(holder.owner)
  }

  /** The one that was used least recently goes; one with a call or a stream under way only if there is no other. */
  #makeRoom(): void {
    if (this.#entries.size < MOST) return
    let oldest: Entry<Session> | undefined
    let streaming: Entry<Session> | undefined
    for (const entry of this.#entries.values()) {
      if (entry.calls === 0 && entry.streams === 0) return this.#retire(entry)
      oldest ??= entry
      if (entry.calls === 0) streaming ??= entry
    }
    const last = streaming ?? oldest
    if (last !== undefined) this.#retire(last)
  }

  #find(key: string): Entry<Session> | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (this.#isPast(entry)) {
      this.#retire(entry)
      return undefined
    }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  #add(
    { key, connectionId, holder, siblings }: Pick<Entry<Session>, 'key' | 'connectionId' | 'holder' | 'siblings'>,
    open: () => Promise<Session>,
  ): Entry<Session> {
    this.#makeRoom()
    const at = this.#now()
    const entry: Entry<Session> = {
      key,
      connectionId,
      holder,
      siblings,
      opening: open(),
      session: undefined,
      born: at,
      used: at,
      calls: 0,
      streams: 0,
      retired: false,
      refused: false,
      ended: undefined,
      closing: undefined,
    }
    this.#entries.set(key, entry)
    const own = siblings.get(holder.owner)
    if (own === undefined) siblings.set(holder.owner, new Set([entry]))
    else own.add(entry)
    entry.opening.then(
      (session) => (entry.session = session),
      // Nothing was opened: the next one who asks tries again.
      () => this.#retire(entry),
    )
    return entry
  }

  place(connectionId: string, alias: string): ConnectionPool<Session> {
    const name = `${connectionId} ${++this.#places}`
    const siblings: Entry<Session>['siblings'] = new Map()
    const drains: (() => void)[] = []
    let underWay = 0
    let closed = false
    const gone = () => new Fault('upstream.disabled', { connection: alias })

    const keyOf = ({ owner, capabilities, credential }: Holder) =>
      JSON.stringify([name, owner, capabilities, credential])
    let uses = 0

    const enter = (holder: Holder, open: () => Promise<Session>): Entry<Session> => {
      if (closed) throw gone()
      const key = keyOf(holder)
      return this.#find(key) ?? this.#add({ key, connectionId, holder, siblings }, open)
    }

    /** For one call: where sessions are not used again, one that nobody else finds and that takes no second call. */
    const enterOnce = (holder: Holder, open: () => Promise<Session>): Entry<Session> => {
      if (this.#reuses || holder.lasting) return enter(holder, open)
      if (closed) throw gone()
      return this.#add({ key: `${keyOf(holder)} ${++uses}`, connectionId, holder, siblings }, open)
    }

    async function opened(entry: Entry<Session>): Promise<Session> {
      if (entry.session !== undefined) return entry.session
      const session = await entry.opening
      if (entry.refused) throw gone()
      return session
    }

    const all = () => [...siblings.values()].flatMap((own) => [...own])

    return {
      use: async (holder, open, work) => {
        const entry = enterOnce(holder, open)
        entry.calls++
        underWay++
        try {
          return await work(entry.session ?? (await opened(entry)))
        } finally {
          entry.calls--
          entry.used = this.#now()
          if (!this.#reuses && !holder.lasting) this.#retire(entry)
          else if (entry.retired && entry.calls === 0) void this.#end(entry)
          if (--underWay === 0) for (const drained of drains.splice(0)) drained()
        }
      },
      listen: async (holder, open, work) => {
        const entry = enter(holder, open)
        entry.streams++
        try {
          const session = await opened(entry)
          entry.ended ??= new AbortController()
          if (entry.retired) entry.ended.abort()
          return await work(session, entry.ended.signal)
        } finally {
          entry.streams--
          entry.used = this.#now()
        }
      },
      held({ owner, capabilities }) {
        const same = JSON.stringify(capabilities)
        return [...(siblings.get(owner) ?? [])].flatMap(({ session, retired, holder }) =>
          session !== undefined && !retired && JSON.stringify(holder.capabilities) === same ? [session] : [],
        )
      },
      lose: ({ owner }, session) => {
        const entry = [...(siblings.get(owner) ?? [])].find((one) => one.session === session)
        if (entry === undefined) return
        entry.closing ??= Promise.resolve(this.#strike(entry))
        this.#retire(entry)
      },
      forget: (owner) => {
        for (const entry of [...(siblings.get(owner) ?? [])]) {
          entry.refused = true
          this.#retire(entry)
        }
      },
      drained: () => (underWay === 0 ? Promise.resolve() : new Promise((resolve) => void drains.push(resolve))),
      close: async () => {
        closed = true
        await Promise.all(
          all().map((entry) => {
            entry.refused = true
            this.#retire(entry)
            return this.#end(entry)
          }),
        )
      },
    }
  }

  list() {
    return [...this.#entries.values()].map(stateOf)
  }

  evict(is: (state: PooledState) => boolean) {
    const chosen = [...this.#entries.values()].filter((entry) => is(stateOf(entry)))
    for (const entry of chosen) this.#retire(entry)
    return chosen.length
  }

  get size() {
    return this.#entries.size
  }

  close() {
    clearInterval(this.#reaper)
  }
}

const stateOf = ({ connectionId, holder, calls, streams, born, used }: Entry<unknown>): PooledState => ({
  connectionId,
  holder,
  calls,
  streams,
  openedAt: born,
  usedAt: used,
})
