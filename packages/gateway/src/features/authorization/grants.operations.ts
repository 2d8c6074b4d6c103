/** The operations on what persons allowed OAuth clients. */
import { Fault, type OrganizationId } from '@toolway/contract'
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
import type { SystemSql } from '../../db/db.ts'
import type { Principal } from '../../identity/principal.ts'
import { isOfOrganizationsProvider } from '../../identity/sign-ins.ts'
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

/** The only organization whose grants a sign-in by that organization's provider reaches; undefined for all of the person's. */
const reachOf = async (sql: SystemSql, { signInId, organizationId }: Principal): Promise<OrganizationId | undefined> =>
  signInId !== undefined && (await isOfOrganizationsProvider(sql, signInId)) ? organizationId : undefined

export const grantOperations: readonly Served<OperationBase>[] = [
  serveSignedIn(shapes.listOwnGrants, async ({ principal, read, query }) => {
    const { userId } = principal
    if (userId === undefined) return pageFrom([], query, toGrant)
    const part = partOf(query)
    const [rows, total] = await read(async (sql) => {
      const only = await reachOf(sql, principal)
      return [await listGrantsOf(sql, userId, part, only), await countGrantsOf(sql, userId, only)] as const
    })
    return pageAt(rows, { query, start: part.offset, total }, toGrant)
  }),
  serveSignedIn(shapes.endOwnGrant, async ({ principal, change, params }) => {
    const { userId } = principal
    await change(
      (ended: EndedGrant) => ({ ...changeOf(ended), organizationId: ended.organization_id }),
      async (sql) => {
        const only = await reachOf(sql, principal)
        const ended = userId === undefined ? undefined : await endGrant(sql, params['grant'] ?? '', userId)
        return existingGrant(only === undefined || ended?.organization_id === only ? ended : undefined)
      },
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
