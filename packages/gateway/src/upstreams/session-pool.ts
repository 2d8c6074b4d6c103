/**
 * Pool of the gateway's sessions with servers: one for the process, keyed by connection, owner and capability set. Concurrent
 * misses open one session; a hit is a look-up in a map.
 *
 * A session holds no caller: the caller, its credential and its user are part of each request. The pool opens nothing itself and
 * never ends a session during a call: a retired one takes no new call and ends with its last one.
 */
import { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'

/**
 * Sessions held at most; beyond it, the one that was used least recently goes (ledger S3-POOL-02), among those of the organization that
 * has most: nobody's sessions end because another organization opens many.
 */
const MOST = 5_000
/** Sets of capabilities of one owner at one connection: real clients have one each, and a caller could make up a new one for each call. */
const MOST_SETS = 10
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

/** The connection that a place is of. */
export interface PlaceOf {
  readonly connectionId: string
  readonly alias: string
  /** Absent for a connection of no organization: it then counts as one of its own. */
  readonly organizationId?: string | undefined
}

export interface SessionPool<Session extends Pooled> {
  /** The sessions of one connection as it is set up now; once it changes, another place takes over. */
  place(of: PlaceOf): ConnectionPool<Session>
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
  /** The organization, or what counts as one. */
  readonly share: string
  readonly holder: Holder
  /** Its capabilities, to be compared. */
  readonly set: string
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
  /** A call found its session open, or not. */
  onUse?(isHit: boolean): void
  /** False: each use has a session of its own, which ends with it. One that belongs to a client's session lasts all the same. */
  readonly reuses?: boolean
}

export function createSessionPool<Session extends Pooled>({
  now,
  onUse = () => {},
  reuses = true,
}: SessionPoolParts): SessionPool<Session> {
  const pool = new PoolOfSessions<Session>(now)
  const reaper = setInterval(() => pool.reap(), REAP_EVERY)
  reaper.unref()
  let places = 0

  return {
    place({ connectionId, alias, organizationId: share = connectionId }) {
      return new PoolOfConnection({
        ...{ pool, connectionId, share, alias, reuses, onUse },
        name: `${connectionId} ${++places}`,
      })
    },
    list: () => [...pool.all()].map(stateOf),
    evict(is) {
      const chosen = [...pool.all()].filter((entry) => is(stateOf(entry)))
      for (const entry of chosen) pool.retire(entry)
      return chosen.length
    },
    get size() {
      return pool.size
    },
    close() {
      clearInterval(reaper)
    },
  }
}

/** The sessions of all places, in the order of their last use, the oldest first. */
class PoolOfSessions<Session extends Pooled> {
  readonly now: () => number
  readonly #entries = new Map<string, Entry<Session>>()
  /** The same by share. */
  readonly #shares = new Map<string, Map<string, Entry<Session>>>()

  constructor(now: () => number) {
    this.now = now
  }

  get size(): number {
    return this.#entries.size
  }

  all(): Iterable<Entry<Session>> {
    return this.#entries.values()
  }

  reap(): void {
    for (const entry of this.#entries.values()) if (this.#isPast(entry)) this.retire(entry)
  }

  retire(entry: Entry<Session>): void {
    if (this.#entries.get(entry.key) === entry) this.#remove(entry)
    entry.retired = true
    entry.ended?.abort()
    if (entry.calls === 0) void this.end(entry)
  }

  /** The server is told without anybody waiting for it, once. */
  end(entry: Entry<Session>): Promise<void> {
    entry.closing ??= (async () => {
      const session = await entry.opening.catch(() => undefined)
      await session?.close().catch(() => {})
      strike(entry)
    })()
    return entry.closing
  }

  find(key: string): Entry<Session> | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (this.#isPast(entry)) {
      this.retire(entry)
      return undefined
    }
    this.#remove(entry)
    this.#put(entry)
    return entry
  }

  add(
    {
      key,
      connectionId,
      share,
      holder,
      siblings,
    }: Pick<Entry<Session>, 'key' | 'connectionId' | 'share' | 'holder' | 'siblings'>,
    open: () => Promise<Session>,
  ): Entry<Session> {
    const set = JSON.stringify(holder.capabilities)
    this.#boundSets(siblings.get(holder.owner), set)
    this.#makeRoom(share)
    const at = this.now()
    const entry: Entry<Session> = {
      key,
      connectionId,
      share,
      holder,
      set,
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
    this.#put(entry)
    const own = siblings.get(holder.owner)
    if (own === undefined) siblings.set(holder.owner, new Set([entry]))
    else own.add(entry)
    entry.opening.then(
      (session) => (entry.session = session),
      // Nothing was opened: the next one who asks tries again.
      () => this.retire(entry),
    )
    return entry
  }

  #put(entry: Entry<Session>): void {
    this.#entries.set(entry.key, entry)
    const own = this.#shares.get(entry.share)
    if (own === undefined) this.#shares.set(entry.share, new Map([[entry.key, entry]]))
    else own.set(entry.key, entry)
  }

  #remove({ key, share }: Entry<Session>): void {
    this.#entries.delete(key)
    const own = this.#shares.get(share)
    own?.delete(key)
    if (own?.size === 0) this.#shares.delete(share)
  }

  #makeRoom(share: string): void {
    if (this.#entries.size >= MOST) this.#retireFirst(this.#largest(share).values())
  }

  /** The sessions of the share that has most, where this one is about to have one more. */
  #largest(share: string): ReadonlyMap<string, Entry<Session>> {
    let largest = this.#shares.get(share) ?? new Map<string, Entry<Session>>()
    for (const other of this.#shares.values()) if (other.size > largest.size) largest = other
    return largest
  }

  /** An owner with as many sets of capabilities as it may have gives up the one that it used least recently. */
  #boundSets(own: ReadonlySet<Entry<Session>> | undefined, set: string): void {
    if (own === undefined || own.size < MOST_SETS) return
    for (;;) {
      const entries = [...own].filter((entry) => !entry.retired && entry.set !== set)
      if (new Set(entries.map((entry) => entry.set)).size < MOST_SETS) return
      this.#retireFirst(entries.toSorted((entry, other) => entry.used - other.used))
    }
  }

  /**
   * Of sessions in the order of their last use: the first that nobody uses and that holds no client's state, else the first that nobody
   * uses; one with a stream or a call under way only if there is no other.
   */
  #retireFirst(entries: Iterable<Entry<Session>>): void {
    let resting: Entry<Session> | undefined
    let streaming: Entry<Session> | undefined
    let oldest: Entry<Session> | undefined
    for (const entry of entries) {
      const isResting = entry.calls === 0 && entry.streams === 0
      if (isResting && !entry.holder.lasting) return this.retire(entry)
      if (isResting) resting ??= entry
      if (entry.calls === 0) streaming ??= entry
      oldest ??= entry
    }
    const last = resting ?? streaming ?? oldest
    if (last !== undefined) this.retire(last)
  }

  #isPast({ holder, born, used, calls, streams }: Entry<Session>): boolean {
    const at = this.now()
    if (!holder.lasting && at - born >= LIFE) return true
    return calls === 0 && streams === 0 && at - used >= (holder.lasting ? IDLE_OF_CLIENT : IDLE)
  }
}

interface ConnectionPoolParts<Session extends Pooled> {
  readonly pool: PoolOfSessions<Session>
  readonly connectionId: string
  readonly share: string
  readonly alias: string
  /** Unique in the pool: the first part of the keys of its sessions. */
  readonly name: string
  readonly reuses: boolean
  onUse(isHit: boolean): void
}

class PoolOfConnection<Session extends Pooled> implements ConnectionPool<Session> {
  readonly #parts: ConnectionPoolParts<Session>
  readonly #pool: PoolOfSessions<Session>
  readonly #siblings: Entry<Session>['siblings'] = new Map()
  readonly #drains: (() => void)[] = []
  #underWay = 0
  #uses = 0
  #closed = false

  constructor(parts: ConnectionPoolParts<Session>) {
    this.#parts = parts
    this.#pool = parts.pool
  }

  async use<T>(holder: Holder, open: () => Promise<Session>, work: (session: Session) => Promise<T>): Promise<T> {
    const entry = this.#enterOnce(holder, open)
    entry.calls++
    this.#underWay++
    try {
      return await work(entry.session ?? (await this.#opened(entry)))
    } finally {
      entry.calls--
      entry.used = this.#pool.now()
      if (!this.#parts.reuses && !holder.lasting) this.#pool.retire(entry)
      else if (entry.retired && entry.calls === 0) void this.#pool.end(entry)
      if (--this.#underWay === 0) for (const drained of this.#drains.splice(0)) drained()
    }
  }

  async listen<T>(
    holder: Holder,
    open: () => Promise<Session>,
    work: (session: Session, ended: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const entry = this.#enter(holder, open)
    entry.streams++
    try {
      const session = await this.#opened(entry)
      entry.ended ??= new AbortController()
      if (entry.retired) entry.ended.abort()
      return await work(session, entry.ended.signal)
    } finally {
      entry.streams--
      entry.used = this.#pool.now()
    }
  }

  held({ owner, capabilities }: Pick<Holder, 'owner' | 'capabilities'>): readonly Session[] {
    const same = JSON.stringify(capabilities)
    return this.#ownedBy(owner).flatMap(({ session, retired, holder }) =>
      session !== undefined && !retired && JSON.stringify(holder.capabilities) === same ? [session] : [],
    )
  }

  lose({ owner }: Holder, session: Session): void {
    const entry = this.#ownedBy(owner).find((item) => item.session === session)
    if (entry === undefined) return
    entry.closing ??= Promise.resolve(strike(entry))
    this.#pool.retire(entry)
  }

  forget(owner: string): void {
    for (const entry of this.#ownedBy(owner)) this.#refuse(entry)
  }

  drained(): Promise<void> {
    return this.#underWay === 0 ? Promise.resolve() : new Promise((resolve) => void this.#drains.push(resolve))
  }

  async close(): Promise<void> {
    this.#closed = true
    const all = [...this.#siblings.values()].flatMap((own) => [...own])
    await Promise.all(
      all.map((entry) => {
        this.#refuse(entry)
        return this.#pool.end(entry)
      }),
    )
  }

  #enter(holder: Holder, open: () => Promise<Session>): Entry<Session> {
    if (this.#closed) throw this.#gone()
    const key = this.#keyOf(holder)
    const known = this.#pool.find(key)
    this.#parts.onUse(known !== undefined)
    return known ?? this.#add(key, holder, open)
  }

  /** For one call: where sessions are not used again, one that nobody else finds and that takes no second call. */
  #enterOnce(holder: Holder, open: () => Promise<Session>): Entry<Session> {
    if (this.#parts.reuses || holder.lasting) return this.#enter(holder, open)
    if (this.#closed) throw this.#gone()
    this.#parts.onUse(false)
    return this.#add(`${this.#keyOf(holder)} ${++this.#uses}`, holder, open)
  }

  #add(key: string, holder: Holder, open: () => Promise<Session>): Entry<Session> {
    const { connectionId, share } = this.#parts
    return this.#pool.add({ key, connectionId, share, holder, siblings: this.#siblings }, open)
  }

  async #opened(entry: Entry<Session>): Promise<Session> {
    if (entry.session !== undefined) return entry.session
    const session = await entry.opening
    if (entry.refused) throw this.#gone()
    return session
  }

  #ownedBy(owner: string): Entry<Session>[] {
    return [...(this.#siblings.get(owner) ?? [])]
  }

  #refuse(entry: Entry<Session>): void {
    entry.refused = true
    this.#pool.retire(entry)
  }

  #keyOf({ owner, capabilities, credential }: Holder): string {
    return JSON.stringify([this.#parts.name, owner, capabilities, credential])
  }

  #gone(): Fault {
    return new Fault('upstream.disabled', { connection: this.#parts.alias })
  }
}

/** Removes a session that has ended from those of its place. */
function strike<Session>(entry: Entry<Session>): void {
  const { siblings, holder } = entry
  const own = siblings.get(holder.owner)
  own?.delete(entry)
  if (own?.size === 0) siblings.delete(holder.owner)
}

const stateOf = ({ connectionId, holder, calls, streams, born, used }: Entry<unknown>): PooledState => ({
  connectionId,
  holder,
  calls,
  streams,
  openedAt: born,
  usedAt: used,
})
