/** The operations on organizations. */
import * as shapes from '@toolway/contract/admin'
import { listOrganizations, type OrganizationRow } from '../organizations/organizations.ts'
import { servePlatform, type Served } from './serve.ts'

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

export const organizationOperations: readonly Served[] = [
  servePlatform(shapes.listOrganizations, async ({ look, query: { limit, offset } }) => {
    const all = await look(listOrganizations)
    return { items: all.slice(offset, offset + limit).map(toOrganization), total: all.length, limit, offset }
  }),
]
