/** The operations on members of an organization. */
import type { UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { findMember, listMemberPage, type MemberOnPage, type MemberRow } from '../../organizations/members.ts'
import type { AdminCredentials } from '../../oauth/outgoing/admin-credentials.ts'
import { idsOf, type Ended } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import { sortedPage } from '../../lib/page.ts'
import { recordChange } from '../../records/change.ts'
import { listProviderTitles } from '../identity-providers/index.ts'
import { changeRole, join, removeMembership, toCode } from '../people/index.ts'
import { refreshPeople } from '../../snapshot/refresh-people.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'

/** The parts that these operations work with. */
export interface MemberParts extends OperationBase {
  /** Accounts at vendors, which end with the membership. */
  readonly credentials: Pick<AdminCredentials, 'endIn' | 'ended'>
}

const { serveOrganization } = operationServers<MemberParts>()

const toMember = (row: MemberRow): shapes.Member => ({
  user_id: row.user_id,
  email: row.email,
  name: row.name,
  role: row.role,
  is_active: row.active,
  added_at: row.created_at.toISOString(),
  signed_in_at: row.signed_in_at?.toISOString() ?? null,
})

const PROVIDER = 'provider:'

const providersOf = (rows: readonly MemberOnPage[]): string[] =>
  rows.flatMap(({ source }) => (source.startsWith(PROVIDER) ? [source.slice(PROVIDER.length)] : []))

const toListed = (row: MemberOnPage, titles: ReadonlyMap<string, string>): shapes.ListedMember => ({
  ...toMember(row),
  is_suspended: row.suspended,
  source: row.source,
  source_title: titles.get(row.source.slice(PROVIDER.length)) ?? null,
  groups: row.groups,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
})

export const memberOperations: readonly Served<MemberParts>[] = [
  serveOrganization(shapes.listMembers, async ({ parts, read, query }) => {
    const page = sortedPage(query)
    const found = await read((sql) => listMemberPage(sql, query, page.order))
    const titles = await parts.db.system((sql) => listProviderTitles(sql, providersOf(found.rows)))
    return page.of(
      found,
      ({ user_id: id }) => id,
      (row) => toListed(row, titles),
    )
  }),

  serveOrganization(shapes.addMember, async ({ parts, actor, organization, body, role: own, read, head }) => {
    const { email, name, role, vouch } = body
    // A new member may belong to no organization yet and is then visible to none, so this runs in a system transaction, for this
    // organization.
    const { user, invitation } = await parts.db.system(async (sql) => {
      const joined = await join(sql, parts.vault, {
        ...{ organizationId: organization.id, email, name, role, vouch },
        byPlatform: own === 'platform_admin',
      })
      const { id } = joined.user
      const detail = { email: joined.user.email, role, invited: joined.invitation !== undefined, vouch }
      await recordChange(sql, actor, organization.id, { action: 'member.add', resource: 'member', id, detail })
      return joined
    })
    await Promise.all([parts.accounts.load([user.id]), refreshPeople(parts.snapshots, organization.id, [user.id])])
    const member = await read((sql) => findMember(sql, user.id))
    if (member === undefined) throw new Error('a member that was added is not there')
    head.set('cache-control', 'no-store')
    return { member: toMember(member), invitation: invitation === undefined ? null : toCode(invitation) }
  }),

  serveOrganization(shapes.changeMember, async ({ parts, organization, change, params, body }) => {
    const { after } = await change(
      ({ before, after }: Awaited<ReturnType<typeof changeRole>>) => ({
        action: 'member.change',
        resource: 'member',
        id: after.user_id,
        detail: { role: after.role, before: before.role },
      }),
      (sql) => changeRole(sql, organization.slug, params['user'] ?? '', body.role),
    )
    await parts.snapshots.refresh(organization.id)
    return toMember(after)
  }),

  serveOrganization(shapes.removeMember, async ({ parts, organization, change, params }) => {
    const { ended } = await change(
      ({ left: { user_id: id, role }, ended: all }: { left: MemberRow; ended: Ended[] }) => ({
        action: 'member.remove',
        resource: 'member',
        id,
        detail: { role, ...(all.length === 0 ? {} : { credentials: idsOf(all) }) },
      }),
      async (sql) => {
        const userId = (params['user'] ?? '') as UserId
        const all = await parts.credentials.endIn(sql, { userId })
        return { left: await removeMembership(sql, organization.slug, userId), ended: all }
      },
    )
    void parts.credentials.ended(organization.id, ended)
    await parts.snapshots.refresh(organization.id)
    return undefined
  }),
]
