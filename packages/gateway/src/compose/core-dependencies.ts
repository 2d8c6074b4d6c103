/** The dependencies of every stage of the composition: created before all of them, and usable by each. */
import type { Store } from './open-store.ts'
import type { Config } from '../config.ts'
import type { Log } from '../lib/log.ts'
import type { Counters } from '../telemetry/counters.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'

export interface Base extends Pick<Store, 'vault'> {
  readonly config: Config
  readonly log: Log
  readonly counters: Counters
  /** Undefined where nothing is exported. */
  readonly telemetry: Telemetry | undefined
  /** A stage defers the closing of its resources here; they are closed in the opposite order. */
  readonly opened: Pick<AsyncDisposableStack, 'defer'>
}

/** With a database, which a gateway that keeps everything in memory has not. */
export interface CoreDependencies extends Base, Pick<Store, 'db'> {}
