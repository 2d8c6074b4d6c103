/**
 * Keeping every connection's catalog fresh: at start, when a connection is new or changed, when its server says that a list
 * changed, and every quarter of an hour as a safety net.
 *
 * Connections do not wait for one another. One that fails is tried again with growing pauses.
 */
import type { ConnectionId, OrganizationId } from '@toolway/contract'
import type { Log } from '../lib/log.ts'
import type { ListKind, Upstream } from '../upstreams/upstream.ts'
import type { SyncCatalog } from './sync-catalog.ts'

export interface Wanted {
  readonly organizationId: OrganizationId
  readonly connectionId: ConnectionId
  readonly alias: string
  /** Changes when the connection must be opened anew. */
  readonly version: string
  upstream(): Upstream
}

export interface KeepCatalogsParts {
  readonly sync: SyncCatalog
  /** Called when a server said so, after the new lists are stored. */
  onChange(organizationId: OrganizationId, connectionId: ConnectionId, kind: ListKind): void
  /** The connection is gone or changed: its upstream ends. */
  drop(connectionId: ConnectionId, version: string): Promise<void>
  readonly log: Pick<Log, 'warn'>
}

export interface KeepCatalogs {
  /** These connections are to be kept, as they stand now, and no others. */
  want(connections: readonly Wanted[]): void
  /** Ask this one soon, whatever is planned: something turned. */
  again(connectionId: ConnectionId): void
  /** Resolves when each that is kept now has been asked once, however that went. */
  tried(): Promise<void>
  close(): void
}

const EVERY = 15 * 60_000
const AGAIN = { first: 5_000, most: 5 * 60_000 }
/** A server that announces every single change of many is asked once for all. */
const GATHER = 50

interface Kept {
  readonly version: string
  readonly stop: AbortController
  readonly tried: Promise<void>
  again(): void
}

export function createKeepCatalogs({ sync, onChange, drop, log }: KeepCatalogsParts): KeepCatalogs {
  const kept = new Map<ConnectionId, Kept>()

  function start(wanted: Wanted): Kept {
    const stop = new AbortController()
    return { version: wanted.version, stop, ...keep(wanted, stop.signal) }
  }

  function keep(wanted: Wanted, signal: AbortSignal): Pick<Kept, 'tried' | 'again'> {
    const { organizationId, connectionId, alias } = wanted
    let timer: NodeJS.Timeout | undefined
    let pause = AGAIN.first
    let watching: Upstream | undefined
    let running = false
    /** It is to be asked in a moment, and that moment is not put off by whatever is said until then. */
    let soon = false
    const changed = new Set<ListKind>()
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })

    const plan = (after: number) => {
      clearTimeout(timer)
      if (!signal.aborted) timer = setTimeout(() => void refresh(), after).unref()
    }

    const planSoon = () => {
      if (soon) return
      soon = true
      if (!running) plan(GATHER)
    }

    async function refresh(): Promise<void> {
      // What is said meanwhile is looked at when this ends.
      if (running) return
      running = true
      soon = false
      const told = [...changed]
      changed.clear()
      const good = await attempt()
      running = false
      if (signal.aborted) return
      if (good) for (const kind of told) onChange(organizationId, connectionId, kind)
      plan(soon ? GATHER : good ? EVERY : pause)
      if (!good) for (const kind of told) changed.add(kind)
      pause = good ? AGAIN.first : Math.min(pause * 2, AGAIN.most)
    }

    /** Whatever goes wrong with one connection stays its own: it is tried again. */
    async function attempt(): Promise<boolean> {
      try {
        const subject = { organizationId, connectionId, alias, upstream: () => wanted.upstream(), met: watch }
        return await sync(subject, signal)
      } catch (thrown) {
        log.warn({ connection: alias, err: thrown }, 'the catalog could not be kept; trying again')
        return false
      }
    }

    function watch(upstream: Upstream): void {
      if (watching === upstream || signal.aborted) return
      watching = upstream
      upstream.watch((kind) => {
        changed.add(kind)
        planSoon()
      }, signal)
    }

    const again = () => {
      pause = AGAIN.first
      planSoon()
    }
    return { tried: refresh(), again }
  }

  function end(connectionId: ConnectionId, { version, stop }: Kept): void {
    kept.delete(connectionId)
    stop.abort()
    drop(connectionId, version).catch((thrown: unknown) =>
      log.warn({ connectionId, err: thrown }, 'an upstream could not be ended'),
    )
  }

  return {
    want(connections) {
      const versions = new Map(connections.map(({ connectionId, version }) => [connectionId, version]))
      for (const [id, one] of kept) if (versions.get(id) !== one.version) end(id, one)
      for (const wanted of connections) if (!kept.has(wanted.connectionId)) kept.set(wanted.connectionId, start(wanted))
    },
    again: (connectionId) => kept.get(connectionId)?.again(),
    async tried() {
      await Promise.all([...kept.values()].map((one) => one.tried))
    },
    close() {
      for (const { stop } of kept.values()) stop.abort()
      kept.clear()
    },
  }
}
