/**
 * Keeping the catalog of one connection fresh: when it is next asked for its lists, and by which gateway.
 *
 * An announcement of its server is followed soon. A server that announces changes again and again is asked with growing pauses, so
 * that one look, and one record of what changed, stands for many announcements.
 */
import type { ConnectionId, OrganizationId } from '@toolway/contract'
import { backoff } from '@toolway/protocol/retry'
import type { Claimed } from '../../catalog/catalog-schedule.ts'
import type { Log } from '../../lib/log.ts'
import type { ListKind, Upstream } from '../../upstreams/upstream.ts'
import type { LookClaims } from './look-claims.ts'
import type { SyncCatalog } from '../../upstreams/capabilities/fetch-capabilities.ts'

export interface WatchedConnection {
  readonly organizationId: OrganizationId
  readonly connectionId: ConnectionId
  readonly alias: string
  /** Changes when the connection must be opened anew. */
  readonly version: string
  readonly kind: 'child' | 'remote'
  upstream(): Upstream
}

export interface KeepCatalogParts {
  readonly sync: SyncCatalog
  readonly claims: Pick<LookClaims, 'claim' | 'settle'>
  /** New lists are stored; resolves when they are what this gateway lists. */
  onSynced(of: Pick<WatchedConnection, 'organizationId' | 'connectionId'>): Promise<void>
  /** Its server said so since then (milliseconds since 1970), and what it lists by now was asked for. */
  onAnnounced(of: Pick<WatchedConnection, 'organizationId' | 'connectionId'>, kind: ListKind, since: number): void
  /** Waits for one of the places of looks that are under way. */
  take<T>(work: () => Promise<T>): Promise<T>
  /** From 0 to 1. */
  readonly random: () => number
  readonly log: Pick<Log, 'warn'>
}

/** One connection that is kept. */
export interface KeptCatalog {
  /** Resolves when it was asked once, however that went. */
  readonly tried: Promise<void>
  again(): void
}

/** Milliseconds. Looks are spread by up to a tenth, so that those of many connections do not fall together for ever. */
const EVERY_MS = 15 * 60_000
const SPREAD = 0.1
const AGAIN = { first: 5_000, most: 5 * 60_000 }
/** Each pause is used in full: one gateway at a time claims a look, so that no two return together. */
const ALL = 1
/** From an announcement to the look at what changed: doubled while they do not end. */
const GATHER = { first: 50, most: 60_000 }
/** Until a look that another gateway has under way is asked after. */
const LEASED = 1_000
/** A look that takes longer gives its place to the next one: a server that hangs holds up no other. */
const PLACE_MS = 3_000

export function keepCatalog(parts: KeepCatalogParts, connection: WatchedConnection, signal: AbortSignal): KeptCatalog {
  const { onSynced, onAnnounced, take, log } = parts
  const look = createLook(parts, connection, {
    signal,
    onChange: (kind, missed) => {
      if (!missed) announced.add(kind)
      hear(false)
    },
  })
  let timer: NodeJS.Timeout | undefined
  let running = false
  /** When something was said that only a look which begins later can know of. */
  let heardAt: number | undefined
  /** A look is planned for it. */
  let soon = false
  let urgent = false
  const announced = new Set<ListKind>()
  let troubles = 0
  const pacing = createPacing()
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })

  const plan = (after: number) => {
    clearTimeout(timer)
    if (!signal.aborted) timer = setTimeout(() => void refresh(), after).unref()
  }

  const nextWait = () => (urgent ? GATHER.first : pacing.pause())

  /** The moment that was planned is not put off by whatever is said until then. */
  function hear(isUrgent: boolean): void {
    pacing.announced()
    const isNews = !soon || (isUrgent && !urgent)
    heardAt = Date.now()
    soon = true
    urgent ||= isUrgent
    if (isNews && !running) plan(nextWait())
  }

  async function refresh(): Promise<void> {
    // Notifications that arrive meanwhile are handled when this fetch ends.
    if (running) return
    running = true
    const [receivedAt, isUrgent, kinds] = [heardAt, urgent, [...announced]]
    announced.clear()
    heardAt = undefined
    soon = false
    urgent = false
    if (receivedAt !== undefined && !isUrgent) pacing.looked()
    const { wait, again, synced } = await tryOnce(receivedAt, isUrgent)
    running = false
    if (signal.aborted) return
    plan(soon ? nextWait() : wait)
    if (again) {
      heardAt ??= receivedAt
      for (const kind of kinds) announced.add(kind)
    }
    if (synced) await onSynced(connection).catch(() => {})
    if (!again && receivedAt !== undefined) for (const kind of kinds) onAnnounced(connection, kind, receivedAt)
  }

  /** Trouble of the gateway's own is not the connection's: it is logged, and tried again. */
  async function tryOnce(heardAt: number | undefined, forgiven: boolean): Promise<Looked> {
    try {
      const looked = await inPlace(take, () => look(heardAt, forgiven))
      troubles = 0
      return looked
    } catch (thrown) {
      if (!signal.aborted)
        log.warn({ connection: connection.alias, err: thrown }, 'the catalog could not be stored; retrying')
      return { wait: backoff(AGAIN, ++troubles, ALL), again: true, synced: false }
    }
  }

  return { tried: refresh(), again: () => hear(true) }
}

/** A look that takes long goes on without its place. */
function inPlace<T>(take: KeepCatalogParts['take'], work: () => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  void take(() => {
    let timer: NodeJS.Timeout | undefined
    const long = new Promise<void>((end) => (timer = setTimeout(end, PLACE_MS).unref()))
    const going = work().finally(() => clearTimeout(timer))
    going.then(resolve, reject)
    return Promise.race([going.then(ignore, ignore), long])
  })
  return promise
}

const ignore = () => {}

interface Pacing {
  /** Milliseconds from an announcement to the look at what changed. */
  pause(): number
  /** Something is announced: after a quiet while the pauses begin anew. */
  announced(): void
  /** A look for what was announced begins. */
  looked(): void
}

/** Announcements that do not end are followed with pauses that double. */
function createPacing(): Pacing {
  let gather = GATHER.first
  let lookedAt = -Infinity
  return {
    pause: () => gather,
    announced() {
      if (Date.now() - lookedAt >= 2 * gather) gather = GATHER.first
    },
    looked() {
      const now = Date.now()
      if (now - lookedAt < 2 * gather) gather = Math.min(gather * 2, GATHER.most)
      lookedAt = now
    },
  }
}

interface Looked {
  /** Milliseconds until the next look. */
  readonly wait: number
  /** The earlier notification still requires a fetch. */
  readonly again: boolean
  /** There are new lists. */
  readonly synced: boolean
}

const NOTHING: Looked = { wait: 0, again: false, synced: false }

interface LookParts {
  readonly signal: AbortSignal
  onChange(kind: ListKind, missed: boolean): void
}

/** One look, where it is this gateway's to make. */
function createLook(
  { sync, claims, random }: KeepCatalogParts,
  connection: WatchedConnection,
  { signal, onChange }: LookParts,
): (heardAt: number | undefined, forgiven: boolean) => Promise<Looked> {
  const { organizationId, connectionId, alias, version } = connection
  let first = true
  let watching: Upstream | undefined

  function watch(upstream: Upstream): void {
    if (watching === upstream || signal.aborted) return
    watching = upstream
    upstream.watch(onChange, signal)
  }

  const claimConnection = (heardAt: number | undefined): Promise<Claimed> =>
    claims.claim({ connectionId, version, heardAgo: heardAt === undefined ? undefined : Date.now() - heardAt })

  async function ask({ failures: before }: Claimed, forgiven: boolean): Promise<Looked> {
    const settleClaim = (wait: number, failures: number) => claims.settle({ connectionId, wait, failures })
    try {
      const subject = { organizationId, connectionId, alias, upstream: () => connection.upstream(), met: watch }
      const good = await sync(subject, signal)
      if (signal.aborted) await settleClaim(0, before)
      if (signal.aborted) return NOTHING
      const failures = good ? 0 : forgiven ? 1 : before + 1
      const wait = good ? EVERY_MS * (1 - SPREAD * random()) : backoff(AGAIN, failures, ALL)
      await settleClaim(wait, failures)
      return { wait, again: !good, synced: good }
    } catch (thrown) {
      // Trouble of ours leaves it due.
      await settleClaim(0, before).catch(() => {})
      throw thrown
    }
  }

  return async (received, forgiven) => {
    if (signal.aborted) return NOTHING
    // A child may be another program after a restart of the gateway that starts it.
    const since = received ?? (first && connection.kind === 'child' ? Date.now() : undefined)
    first = false
    const claimed = await claimConnection(since)
    if (claimed.granted) return ask(claimed, forgiven)
    if (claimed.leased) return { wait: LEASED, again: true, synced: false }
    const wait = Math.max(claimed.wait, LEASED)
    if (watching !== undefined || (await isMet())) return { wait, again: false, synced: false }
    const retried = await claimConnection(Date.now())
    return retried.granted ? ask(retried, forgiven) : { wait: LEASED, again: true, synced: false }
  }

  /** Its lists are fresh, and what it announces from now on is heard; false where it cannot be met. */
  async function isMet(): Promise<boolean> {
    // A process is started for its lists, or for a call.
    if (connection.kind === 'child') return true
    try {
      const upstream = connection.upstream()
      await upstream.introduce(signal)
      watch(upstream)
      return true
    } catch {
      return signal.aborted
    }
  }
}
