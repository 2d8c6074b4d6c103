/** The operations on groups of members. */
import { Fault, type OrganizationId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { OrgSql } from '../../db/db.ts'
import type { Change } from '../../records/change.ts'
import { joinGroup, leaveGroup, putGroup, removeGroup, withMembers, type GroupWithMembers } from '../people/index.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import { pageOfRows, startOf } from '../../lib/page.ts'
import { findGroup, listGroupPage } from '../../organizations/groups.ts'

const { serveOrganization } = operationServers<OperationBase>()

const toGroup = ({ slug, title, members, awaited, origin }: GroupWithMembers): shapes.Group => ({
  slug,
  title,
  members: members.map(({ user_id, email, name }) => ({ user_id, email, name })),
  awaited,
  origin,
})

interface GroupRequest {
  readonly parts: OperationBase
  readonly organization: { readonly id: OrganizationId }
  change<T>(say: (result: T) => Change, work: (sql: OrgSql) => Promise<T>): Promise<T>
}

/** Change a group and answer it as it is then. */
async function changeGroup(
  { parts, organization, change }: GroupRequest,
  slug: string,
  input: Omit<Change, 'resource' | 'id'>,
  work: (sql: OrgSql) => Promise<void>,
): Promise<shapes.Group> {
  const after = await change(
    () => ({ ...input, resource: 'group', id: slug }),
    async (sql) => {
      await work(sql)
      const found = await findGroup(sql, slug)
      return found && (await withMembers(sql, [found]))[0]
    },
  )
  if (after === undefined) throw new Fault('thing.unknown', { thing: 'group' })
  await parts.snapshots.refresh(organization.id)
  return toGroup(after)
}

export const groupOperations: readonly Served<OperationBase>[] = [
  /** A page has the members of its groups: there are as many as the organization has, for each group at most. */
  serveOrganization(shapes.listGroups, ({ read, query }) =>
    read(async (sql) => {
      const { rows, total } = await listGroupPage(sql, query.search ?? '', startOf(query, 'slug', 1))
      const paged = { query, order: 'slug', total, keyOf: ({ slug }: GroupWithMembers) => [slug] }
      return pageOfRows(await withMembers(sql, rows), paged, toGroup)
    }),
  ),

  serveOrganization(shapes.putGroup, (request) => {
    const { params, body, organization } = request
    const slug = params['group'] ?? ''
    const members = body.awaited ?? body.members
    const detail = { title: body.title, ...(members === undefined ? {} : { members }) }
    return changeGroup(request, slug, { action: 'group.put', detail }, (sql) =>
      putGroup(sql, organization.id, slug, body),
    )
  }),

  serveOrganization(shapes.joinGroup, (request) => {
    const { params, organization } = request
    const [slug, user] = [params['group'] ?? '', params['user'] ?? '']
    return changeGroup(request, slug, { action: 'group.join', detail: { user } }, (sql) =>
      joinGroup(sql, organization.id, slug, user),
    )
  }),

  serveOrganization(shapes.leaveGroup, (request) => {
    const { params } = request
    const [slug, user] = [params['group'] ?? '', params['user'] ?? '']
    return changeGroup(request, slug, { action: 'group.leave', detail: { user } }, (sql) => leaveGroup(sql, slug, user))
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
