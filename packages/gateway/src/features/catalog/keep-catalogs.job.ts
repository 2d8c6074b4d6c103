/**
 * Keeping every connection's catalog fresh: at start, when a connection is new or changed, when its server says that a list
 * changed, and every quarter of an hour as a safety net. Lists that are fresh by then, of this gateway or of another, stay.
 *
 * So many are asked at the same time; one that hangs or fails holds up no other, and is tried again with growing pauses.
 */
import type { ConnectionId, OrganizationId } from '@toolway/contract'
import type { Log } from '../../lib/log.ts'
import { createTurns } from '../../lib/work-queue.ts'
import { keepCatalog, type KeepCatalogParts, type KeptCatalog, type WatchedConnection } from './keep-catalog.job.ts'
import { KeptConnections } from './kept-connections.ts'

export interface KeepCatalogsParts extends Omit<KeepCatalogParts, 'take'> {
  /** The connection is gone or changed: its upstream ends. */
  drop(connectionId: ConnectionId, version: string): Promise<void>
  readonly log: Pick<Log, 'warn'>
}

export interface KeepCatalogs {
  /** These connections are to be kept, as they stand now, and no others: of these organizations, or of all. */
  want(connections: readonly WatchedConnection[], organizations?: ReadonlySet<string>): void
  /** Ask this one soon, whatever is planned: something turned. */
  again(connectionId: ConnectionId): void
  /** Resolves when each that is kept now has been asked once, however that went. */
  tried(): Promise<void>
  close(): void
}

/** Looks under way at the same time. */
const AT_ONCE = 16

interface CatalogState extends KeptCatalog {
  readonly organizationId: OrganizationId
  readonly version: string
  readonly stop: AbortController
}

export function createKeepCatalogs({ drop, ...parts }: KeepCatalogsParts): KeepCatalogs {
  const { log } = parts
  const states = new KeptConnections<CatalogState>()
  const turns = createTurns({ atOnce: AT_ONCE, waiting: Infinity })
  // A queue without a limit refuses no one.
  const takeTurn = <T>(work: () => Promise<T>) => turns.take(work) ?? work()

  function start(connection: WatchedConnection): CatalogState {
    const stop = new AbortController()
    const { organizationId, version } = connection
    return { organizationId, version, stop, ...keepCatalog({ ...parts, take: takeTurn }, connection, stop.signal) }
  }

  function end(connectionId: ConnectionId, { version, stop }: CatalogState): void {
    states.delete(connectionId)
    stop.abort()
    drop(connectionId, version).catch((thrown: unknown) =>
      log.warn({ connectionId, err: thrown }, 'an upstream could not be closed'),
    )
  }

  return {
    want(connections, organizations) {
      const versions = new Map(connections.map(({ connectionId, version }) => [connectionId, version]))
      for (const [id, catalogState] of states.entriesOf(organizations))
        if (versions.get(id) !== catalogState.version) end(id, catalogState)
      for (const connection of connections)
        if (!states.has(connection.connectionId)) states.set(connection.connectionId, start(connection))
    },
    again: (connectionId) => states.get(connectionId)?.again(),
    async tried() {
      await Promise.all([...states.values()].map((catalogState) => catalogState.tried))
    },
    close() {
      for (const { stop } of states.values()) stop.abort()
      states.clear()
    },
  }
}
