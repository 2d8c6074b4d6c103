/** What everything is built with: created before all else, and usable by each feature that starts something. */
import type { Config } from '../config.ts'
import type { Log } from '../lib/log.ts'
import type { Counters } from '../telemetry/counters.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { Store } from './open-store.ts'

export interface Base extends Pick<Store, 'vault'> {
  readonly config: Config
  readonly log: Log
  readonly counters: Counters
  /** Undefined where nothing is exported. */
  readonly telemetry: Telemetry | undefined
  /** Whoever opens something defers its closing here; the last one opened is closed first. */
  readonly opened: Pick<AsyncDisposableStack, 'defer'>
}

/** With a database, which a gateway that keeps everything in memory has not. */
export interface BaseWithDatabase extends Base, Pick<Store, 'db'> {}
