/**
 * The operations of an installation without its gateway: what a command or an `apply` needs to carry them out in its own process.
 *
 * Nothing listens, no job is begun and no server is reached before an operation asks for it. A gateway that runs on the same database
 * hears of each change from the database, as it hears of another gateway's. Live state (processes, sessions, logs, events) is the
 * gateway's alone: here it is empty.
 */
import type { BaseWithDatabase } from '../base/base.ts'
import type { Store } from '../base/open-store.ts'
import type { LoadedConfig } from '../config.ts'
import { localAgent } from '../features/agent/index.ts'
import { localFiles } from '../features/files/index.ts'
import { createStreamSender } from '../features/record-streams/index.ts'
import { localRecords } from '../features/records/index.ts'
import { stillRuntime } from '../features/runtime/index.ts'
import { createWebhookSender } from '../features/webhooks/index.ts'
import type { Log } from '../lib/log.ts'
import type { Administration } from '../operations/carry-out.ts'
import { createCounters } from '../telemetry/counters.ts'
import { createInstallation } from './installation.ts'
import { operationPartsOf } from './operation-parts.ts'
import { OPERATIONS, type OperationParts } from './operations.ts'

export interface LocalAdminParts {
  readonly store: Pick<Store, 'db' | 'vault'>
  readonly loaded: LoadedConfig
  readonly log: Log
  /** Where clients reach the gateway of this installation, for links. */
  publicUrl(): string
}

export interface LocalAdmin extends AsyncDisposable {
  readonly administration: Administration<OperationParts>
  /** Reads what others changed since. */
  reload(): Promise<void>
}

const NONE = () => 0
const elsewhere = (): never => {
  throw new Error('only a running gateway can do that')
}

export async function createLocalAdmin({ store, loaded, log, publicUrl }: LocalAdminParts): Promise<LocalAdmin> {
  const { db, vault } = store
  const { config, origins } = loaded
  await using opened = new AsyncDisposableStack()
  const counters = createCounters({ sessions: NONE, channels: NONE, upstreamSessions: NONE, waitingRecords: NONE })
  const base: BaseWithDatabase = { config, db, vault, log, counters, telemetry: undefined, opened }
  const installation = createInstallation(base, { ...loaded, publicUrl })
  const { upstreams, reveal, snapshots } = installation
  await installation.load()

  const parts: OperationParts = {
    ...operationPartsOf(base, installation),
    ...localRecords(base),
    publicUrl,
    events: { follow: elsewhere },
    sendWebhook: createWebhookSender(vault),
    sendBatch: createStreamSender({ vault, reveal }),
    previewList: elsewhere,
    files: localFiles(base),
    agent: localAgent(base, { upstreams, reveal, proxyUrl: publicUrl }),
    runtime: stillRuntime(config, origins, upstreams),
  }
  const owned = opened.move()
  return {
    administration: { operations: OPERATIONS, parts },
    reload: snapshots.reload,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
