/** The operations on groups of members. */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { Operation } from '@toolway/contract/admin'
import type { OrgSql } from '../../db/db.ts'
import type { Change } from '../../records/change.ts'
import {
  joinGroup,
  leaveGroup,
  putGroup,
  removeGroup,
  withMembers,
  type ChangedGroup,
  type GroupWithMembers,
} from '../people/index.ts'
import {
  PendingChange,
  operationServers,
  type OperationBase,
  type OrganizationRequest,
  type Served,
} from '../../operations/serve.ts'
import { pageOfRows, startOf } from '../../lib/page.ts'
import { findGroup, listGroupPage } from '../../organizations/groups.ts'

const { serveOrganization } = operationServers<OperationBase>()

const toGroup = ({ slug, title, members, awaited, origin }: GroupWithMembers): shapes.Group => ({
  slug,
  title,
  members: members.map(({ user_id, email, name, sources }) => ({ user_id, email, name, sources })),
  awaited,
  origin,
})

type GroupRequest = Pick<OrganizationRequest<Operation, OperationBase>, 'organization' | 'params' | 'origin' | 'change'>

const groupOf = ({ organization, params, origin }: GroupRequest): ChangedGroup => ({
  organizationId: organization.id,
  slug: params['group'] ?? '',
  origin,
})

/** Changes a group and answers it as it is then. */
async function settle(
  request: GroupRequest,
  input: Omit<Change, 'resource' | 'id'>,
  work: (sql: OrgSql, group: ChangedGroup) => Promise<void>,
): Promise<PendingChange<shapes.Group>> {
  const group = groupOf(request)
  const after = await request.change(
    () => ({ ...input, resource: 'group', id: group.slug }),
    async (sql) => {
      await work(sql, group)
      const found = await findGroup(sql, group.slug)
      return found && (await withMembers(sql, [found]))[0]
    },
  )
  if (after === undefined) throw new Fault('thing.unknown', { thing: 'group' })
  return new PendingChange(() => toGroup(after))
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
    const { body } = request
    const members = body.awaited ?? body.members
    const detail = { title: body.title, ...(members === undefined ? {} : { members }) }
    return settle(request, { action: 'group.put', detail }, (sql, group) => putGroup(sql, group, body))
  }),

  serveOrganization(shapes.joinGroup, (request) => {
    const user = request.params['user'] ?? ''
    return settle(request, { action: 'group.join', detail: { user } }, (sql, group) => joinGroup(sql, group, user))
  }),

  serveOrganization(shapes.leaveGroup, (request) => {
    const user = request.params['user'] ?? ''
    return settle(request, { action: 'group.leave', detail: { user } }, (sql, group) => leaveGroup(sql, group, user))
  }),

  serveOrganization(shapes.removeGroup, async (request) => {
    const group = groupOf(request)
    await request.change(
      () => ({ action: 'group.remove', resource: 'group', id: group.slug }),
      (sql) => removeGroup(sql, group),
    )
    return new PendingChange(() => undefined)
  }),
]
