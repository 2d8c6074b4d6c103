/**
 * The change feed: how a gateway hears of changes that any gateway committed (ADR 0090). Two drivers keep one promise: a change that
 * was committed after the feed was opened is either heard or covered by a notice `reconnected`, after which the gateway reloads
 * everything. A notice may come twice.
 *
 * `postgres` is LISTEN/NOTIFY. `redis` reads a Redis Stream that one gateway fills, and falls back to LISTEN while that is not
 * to be had.
 */
import type { Log } from '../../lib/log.ts'
import type { Db, Notice } from '../db.ts'

/** The channel of `announce_change` (migration 0055). */
export const CHANNEL = 'toolway_changed'

export interface ChangeFeed {
  /** Where changes come from at this moment, in words for /health/ready. */
  state(): string
  /** Why the driver that was asked for is not in use; undefined while it is. */
  problem(): string | undefined
  /** Resolves once each change that was committed before is heard; undefined where that is not known. */
  heard?: (() => Promise<void>) | undefined
  close(): Promise<void>
}

export interface ChangeFeedParts {
  readonly db: Pick<Db, 'listen' | 'system'>
  readonly onNotice: (notice: Notice) => void
  /** A name that counts as alive for as long as the feed is open. */
  readonly alive?: string
  readonly log: Log
}

export interface StreamSettings {
  readonly url: string
  /** The prefix for names of this installation: several may share one Redis. */
  readonly prefix: string
}
