/** The operations on what persons allowed OAuth clients. */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import {
  countGrants,
  countGrantsOf,
  endGrant,
  listGrants,
  listGrantsOf,
  type EndedGrant,
  type GrantRow,
} from '../../identity/oauth/oauth-grants.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import { pageAt, pageFrom, partOf } from '../../lib/page.ts'
import type { Change } from '../../records/change.ts'

const { serveOrganization, serveSignedIn } = operationServers<OperationBase>()

const toGrant = (row: GrantRow): shapes.Grant => ({
  id: row.id,
  organization_id: row.organization_id,
  user_id: row.user_id,
  client_id: row.client_id,
  client_name: row.client_name,
  client_host: row.client_host,
  resource: row.resource,
  limit: row.effect_limit,
  created_at: row.created_at.toISOString(),
  used_at: row.used_at.toISOString(),
})

const changeOf = (ended: EndedGrant): Change => ({
  action: 'grant.end',
  resource: 'grant',
  id: ended.id,
  detail: { client: ended.client_name },
})

const existingGrant = (ended: EndedGrant | undefined): EndedGrant => {
  if (ended === undefined) throw new Fault('thing.unknown', { thing: 'grant' })
  return ended
}

export const grantOperations: readonly Served<OperationBase>[] = [
  serveSignedIn(shapes.listOwnGrants, async ({ principal: { userId }, read, query }) => {
    if (userId === undefined) return pageFrom([], query, toGrant)
    const part = partOf(query)
    const [rows, total] = await read(
      async (sql) => [await listGrantsOf(sql, userId, part), await countGrantsOf(sql, userId)] as const,
    )
    return pageAt(rows, { query, start: part.offset, total }, toGrant)
  }),
  serveSignedIn(shapes.endOwnGrant, async ({ principal: { userId }, change, params }) => {
    await change(
      (ended: EndedGrant) => ({ ...changeOf(ended), organizationId: ended.organization_id }),
      async (sql) =>
        existingGrant(userId === undefined ? undefined : await endGrant(sql, params['grant'] ?? '', userId)),
    )
    return undefined
  }),
  serveOrganization(shapes.listGrants, async ({ read, query }) => {
    const part = partOf(query)
    const [rows, total] = await read(async (sql) => [await listGrants(sql, part), await countGrants(sql)] as const)
    return pageAt(rows, { query, start: part.offset, total }, toGrant)
  }),
  serveOrganization(shapes.endGrant, async ({ change, params }) => {
    await change(changeOf, async (sql) => existingGrant(await endGrant(sql, params['grant'] ?? '', undefined)))
    return undefined
  }),
]
