/** The operations on what an organization's connections may reach although it is private: the platform says it, the organization sees it. */
import { Fault, type EgressExceptions } from '@toolway/contract'
import { isPrivateNetwork } from '@toolway/contract/address-kind'
import * as shapes from '@toolway/contract/admin'
import type { SystemSql } from '../../db/db.ts'
import {
  changeEgress,
  findOrganization,
  getOwnOrganization,
  type OrganizationRow,
} from '../../organizations/organizations.ts'
import { refuseStale, tagOf } from '../../lib/entity-tag.ts'
import { operationServers, type OperationBase, type OperationCall, type Served } from '../../operations/serve.ts'

const { serveOrganization, servePlatform } = operationServers<OperationBase>()

/** Of a network that is public nothing needs to be said; link-local ones stay closed whatever is said. Throws `body.shape`. */
export function refusePublic({ networks }: EgressExceptions): void {
  for (const [at, network] of networks.entries()) {
    if (!isPrivateNetwork(network))
      throw new Fault('body.shape', {
        place: `/networks/${at}`,
        problem: `is ${network}, which is not entirely within a private network (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 127.0.0.0/8, 100.64.0.0/10, fc00::/7, ::1/128)`,
      })
  }
}

function shownEgress({ egress, updated_at }: OrganizationRow, head: OperationCall['head']) {
  head.set('etag', tagOf(updated_at))
  return { ...egress, updated_at: updated_at.toISOString() }
}

async function lockOrganization(sql: SystemSql, name: string): Promise<OrganizationRow> {
  const row = await findOrganization(sql, name, true)
  if (row === undefined) throw new Fault('thing.unknown', { thing: 'organization' })
  return row
}

export const organizationEgressOperations: readonly Served<OperationBase>[] = [
  serveOrganization(shapes.getEgress, async ({ read, organization, head }) =>
    shownEgress(await read((sql) => getOwnOrganization(sql, organization.id)), head),
  ),

  servePlatform(shapes.changeEgress, async ({ change, params, body, parts, head, ifMatch }) => {
    refusePublic(body)
    const row = await change(
      ({ id, egress }: OrganizationRow) => ({
        action: 'organization.egress',
        resource: 'organization',
        id,
        organizationId: id,
        detail: { networks: egress.networks, hosts: egress.hosts },
      }),
      async (sql) => {
        const organization = await lockOrganization(sql, params['organization'] ?? '')
        refuseStale('organization', organization.updated_at, ifMatch)
        return changeEgress(sql, organization.id, body)
      },
    )
    await parts.snapshots.refresh(row.id)
    return shownEgress(row, head)
  }),
]
