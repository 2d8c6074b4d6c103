/**
 * The operations on clients' sessions: those that the database keeps, of every gateway, and those that live in this one alone.
 *
 * A session's own name never leaves: it is shown, and ended, by its keyed hash.
 */
import { Fault, type OrganizationId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { listStoredSessions, removeSession, type ListedSession } from '../../sessions/stored-sessions.ts'
import type { SessionEntry } from '../../sessions/sessions.ts'
import { pageFrom } from '../../lib/page.ts'
import { namesOf } from '../names-of.ts'
import { servePlatform, type AdminParts, type Served } from '../serve.ts'

const digestOf = ({ vault }: AdminParts, id: string): Buffer => vault.hash(`session ${id}`)

/** Principal, organization, toolset and connection, as the admission made it. */
function placeOf({ owner }: SessionEntry) {
  const [principal = '', organizationId = '', toolset = '', connection = ''] = owner.split(' ')
  return { principal, organizationId: organizationId as OrganizationId, toolset, connection }
}

const here = (parts: AdminParts): ListedSession[] =>
  parts.runtime.sessions.list().map((held) => {
    const { principal, organizationId, toolset, connection } = placeOf(held)
    const { session, openedAt } = held
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

/** The newest of what is known of each, those used last first. */
function joined(kept: readonly ListedSession[], live: readonly ListedSession[]): ListedSession[] {
  const all = new Map([...kept, ...live].map((row) => [row.hash.toString('hex'), row]))
  return [...all.values()].sort((one, other) => other.seen_at.getTime() - one.seen_at.getTime())
}

export const sessionOperations: readonly Served[] = [
  servePlatform(shapes.listSessions, async ({ parts, look, query }) => {
    const { tenant_slug: slug } = query
    const organization = slug === undefined ? undefined : parts.snapshots.find({ slug })?.organization
    if (slug !== undefined && organization === undefined) return { items: [], total: 0, limit: query.limit, offset: 0 }
    const kept = await look((sql) => listStoredSessions(sql, organization?.id))
    const live = here(parts).filter((row) => organization === undefined || row.organization_id === organization.id)
    const all = joined(kept, live).flatMap((row) => {
      const found = parts.snapshots.find({ id: row.organization_id })
      return found === undefined ? [] : [toOpen(row, found.organization.slug)]
    })
    const page = pageFrom(all, query, (row) => row)
    const principals = page.items.map(({ principal }) => principal)
    const nameOf = await look((sql) => namesOf(sql, parts, principals))
    return { ...page, items: page.items.map((row) => ({ ...row, principal_name: nameOf(row.principal) })) }
  }),
  servePlatform(shapes.endSession, async ({ parts, params, change }) => {
    const { session: id = '' } = params
    const live = parts.runtime.sessions.list().find((held) => digestOf(parts, held.session.id).toString('hex') === id)
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
