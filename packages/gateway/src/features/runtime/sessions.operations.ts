/**
 * The operations on clients' sessions: those that the database keeps, of every gateway, and those that live in this one alone.
 *
 * A session's own name never leaves: it is shown, and ended, by its keyed hash.
 */
import { Fault, type OrganizationId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { listStoredSessions, removeSession, type ListedSession } from '../../sessions/stored-sessions.ts'
import type { SessionEntry } from '../../sessions/sessions.ts'
import type { SystemSql } from '../../db/db.ts'
import { pageOfRows, startOf, unknownCursor, type PageQuery } from '../../lib/page.ts'
import { namesOf } from '../../operations/names-of.ts'
import { servePlatform, type RuntimeParts, type Served } from './serve.operations.ts'

const digestOf = ({ vault }: RuntimeParts, id: string): Buffer => vault.hash(`session ${id}`)

/** Principal, organization, toolset and connection, as the admission made it. */
function placeOf({ owner }: SessionEntry) {
  const [principal = '', organizationId = '', toolset = '', connection = ''] = owner.split(' ')
  return { principal, organizationId: organizationId as OrganizationId, toolset, connection }
}

const sessionsHere = (parts: RuntimeParts): ListedSession[] =>
  parts.runtime.sessions.list().map((sessionEntry) => {
    const { principal, organizationId, toolset, connection } = placeOf(sessionEntry)
    const { session, openedAt } = sessionEntry
    return {
      hash: digestOf(parts, session.id),
      organization_id: organizationId,
      principal,
      toolset: connection === '' ? toolset : null,
      connection: connection === '' ? null : connection,
      revision: session.revision,
      client: session.caller.client ?? null,
      opened_at: new Date(openedAt),
      seen_at: new Date(session.seen),
    }
  })

const clientOf = (client: ListedSession['client']) =>
  client === null ? null : { name: String(client['name'] ?? ''), version: String(client['version'] ?? '') }

const toOpen = (row: ListedSession, slug: string): shapes.OpenSession => ({
  id: row.hash.toString('hex'),
  tenant_slug: slug,
  principal: row.principal,
  toolset: row.toolset,
  connector: row.connection,
  revision: row.revision,
  client: clientOf(row.client),
  opened_at: row.opened_at.toISOString(),
  seen_at: row.seen_at.toISOString(),
})

/** Those used last first. */
const byUse = (first: ListedSession, other: ListedSession): number =>
  other.seen_at.getTime() - first.seen_at.getTime() || Buffer.compare(other.hash, first.hash)

const ORDER = 'used'

/** The last session of the page before. Throws `body.shape`. */
function lastOf([seen, hash]: readonly string[]): { at: Date; hash: Buffer } {
  const at = new Date(seen ?? '')
  if (Number.isNaN(at.getTime()) || hash === undefined || !/^[\da-f]{64}$/.test(hash)) throw unknownCursor()
  return { at, hash: Buffer.from(hash, 'hex') }
}

/**
 * A page of all sessions: what this gateway has in memory goes before what the database knows of the same. Memory holds at most as many
 * as TOOLWAY_SESSIONS lets it.
 */
async function pageOfSessions(parts: RuntimeParts, sql: SystemSql, query: PageQuery, organizations: readonly string[]) {
  const { after: key, offset, rowLimit } = startOf(query, ORDER, 2)
  const after = key === undefined ? undefined : lastOf(key)
  const own = new Set(organizations)
  const live = sessionsHere(parts).filter(({ organization_id: of }) => own.has(of))
  const last = after && ({ seen_at: after.at, hash: after.hash } as ListedSession)
  const behind = last === undefined ? live : live.filter((row) => byUse(last, row) < 0)
  const except = live.map(({ hash }) => hash)
  const storedSessions = await listStoredSessions(sql, { organizations, except, after, most: offset + rowLimit })
  const rows = [...storedSessions.rows, ...behind].toSorted(byUse).slice(offset, offset + rowLimit)
  const keyOf = (row: ListedSession) => [row.seen_at.toISOString(), row.hash.toString('hex')]
  return { rows, paged: { query, order: ORDER, total: storedSessions.total + live.length, keyOf } }
}

export const sessionOperations: readonly Served[] = [
  servePlatform(shapes.listSessions, async ({ parts, read, query }) => {
    const { tenant_slug: requested } = query
    const slugs = new Map(
      parts.snapshots
        .all()
        .filter(({ organization: { slug } }) => requested === undefined || requested === slug)
        .map(({ organization: { id, slug } }) => [id as string, slug]),
    )
    return read(async (sql) => {
      const { rows, paged } = await pageOfSessions(parts, sql, query, [...slugs.keys()])
      const nameOf = await namesOf(
        sql,
        parts,
        rows.map(({ principal }) => principal),
      )
      return pageOfRows(rows, paged, (row) => ({
        ...toOpen(row, slugs.get(row.organization_id) ?? ''),
        principal_name: nameOf(row.principal),
      }))
    })
  }),
  servePlatform(shapes.endSession, async ({ parts, params, change }) => {
    const { session: id = '' } = params
    const live = parts.runtime.sessions
      .list()
      .find((session) => digestOf(parts, session.session.id).toString('hex') === id)
    await change(
      (organizationId: OrganizationId | undefined) => ({
        action: 'session.end',
        resource: 'session',
        id,
        ...(organizationId && { organizationId }),
      }),
      async (sql) => {
        const found = /^[\da-f]{64}$/.test(id) ? await removeSession(sql, Buffer.from(id, 'hex')) : undefined
        if (found === undefined && live === undefined) throw new Fault('thing.unknown', { thing: 'session' })
        return found ?? (live && placeOf(live).organizationId)
      },
    )
    if (live !== undefined) parts.runtime.sessions.drop(live.session.id)
    return undefined
  }),
]
