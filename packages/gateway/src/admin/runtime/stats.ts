/** How much there is: connections and tools from memory, the rest counted by the database under whoever may see it. */
import * as shapes from '@toolway/contract/admin'
import type { Snapshot } from '../../call/snapshot.ts'
import { countAll, readFigures, type Counted } from './figures.ts'
import { serveOrganization, servePlatform, type Served } from '../serve.ts'

function held(snapshots: readonly Snapshot[]) {
  const connections = snapshots.flatMap((snapshot) => snapshot.connections)
  const by: Record<string, number> = {}
  for (const { status } of connections) by[status] = (by[status] ?? 0) + 1
  const tools = snapshots.flatMap(({ catalogs }) => [...catalogs.values()].map(({ tools }) => tools?.length ?? 0))
  return {
    connectors: connections.length,
    connectors_enabled: connections.filter(({ enabled }) => enabled).length,
    connectors_by_status: by,
    tools: tools.reduce((sum, one) => sum + one, 0),
    toolsets: snapshots.reduce((sum, { toolsets }) => sum + toolsets.length, 0),
  }
}

const statsOf = (
  snapshots: readonly Snapshot[],
  { members, keys, sessions, total, failed, refused }: Counted,
): shapes.Stats => ({ ...held(snapshots), members, keys, sessions, calls: { total, failed, refused } })

export const statsOperations: readonly Served[] = [
  serveOrganization(shapes.findStats, async ({ parts, organization, look }) => {
    const snapshot = parts.snapshots.find({ id: organization.id })
    return statsOf(snapshot === undefined ? [] : [snapshot], await look(countAll))
  }),
  servePlatform(shapes.findPlatformStats, async ({ parts: { snapshots, runtime }, look }) => {
    const { value, readAt, isCurrent } = await runtime.lastFigures.look(() => look(readFigures))
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
