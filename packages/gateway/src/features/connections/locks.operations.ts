/** The operations on the lock of a connection's tools: what is held, what changed in it, and what people say of it. */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { Operation } from '@toolway/contract/admin'
import { differenceOf } from '../../catalog/locks/difference.ts'
import { isNamed } from '../../catalog/locks/tool-hash.ts'
import {
  countToolLocks,
  findToolLock,
  listToolLocksOf,
  listToolLockPage,
  type LockedState,
  type ToolLockRow,
} from '../../catalog/locks/tool-locks.ts'
import { lockConnection, type ConnectionRow } from '../../connections/connections.ts'
import type { OrgSql } from '../../db/db.ts'
import { pageOfRows, startOf } from '../../lib/page.ts'
import {
  PendingChange,
  operationServers,
  type OperationBase,
  type OrganizationRequest,
  type Served,
} from '../../operations/serve.ts'
import { findConnectionOf } from '../../operations/find-connection.ts'
import { fingerprintOf, presentTools, setLock, settleTool } from './settle-lock.ts'

const stateOf = ({
  held_hash: heldHash,
  rejected_at: rejected,
  gone_at: gone,
}: ToolLockRow): shapes.LockedTool['state'] => {
  if (gone !== null) return 'gone'
  if (heldHash === null) return 'accepted'
  return rejected === null ? 'held' : 'rejected'
}

const timeOf = (date: Date | null): string | null => date?.toISOString() ?? null

const toLocked = (row: ToolLockRow): shapes.LockedTool => ({
  name: row.tool,
  state: stateOf(row),
  hash: row.held_hash ?? row.accepted_hash ?? '',
  accepted_hash: row.accepted_hash,
  accepted_by: row.accepted_by,
  accepted_at: timeOf(row.accepted_at),
  held_at: timeOf(row.held_at),
  rejected_by: row.rejected_by,
  rejected_at: timeOf(row.rejected_at),
  gone_at: timeOf(row.gone_at),
})

function toLock({ tool_lock: mode, trusted }: ConnectionRow, counts: Counts): shapes.ToolLock {
  const count = (state: LockedState) => counts.get(state) ?? 0
  return { mode, trusted, accepted: count('accepted'), held: count('held') + count('rejected'), gone: count('gone') }
}
type Counts = ReadonlyMap<LockedState, number>

const countsOf = (rows: readonly ToolLockRow[]): Counts =>
  new Map([...Map.groupBy(rows, stateOf)].map(([state, all]) => [state, all.length]))

const { serveOrganization } = operationServers<OperationBase>()

type LockRequest = OrganizationRequest<Operation, OperationBase>
/** A name that no account is kept of is nobody's. */
function toolOf({ params: { tool } }: Pick<LockRequest, 'params'>): string {
  if (!isNamed(tool)) throw new Fault('thing.unknown', { thing: 'tool' })
  return tool
}
const nameOf = ({ params }: Pick<LockRequest, 'params'>): string => params['connection'] ?? ''
const connectionOf = ({ parts, organization, params }: Pick<LockRequest, 'parts' | 'organization' | 'params'>) =>
  findConnectionOf(parts, organization.id, nameOf({ params }))

/** Throws `thing.unknown`. A connection of a file has its lock here, as its tools have their switches. */
async function lockOrThrow(sql: OrgSql, name: string): Promise<ConnectionRow> {
  const connection = await lockConnection(sql, name)
  if (connection === undefined) throw new Fault('thing.unknown', { thing: 'connection' })
  return connection
}

/** By alias: connections are in memory, and the locks of their tools are read for those of one page. */
const listAll = serveOrganization(shapes.listToolLocks, async ({ parts, organization, query, read }) => {
  const connections = parts.snapshots.find({ id: organization.id })?.connections ?? []
  const { after: [last] = [], offset, rowLimit } = startOf(query, 'alias', 1)
  const sorted = connections.toSorted((connection, other) => (connection.alias < other.alias ? -1 : 1))
  const behind = last === undefined ? sorted.slice(offset) : sorted.filter(({ alias }) => alias > last)
  const page = behind.slice(0, rowLimit)
  const ids = page.slice(0, query.limit).map(({ id }) => id)
  const rows = Map.groupBy(await read((sql) => listToolLocksOf(sql, ids)), ({ connection_id: id }) => id)
  const paged = { query, order: 'alias', total: connections.length, keyOf: ({ alias }: ConnectionRow) => [alias] }
  return pageOfRows(page, paged, (connection) => {
    const own = rows.get(connection.id) ?? []
    const tools = own.map(toLocked).filter(({ state }) => state !== 'gone')
    return {
      ...{ alias: connection.alias, ...toLock(connection, countsOf(own)) },
      tools: tools.map(({ name, hash }) => ({ name, hash })),
    }
  })
})

const get = serveOrganization(shapes.getToolLock, async (request) => {
  const connection = connectionOf(request)
  const [counts, present] = await request.read(async (sql) => [
    await countToolLocks(sql, connection.id),
    await presentTools(sql, connection.id),
  ])
  request.head.set('etag', `"${fingerprintOf(present)}"`)
  return toLock(connection, counts)
})

const set = serveOrganization(shapes.setToolLock, async (request) => {
  const { parts, organization, body, actor, ifMatch } = request
  const { id, counts } = await request.change(
    ({ id, alias, accepted, held }: { id: string; alias: string; accepted: number; held: number }) => ({
      action: 'lock.set',
      resource: 'connection',
      id,
      detail: { alias, ...body, accepted, held },
    }),
    async (sql) => {
      const connection = await lockOrThrow(sql, nameOf(request))
      const done = await setLock(sql, organization.id, connection, { setting: body, by: actor.id, ifMatch })
      return { id: connection.id, alias: connection.alias, ...done, counts: await countToolLocks(sql, connection.id) }
    },
  )
  return new PendingChange(() => toLock(findConnectionOf(parts, organization.id, id), counts))
})

const list = serveOrganization(shapes.listLockedTools, async (request) => {
  const { id } = connectionOf(request)
  const { query } = request
  const start = startOf(query, 'tool', 1)
  const [rows, counts] = await request.read(async (sql) => [
    await listToolLockPage(sql, id, query.state, start),
    await countToolLocks(sql, id),
  ])
  const total = [...counts].reduce((sum, [state, count]) => sum + (state === (query.state ?? state) ? count : 0), 0)
  return pageOfRows(rows, { query, order: 'tool', total, keyOf: ({ tool }) => [tool] }, toLocked)
})

const difference = serveOrganization(shapes.getToolDifference, async (request) => {
  const { id } = connectionOf(request)
  const row = await request.read((sql) => findToolLock(sql, id, toolOf(request)))
  if (row === undefined) throw new Fault('thing.unknown', { thing: 'tool' })
  const { accepted, held } = row
  return {
    ...toLocked(row),
    accepted,
    held,
    difference: held === null ? [] : differenceOf(accepted ?? undefined, held),
  }
})

const settleOperation = (
  operation: typeof shapes.acceptTool,
  verdict: 'accepted' | 'rejected',
): Served<OperationBase> =>
  serveOrganization(operation, async (request) => {
    const { organization, body, actor } = request
    const looked = { tool: toolOf(request), hash: body.hash }
    const { row } = await request.change(
      ({ alias }: { alias: string; row: ToolLockRow }) => ({
        action: verdict === 'accepted' ? 'tool.accept' : 'tool.reject',
        resource: 'tool',
        id: `${alias}/${looked.tool}`,
        detail: { hash: looked.hash },
      }),
      async (sql) => {
        const connection = await lockOrThrow(sql, nameOf(request))
        const settling = { looked, verdict, by: actor.id }
        return { alias: connection.alias, row: await settleTool(sql, organization.id, connection, settling) }
      },
    )
    return new PendingChange(() => toLocked(row))
  })

export const lockOperations: readonly Served<OperationBase>[] = [
  listAll,
  get,
  set,
  list,
  difference,
  settleOperation(shapes.acceptTool, 'accepted'),
  settleOperation(shapes.rejectTool, 'rejected'),
]
