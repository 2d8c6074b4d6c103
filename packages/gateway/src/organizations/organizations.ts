/** Organizations: who owns things and is kept apart from others. */
import { newId, type OrganizationId } from '@toolway/contract'
import { OrganizationSettings } from '@toolway/contract/admin'
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'

export const DEFAULT_SLUG = 'default'

export const OrganizationRow = z.object({
  id: z.string().transform((id) => id as OrganizationId),
  slug: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  contact_email: z.string().nullable(),
  active: z.boolean(),
  settings: OrganizationSettings,
  created_at: z.date(),
  updated_at: z.date(),
})
export type OrganizationRow = z.output<typeof OrganizationRow>

export const listOrganizations = (sql: SystemSql) =>
  sql(
    OrganizationRow,
  )`select id, slug, name, description, contact_email, active, settings, created_at, updated_at from organizations order by slug`

/** The organization of that slug, made if it is missing; its name is kept when none is given. */
export async function ensureOrganization(sql: SystemSql, slug: string, name: string | undefined, origin: string) {
  const rows = await sql(OrganizationRow)`
    insert into organizations (id, slug, name, origin) values (${newId('org')}, ${slug}, ${name ?? slug}, ${origin})
    on conflict (slug) do update set name = coalesce(${name ?? null}, organizations.name)
    returning id, slug, name, description, contact_email, active, settings, created_at, updated_at`
  const [row] = rows
  if (row === undefined) throw new Error('an upsert returned no row')
  return row
}
