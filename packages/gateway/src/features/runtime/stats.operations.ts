/** How much there is: connections and tools from memory, the rest counted by the database under whoever may see it. */
import * as shapes from '@toolway/contract/admin'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import { statesFor } from '../connections/index.ts'
import { countAll, readFigures, type Counted } from './figures.rows.ts'
import { serveOrganization, servePlatform, type Served } from './serve.operations.ts'

type StatusOf = (connection: ConnectionRow) => string

/** For the whole platform nobody in particular asks, so it is the last contact that counts there. */
const contactOf: StatusOf = ({ enabled, status }) => (enabled ? status : 'disabled')

function connectionCounts(snapshots: readonly Snapshot[], statusOf: StatusOf) {
  const connections = snapshots.flatMap((snapshot) => snapshot.connections)
  const by: Record<string, number> = {}
  for (const connection of connections) {
    const status = statusOf(connection)
    by[status] = (by[status] ?? 0) + 1
  }
  const tools = snapshots.flatMap(({ catalogs }) => [...catalogs.values()].map(({ tools }) => tools?.length ?? 0))
  return {
    connectors: connections.length,
    connectors_enabled: connections.filter(({ enabled }) => enabled).length,
    connectors_by_status: by,
    tools: tools.reduce((sum, tool) => sum + tool, 0),
    toolsets: snapshots.reduce((sum, { toolsets }) => sum + toolsets.length, 0),
  }
}

const statsOf = (
  snapshots: readonly Snapshot[],
  { members, keys, sessions, total, failed, refused }: Counted,
  statusOf: StatusOf = contactOf,
): shapes.Stats => ({
  ...connectionCounts(snapshots, statusOf),
  members,
  keys,
  sessions,
  calls: { total, failed, refused },
})

export const statsOperations: readonly Served[] = [
  serveOrganization(shapes.findStats, async (request) => {
    const { parts, organization, read } = request
    const snapshot = parts.snapshots.find({ id: organization.id })
    const states = await statesFor(request)
    return statsOf(snapshot === undefined ? [] : [snapshot], await read(countAll), (row) => states.of(row).status)
  }),
  servePlatform(shapes.findPlatformStats, async ({ parts: { snapshots, runtime }, read }) => {
    const { value, readAt, isCurrent } = await runtime.lastFigures.look(() => read(readFigures))
    const { counted, lastBackup: backup } = value
    const all = snapshots.all()
    return {
      ...statsOf(all, counted),
      tenants: all.length,
      users: counted.users,
      last_backup_at: backup,
      ...{ read_at: readAt.toISOString(), up_to_date: isCurrent },
      gateway: {
        uptime_seconds: Math.round(performance.now() / 1000),
        memory_bytes: process.memoryUsage.rss(),
        pooled: runtime.upstreams.pooled().length,
      },
    }
  }),
]
