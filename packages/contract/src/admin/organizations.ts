/** Organizations over the admin interface (ledger S3-ADM-01); its paths say tenant, as the source system does. */
import { z } from 'zod'
import { Slug } from '../connections.ts'
import { operation, pageOf, Paging, platform } from './operation.ts'

/** What an organization may settle for itself. Requests per minute; absent means as the gateway's settings say. */
export const OrganizationSettings = z.strictObject({
  requests_per_minute: z.int().min(1).max(1_000_000).optional(),
})
export type OrganizationSettings = z.output<typeof OrganizationSettings>

export const Organization = z.strictObject({
  id: z.string(),
  slug: Slug,
  name: z.string(),
  description: z.string().nullable(),
  contact_email: z.string().nullable(),
  is_active: z.boolean(),
  settings: OrganizationSettings,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type Organization = z.output<typeof Organization>

const TENANTS = '/api/v1/admin/tenants'

export const listOrganizations = operation({
  id: 'listOrganizations',
  at: `GET ${TENANTS}`,
  summary: 'List the organizations of this installation.',
  needs: platform('tenant_read'),
  query: Paging,
  answer: pageOf(Organization),
})
