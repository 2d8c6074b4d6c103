/** How much there is: connections and tools from memory, the rest counted by the database under whoever may see it. */
import * as shapes from '@toolway/contract/admin'
import { z } from 'zod'
import type { Snapshot } from '../../call/snapshot.ts'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { PLATFORM } from '../../records/records.ts'
import { serveOrganization, servePlatform, type Served } from '../serve.ts'

const Counted = z.object({
  members: z.int(),
  keys: z.int(),
  sessions: z.int(),
  users: z.int(),
  total: z.int(),
  failed: z.int(),
  refused: z.int(),
})

/** Row-level security decides of what: an organization's own, or all there is. */
async function count(sql: OrgSql | SystemSql): Promise<z.output<typeof Counted>> {
  const [row] = await sql(Counted)`
    select (select count(*) from members)::int as members, (select count(*) from keys)::int as keys,
           (select count(*) from sessions)::int as sessions, (select count(id) from users)::int as users,
           count(*)::int as total,
           (count(*) filter (where outcome in ('failed', 'tool_error')))::int as failed,
           (count(*) filter (where outcome = 'refused'))::int as refused
      from records where kind = 'call' and at > now() - interval '24 hours'`
  if (row === undefined) throw new Error('a count gave no row')
  return row
}

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
  { members, keys, sessions, total, failed, refused }: z.output<typeof Counted>,
): shapes.Stats => ({ ...held(snapshots), members, keys, sessions, calls: { total, failed, refused } })

const LastBackup = z.object({ at: z.date() })

/** What only the database knows of the installation. */
export interface Figures {
  readonly counted: z.output<typeof Counted>
  readonly lastBackup: string | null
}
export const readFigures = async (sql: SystemSql): Promise<Figures> => ({
  counted: await count(sql),
  lastBackup: await lastBackup(sql),
})

/** The action is written out, so that the index of actions serves. */
async function lastBackup(sql: OrgSql | SystemSql): Promise<string | null> {
  const [row] = await sql(LastBackup)`
    select at from records where organization_id = ${PLATFORM} and method = 'backup.create' order by seq desc limit 1`
  return row?.at.toISOString() ?? null
}

export const statsOperations: readonly Served[] = [
  serveOrganization(shapes.findStats, async ({ parts, organization, look }) => {
    const snapshot = parts.snapshots.find({ id: organization.id })
    return statsOf(snapshot === undefined ? [] : [snapshot], await look(count))
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
