/** The operations on groups of members. */
import { Fault, type OrganizationId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { OrgSql } from '../../db/db.ts'
import type { Change } from '../../records/change.ts'
import {
  joinGroup,
  leaveGroup,
  listWithMembers,
  putGroup,
  removeGroup,
  type GroupWithMembers,
} from '../people/groups.ts'
import { serveOrganization, type AdminParts, type Served } from '../serve.ts'
import { eachOf } from '../../lib/unreadable.ts'

const toGroup = ({ slug, title, members, awaited, origin }: GroupWithMembers): shapes.Group => ({
  slug,
  title,
  members: members.map(({ user_id, email, name }) => ({ user_id, email, name })),
  awaited,
  origin,
})

interface GroupRequest {
  readonly parts: AdminParts
  readonly organization: { readonly id: OrganizationId }
  change<T>(say: (result: T) => Change, work: (sql: OrgSql) => Promise<T>): Promise<T>
}

/** Change a group and answer it as it is then. */
async function settle(
  { parts, organization, change }: GroupRequest,
  slug: string,
  said: Omit<Change, 'resource' | 'id'>,
  work: (sql: OrgSql) => Promise<void>,
): Promise<shapes.Group> {
  const after = await change(
    () => ({ ...said, resource: 'group', id: slug }),
    async (sql) => {
      await work(sql)
      return (await listWithMembers(sql)).find((group) => group.slug === slug)
    },
  )
  if (after === undefined) throw new Fault('thing.unknown', { thing: 'group' })
  await parts.snapshots.refresh(organization.id)
  return toGroup(after)
}

export const groupOperations: readonly Served[] = [
  serveOrganization(shapes.listGroups, async ({ look }) => ({ items: eachOf(await look(listWithMembers), toGroup) })),

  serveOrganization(shapes.putGroup, (asked) => {
    const { params, body, organization } = asked
    const slug = params['group'] ?? ''
    const members = body.awaited ?? body.members
    const detail = { title: body.title, ...(members === undefined ? {} : { members }) }
    return settle(asked, slug, { action: 'group.put', detail }, (sql) => putGroup(sql, organization.id, slug, body))
  }),

  serveOrganization(shapes.joinGroup, (asked) => {
    const { params, organization } = asked
    const [slug, user] = [params['group'] ?? '', params['user'] ?? '']
    return settle(asked, slug, { action: 'group.join', detail: { user } }, (sql) =>
      joinGroup(sql, organization.id, slug, user),
    )
  }),

  serveOrganization(shapes.leaveGroup, (asked) => {
    const { params } = asked
    const [slug, user] = [params['group'] ?? '', params['user'] ?? '']
    return settle(asked, slug, { action: 'group.leave', detail: { user } }, (sql) => leaveGroup(sql, slug, user))
  }),

  serveOrganization(shapes.removeGroup, async ({ parts, organization, change, params }) => {
    const slug = params['group'] ?? ''
    await change(
      () => ({ action: 'group.remove', resource: 'group', id: slug }),
      (sql) => removeGroup(sql, slug),
    )
    await parts.snapshots.refresh(organization.id)
    return undefined
  }),
]
