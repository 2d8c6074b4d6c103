/** The operations on one's own identities at providers. What changes them needs a recent proof (`NEEDS_PROOF`). */
import { Fault, type FamilyId, type OrganizationId, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { SystemSql } from '../../db/db.ts'
import type { Principal } from '../../identity/principal.ts'
import { isOfOrganizationsProvider } from '../../identity/sign-ins.ts'
import { findUser } from '../../identity/users.ts'
import { accountForbidden } from '../../lib/role-forbidden.ts'
import { eachOf } from '../../lib/unreadable-rows.ts'
import type { AdminCredentials } from '../../oauth/outgoing/admin-credentials.ts'
import { idsOf, type Ended } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import { hasOtherAdminIn } from '../../organizations/members.ts'
import { INSTALLATION } from '../../snapshot/installation.ts'
import {
  endSignInsBy,
  listMembershipsBy,
  listOwnLinks,
  lockWays,
  removeGroupsBy,
  removeOwnLink,
  type GroupLeft,
  type OwnLink,
} from './identity-links.rows.ts'
import { hasOtherWay } from './identity-links.ts'
import { findProviderById, listProviders, removeMembershipIn, type ProviderRow } from './identity-providers.rows.ts'
import { sealLinkTicket } from './link-tickets.ts'
import { startPathOf } from './provider-addresses.ts'

/** The parts that these operations work with. */
export interface IdentityLinkParts extends OperationBase {
  readonly publicUrl: () => string
  readonly credentials: Pick<AdminCredentials, 'endIn' | 'ended'>
}

const THING = 'identity provider'
const { serveSignedIn } = operationServers<IdentityLinkParts>()

/** For people themselves: no key changes how somebody signs in. Throws `login.needed`. */
function personOf({ kind, userId, signInId }: Principal): { user: UserId; signIn: FamilyId } {
  if (kind !== 'user' || userId === undefined || signInId === undefined) throw new Fault('login.needed')
  return { user: userId, signIn: signInId }
}

/**
 * The same, where the account itself is proven: whoever administers the provider of one organization could otherwise link an identity of
 * their own, and come to everything of the account with it. Throws `role.forbidden`.
 */
async function accountOf({ db }: IdentityLinkParts, principal: Principal): Promise<ReturnType<typeof personOf>> {
  const own = personOf(principal)
  if (!(await db.system((sql) => isOfOrganizationsProvider(sql, own.signIn)))) return own
  throw accountForbidden()
}

const slugOf = ({ snapshots }: IdentityLinkParts, owner: string): string | null =>
  snapshots.find({ id: owner })?.organization.slug ?? null

/** Providers of the installation, and of the organizations that the person is a member of. */
async function listLinkable(
  { snapshots, accounts }: IdentityLinkParts,
  sql: SystemSql,
  user: UserId,
): Promise<ProviderRow[]> {
  const administers = accounts.find(user)?.platform_admin === true
  const own = snapshots.all().filter(({ organization, members }) => organization.active && members.has(user))
  const owners = [INSTALLATION, ...(administers ? [] : own.map(({ organization: { id } }) => id))]
  const rows: ProviderRow[] = []
  for (const owner of owners) rows.push(...(await listProviders(sql, owner)))
  return rows.filter(({ enabled }) => enabled)
}

const toLink = (parts: IdentityLinkParts, row: OwnLink, isLast: boolean): shapes.IdentityLink => ({
  ...{ provider: row.provider_id, title: row.title, organization: slugOf(parts, row.organization_id) },
  ...{ linked_at: row.linked_at.toISOString(), signed_in_at: row.signed_in_at?.toISOString() ?? null, last: isLast },
})

async function listAll(parts: IdentityLinkParts, sql: SystemSql, principal: Principal) {
  const { user, signIn } = personOf(principal)
  const [person, all] = [await findUser(sql, user), await listOwnLinks(sql, user)]
  const isOfOne = await isOfOrganizationsProvider(sql, signIn)
  const rows = all.filter(({ organization_id: owner }) => !isOfOne || owner === principal.organizationId)
  const lasts = new Set<string>()
  for (const row of rows)
    if (
      person === undefined ||
      !(await hasOtherWay(
        sql,
        person,
        all.filter((other) => other !== row),
      ))
    )
      lasts.add(row.provider_id)
  const linked = new Set<string>(all.map(({ provider_id: id }) => id))
  const offered = isOfOne ? [] : (await listLinkable(parts, sql, user)).filter(({ id }) => !linked.has(id))
  return {
    items: eachOf(rows, (row) => toLink(parts, row, lasts.has(row.provider_id))),
    offered: eachOf(offered, ({ id, title, organization_id: owner }) => ({
      ...{ provider: id, title, organization: slugOf(parts, owner) },
    })),
  }
}

interface Unlinked {
  readonly row: Pick<ProviderRow, 'slug' | 'organization_id'>
  readonly left: readonly { organizationId: OrganizationId; role: string; ended: readonly Ended[] }[]
  readonly groups: readonly GroupLeft[]
}

/** The link goes, and with it the memberships and groups that came by that provider: nothing would end them any more. */
async function unlink(
  { credentials: { endIn } }: IdentityLinkParts,
  sql: SystemSql,
  { user, signIn, provider }: ReturnType<typeof personOf> & { readonly provider: string },
): Promise<Unlinked> {
  const [person, row] = [await findUser(sql, user), await findProviderById(sql, provider)]
  // Of two that are taken away at once, the second sees what the first has left.
  await lockWays(sql, user)
  const links = await listOwnLinks(sql, user)
  if (person === undefined || row === undefined || !links.some(({ provider_id: id }) => id === row.id))
    throw new Fault('thing.unknown', { thing: THING })
  if (
    !(await hasOtherWay(
      sql,
      person,
      links.filter(({ provider_id: id }) => id !== row.id),
    ))
  )
    throw new Fault('identity.last')
  await removeOwnLink(sql, user, row.id)
  await endSignInsBy(sql, user, row.id, signIn)
  const source = `provider:${row.id}`
  const left: Unlinked['left'][number][] = []
  for (const { organization_id: organizationId, role } of await listMembershipsBy(sql, user, source)) {
    if (role === 'tenant_admin' && !(await hasOtherAdminIn(sql, organizationId, user))) continue
    const ended = await endIn(sql, { organizationId, userId: user })
    await removeMembershipIn(sql, organizationId, user)
    left.push({ organizationId, role, ended })
  }
  return { row, left, groups: await removeGroupsBy(sql, user, source) }
}

export const identityLinkOperations: readonly Served<IdentityLinkParts>[] = [
  serveSignedIn(shapes.listIdentityLinks, ({ parts, principal, read }) =>
    read((sql) => listAll(parts, sql, principal)),
  ),

  serveSignedIn(shapes.beginIdentityLink, async ({ parts, principal, params, read, head }) => {
    const linking = await accountOf(parts, principal)
    head.set('cache-control', 'no-store')
    const rows = await read((sql) => listLinkable(parts, sql, linking.user))
    const row = rows.find(({ id }) => id === params['provider'])
    if (row === undefined) throw new Fault('thing.unknown', { thing: THING })
    const ticket = sealLinkTicket(parts.vault, row.id, linking)
    return { url: `${parts.publicUrl()}${startPathOf(row.id)}?link=${ticket}` }
  }),

  serveSignedIn(shapes.removeIdentityLink, async ({ parts, principal, params, change }) => {
    const own = await accountOf(parts, principal)
    const done = await change(
      ({ row, left, groups }: Unlinked) => [
        {
          ...{ action: 'identity-link.remove', resource: 'user', id: own.user, detail: { provider: row.slug } },
          ...(row.organization_id === INSTALLATION ? {} : { organizationId: row.organization_id as OrganizationId }),
        },
        ...left.map(({ organizationId, role, ended }) => ({
          ...{ action: 'member.remove' as const, resource: 'member', id: own.user, organizationId },
          detail: { role, provider: row.slug, ...(ended.length === 0 ? {} : { credentials: idsOf(ended) }) },
        })),
        ...groups.map(({ organization_id: organizationId, group_slug: id }) => ({
          ...{ action: 'group.leave' as const, resource: 'group', id, organizationId },
          detail: { user: own.user, provider: row.slug },
        })),
      ],
      (sql) => unlink(parts, sql, { ...own, provider: params['provider'] ?? '' }),
    )
    for (const { organizationId, ended } of done.left) void parts.credentials.ended(organizationId, ended)
    const touched = new Set([
      ...done.left.map(({ organizationId }) => organizationId),
      ...done.groups.map(({ organization_id: id }) => id),
    ])
    await Promise.all([parts.accounts.load([own.user]), ...[...touched].map((id) => parts.snapshots.refresh(id))])
    return undefined
  }),
]
