/** What every stage of the composition stands on: it is there before any of them, and each may lean on it. */
import type { Store } from '../admin/installation/open-store.ts'
import type { Config } from '../config.ts'
import type { Log } from '../lib/log.ts'
import type { Counters } from '../telemetry/counters.ts'

export interface Base extends Pick<Store, 'vault'> {
  readonly config: Config
  readonly log: Log
  readonly counters: Counters
  /** What a stage opens it defers the end of here; all of it ends in the opposite order. */
  readonly opened: Pick<AsyncDisposableStack, 'defer'>
}

/** With a database, which a gateway that keeps everything in memory has not. */
export interface CoreDependencies extends Base, Pick<Store, 'db'> {}
