/** The operations on organizations (ledger S3-ADM-01), and what an organization settles for itself. */
import { refuseOldProof } from '../../operations/recent-proof.ts'
import { signInSettingsOf } from './sign-in-settings.ts'
import { joinAs } from '../people/index.ts'
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { SystemSql } from '../../db/db.ts'
import {
  addOrganization,
  changeOrganization,
  findOrganization,
  listOrganizationPage,
  removeOrganization,
  type OrganizationRow,
} from '../../organizations/organizations.ts'
import { pageAt, partOf } from '../../lib/page.ts'
import { refuseStale, tagOf } from '../../lib/entity-tag.ts'
import { boundedRate } from './rate.ts'
import { operationServers, type OperationBase, type OperationCall, type Served } from '../../operations/serve.ts'

/** The parts that the operations on organizations and their settings work with. */
export interface OrganizationParts extends OperationBase {
  /** Default rate limit of an organization, where none is set for it. */
  readonly requestsPerMinute: number
}

const { servePlatform } = operationServers<OrganizationParts>()

const toOrganization = (row: OrganizationRow): shapes.Organization => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  contact_email: row.contact_email,
  is_active: row.active,
  settings: row.settings,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

/** The answer, and its tag in the head. */
function shownOrganization(row: OrganizationRow, head: OperationCall['head']): shapes.Organization {
  head.set('etag', tagOf(row.updated_at))
  return toOrganization(row)
}

/** Throws `thing.unknown`. One that is not active is found, too. */
async function getOrganization(sql: SystemSql, name: string, lock = false): Promise<OrganizationRow> {
  const row = await findOrganization(sql, name, lock)
  if (row === undefined) throw new Fault('thing.unknown', { thing: 'organization' })
  return row
}

type Change = ReturnType<(typeof shapes.OrganizationChange)['parse']>

/**
 * Returns the organization with the named fields replaced; null removes a field. `standard`: the rate of organizations that have
 * set none.
 */
export function changedOrganization(row: OrganizationRow, change: Change, standard: number): OrganizationRow {
  const { settings, name, description, contact_email, is_active } = change
  if (change.slug !== undefined && change.slug !== row.slug)
    throw new Fault('body.shape', {
      place: '/slug',
      problem: 'cannot be changed: addresses, keys and sign-ins contain it',
    })
  const settled = Object.entries({ ...row.settings, ...settings }).filter(([, value]) => value !== null)
  const next = shapes.OrganizationSettings.parse(Object.fromEntries(settled.filter(([, value]) => value !== undefined)))
  return {
    ...row,
    name: name ?? row.name,
    description: description === undefined ? row.description : description,
    contact_email: contact_email === undefined ? row.contact_email : contact_email,
    active: is_active ?? row.active,
    settings: boundedRate(next, standard, typeof settings?.requests_per_minute === 'number'),
  }
}

/** Returns the audit detail of a change: the names of the fields that were sent, without their values. */
const changedFields = (body: object) => ({ fields: Object.keys(body) })

export const organizationOperations: readonly Served<OrganizationParts>[] = [
  servePlatform(shapes.listOrganizations, async ({ read, query }) => {
    const { search, is_active: active } = query
    const { rowLimit, offset } = partOf(query)
    const { rows, total } = await read((sql) => listOrganizationPage(sql, { limit: rowLimit, offset, search, active }))
    return pageAt(rows, { query, start: offset, total }, toOrganization)
  }),

  servePlatform(shapes.addOrganization, async ({ change, body, principal, parts, head, origin: from }) => {
    const { slug, name, description = null, contact_email = null, is_active: active } = body
    const isRateSet = body.settings.requests_per_minute !== undefined
    const settings = boundedRate(body.settings, parts.requestsPerMinute, isRateSet)
    const row = await change(
      ({ id }: OrganizationRow) => ({
        action: 'organization.add',
        resource: 'organization',
        id,
        organizationId: id,
        detail: { slug },
      }),
      async (sql) => {
        const origin = from === 'file' ? from : 'administration'
        const added = await addOrganization(sql, { slug, name, origin, description, contact_email, active, settings })
        if (added === undefined) throw new Fault('thing.taken', { thing: 'organization', name: slug })
        const { userId } = principal
        if (userId !== undefined)
          await joinAs(sql, parts.vault, userId, { organizationId: added.id, role: 'tenant_admin', name: slug })
        return added
      },
    )
    await parts.snapshots.refresh(row.id)
    return shownOrganization(row, head)
  }),

  servePlatform(shapes.getOrganization, async ({ read, params, head }) =>
    shownOrganization(await read((sql) => getOrganization(sql, params['organization'] ?? '')), head),
  ),

  servePlatform(shapes.changeOrganization, async ({ change, params, body, parts, principal, head, ifMatch }) => {
    if (Object.keys(signInSettingsOf(body.settings ?? {})).length > 0) await refuseOldProof(parts, principal)
    const row = await change(
      ({ id }: OrganizationRow) => ({
        action: 'organization.change',
        resource: 'organization',
        id,
        organizationId: id,
        detail: changedFields({ ...body, ...body.settings }),
      }),
      async (sql) => {
        const organization = await getOrganization(sql, params['organization'] ?? '', true)
        refuseStale('organization', organization.updated_at, ifMatch)
        return changeOrganization(sql, changedOrganization(organization, body, parts.requestsPerMinute))
      },
    )
    await parts.snapshots.refresh(row.id)
    return shownOrganization(row, head)
  }),

  servePlatform(shapes.removeOrganization, async ({ change, params, parts, ifMatch }) => {
    // On record with the platform: the organization's own administrators are none any more.
    const { id } = await change(
      (row: OrganizationRow) => ({
        action: 'organization.remove',
        resource: 'organization',
        id: row.id,
        detail: { slug: row.slug, name: row.name },
      }),
      async (sql) => {
        const organization = await getOrganization(sql, params['organization'] ?? '', true)
        refuseStale('organization', organization.updated_at, ifMatch)
        await removeOrganization(sql, organization.id)
        return organization
      },
    )
    await parts.snapshots.refresh(id)
    return undefined
  }),
]
