/** The state of the running gateway, as far as operations may inspect and end it. */
import type { Sessions } from '../../sessions/sessions.ts'
import type { LogTail } from '../../telemetry/log-tail.ts'
import type { Upstreams } from '../../upstreams/upstreams.ts'
import type { GatewayRow } from '../../gateways/gateways.ts'
import type { LastKnown } from './last-known.ts'
import type { Figures } from './figures.rows.ts'
import type { SandboxState } from '../../upstreams/children/sandbox/choose-driver.ts'

export interface Runtime {
  /** The ID of this gateway in the list of those that run on the database. */
  readonly gateway: string
  /** What the database last answered about the installation and its gateways, for the time when it does not answer. */
  readonly lastFigures: LastKnown<Figures>
  readonly lastGateways: LastKnown<readonly GatewayRow[]>
  readonly upstreams: Pick<Upstreams, 'processes' | 'stop' | 'pooled' | 'evict'>
  readonly sessions: Pick<Sessions, 'list' | 'drop'>
  readonly logs: Pick<LogTail, 'recent' | 'follow'>
  /** As they may be shown. */
  readonly settings: readonly {
    name: string
    value: string | null
    secret: boolean
    origin: string | null
    about: string
  }[]
  /** MiB that a process may hold. */
  readonly childMemory: number
  /** How programs are confined; found out once. */
  readonly sandbox: () => Promise<SandboxState>
}
