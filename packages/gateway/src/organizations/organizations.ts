/** Organizations: who owns things and is kept apart from others. */
import { EgressExceptions, newId, type ApprovalPreset, type OrganizationId } from '@toolway/contract'
import { OrganizationSettings } from '@toolway/contract/admin'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'

export const DEFAULT_SLUG = 'default'

export const OrganizationRow = z.object({
  id: z.string().transform((id) => id as OrganizationId),
  slug: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  contact_email: z.string().nullable(),
  active: z.boolean(),
  settings: OrganizationSettings,
  egress: EgressExceptions,
  created_at: z.date(),
  updated_at: z.date(),
})
export type OrganizationRow = z.output<typeof OrganizationRow>

/** Requests per minute that an organization has settled, never more than the platform lets it; undefined: as the gateway says. */
export function rateOf({ settings }: Pick<OrganizationRow, 'settings'>): number | undefined {
  const { requests_per_minute: own, max_requests_per_minute: most } = settings
  return own !== undefined && most !== undefined ? Math.min(own, most) : (own ?? most)
}

/** All of them, or those of these ids. */
export const listOrganizations = (sql: SystemSql, ids?: readonly string[]) => sql(OrganizationRow)`
  select id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at
    from organizations
   where ${ids ?? null}::text[] is null or id = any(${ids ?? null}::text[])
   order by slug`

/** Those of these slugs. */
export const findOrganizations = (sql: SystemSql, slugs: readonly string[]) => sql(OrganizationRow)`
  select id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at
    from organizations where slug = any(${slugs}::text[])`

/** Those that have a connection, a toolset, a key, a group or a rule of this origin. */
export const listOrganizationsWith = (sql: SystemSql, origin: string) => sql(OrganizationRow)`
  select id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at
    from organizations
   where id in (select organization_id from connections where origin = ${origin}
                union select organization_id from toolsets where origin = ${origin}
                union select organization_id from keys where origin = ${origin} and organization_id is not null
                union select organization_id from groups where origin = ${origin}
                union select organization_id from organization_rules where origin = ${origin})
   order by slug`

export interface OrganizationFilter {
  readonly limit: number
  readonly offset: number
  /** Part of slug or name. */
  readonly search: string | undefined
  readonly active: boolean | undefined
}

const Count = z.object({ count: z.int() })

/** By slug, and how many there are in all. */
export async function listOrganizationPage(sql: SystemSql, { limit, offset, search, active }: OrganizationFilter) {
  const [searched, state] = [search?.toLowerCase() ?? '', active ?? null]
  const [counted] = await sql(Count)`
    select count(*)::int as count from organizations
     where (position(${searched} in slug) > 0 or position(${searched} in lower(name)) > 0)
       and active = coalesce(${state}::boolean, active)`
  const rows = await sql(OrganizationRow)`
    select id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at from organizations
     where (position(${searched} in slug) > 0 or position(${searched} in lower(name)) > 0)
       and active = coalesce(${state}::boolean, active)
     order by slug limit ${limit} offset ${offset}`
  return { rows, total: counted?.count ?? 0 }
}

/** By slug or id, which are never alike. `lock`: it stays as it is until the transaction ends. */
export async function findOrganization(sql: SystemSql, name: string, lock = false) {
  const rows = lock
    ? await sql(OrganizationRow)`
        select id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at from organizations
         where slug = ${name} or id = ${name} for update`
    : await sql(OrganizationRow)`
        select id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at from organizations
         where slug = ${name} or id = ${name}`
  return rows[0]
}

/** The one that this transaction is of. */
export async function getOwnOrganization(sql: OrgSql, id: OrganizationId, lock = false): Promise<OrganizationRow> {
  const rows = lock
    ? await sql(OrganizationRow)`
        select id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at from organizations
         where id = ${id} for update`
    : await sql(OrganizationRow)`
        select id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at from organizations
         where id = ${id}`
  return onlyRow(rows)
}

/** The fact of the installation that says what new organizations ask about before a tool runs. */
const NEW_APPROVALS = 'approvals of new organizations'

/** Stores the approval preset for new organizations (ADR 47); existing ones keep theirs. */
export const noteNewApprovals = (sql: SystemSql, preset: ApprovalPreset) => sql(Noted)`
  insert into installation (name, value) values (${NEW_APPROVALS}, ${JSON.stringify(preset)})
  on conflict (name) do update set value = excluded.value where installation.value <> excluded.value
  returning name`
const Noted = z.object({ name: z.string() })

export type NewOrganization = Pick<
  OrganizationRow,
  'slug' | 'name' | 'description' | 'contact_email' | 'active' | 'settings'
> & { readonly origin: string }

/** Undefined when the slug is taken. */
export async function addOrganization(sql: SystemSql, added: NewOrganization): Promise<OrganizationRow | undefined> {
  const { slug, name, origin, description, contact_email, active, settings } = added
  const rows = await sql(OrganizationRow)`
    insert into organizations (id, slug, name, origin, description, contact_email, active, settings)
    values (${newId('org')}, ${slug}, ${name}, ${origin}, ${description}, ${contact_email}, ${active},
            coalesce((select jsonb_build_object('approvals', value) from installation where name = ${NEW_APPROVALS}),
                     '{"approvals": "ask-destructive"}') || ${JSON.stringify(settings)}::jsonb)
    on conflict (slug) do nothing
    returning id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at`
  return rows[0]
}

/** All of it but the slug, which is for good. */
export async function changeOrganization(sql: SystemSql, next: OrganizationRow): Promise<OrganizationRow> {
  const { id, name, description, contact_email, active, settings } = next
  return onlyRow(
    await sql(OrganizationRow)`
      update organizations
         set name = ${name}, description = ${description}, contact_email = ${contact_email}, active = ${active},
             settings = ${JSON.stringify(settings)}, updated_at = now()
       where id = ${id}
      returning id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at`,
  )
}

/** The same from inside, where whether it is active cannot be said. */
export async function changeOwnOrganization(sql: OrgSql, next: OrganizationRow): Promise<OrganizationRow> {
  const { id, name, description, contact_email, settings } = next
  return onlyRow(
    await sql(OrganizationRow)`
      update organizations
         set name = ${name}, description = ${description}, contact_email = ${contact_email},
             settings = ${JSON.stringify(settings)}, updated_at = now()
       where id = ${id}
      returning id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at`,
  )
}

/**
 * Changes the private addresses that an organization may reach. Its connections count as changed from now on, so that nothing
 * opened under the previous exceptions stays open.
 */
export async function changeEgress(
  sql: SystemSql,
  id: OrganizationId,
  egress: EgressExceptions,
): Promise<OrganizationRow> {
  await sql(Id)`
    update connections set updated_at = now()
     where organization_id = ${id} and not settings ? 'command' returning id`
  return onlyRow(
    await sql(OrganizationRow)`
      update organizations set egress = ${JSON.stringify(egress)}, updated_at = now() where id = ${id}
      returning id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at`,
  )
}

const Id = z.object({ id: z.string() })

/** With everything that belongs to it; records belong to nobody. */
export const removeOrganization = async (sql: SystemSql, id: OrganizationId): Promise<boolean> =>
  (await sql(Id)`delete from organizations where id = ${id} returning id`).length > 0

/** The organization of that slug, made if it is missing; its name is kept when none is given. */
export async function ensureOrganization(sql: SystemSql, slug: string, name: string | undefined, origin: string) {
  const rows = await sql(OrganizationRow)`
    insert into organizations (id, slug, name, origin, settings)
    values (${newId('org')}, ${slug}, ${name ?? slug}, ${origin},
            coalesce((select jsonb_build_object('approvals', value) from installation where name = ${NEW_APPROVALS}),
                     '{"approvals": "ask-destructive"}'))
    on conflict (slug) do update set name = coalesce(${name ?? null}, organizations.name)
    returning id, slug, name, description, contact_email, active, settings, egress, created_at, updated_at`
  return onlyRow(rows)
}

function onlyRow(rows: readonly OrganizationRow[]): OrganizationRow {
  const [row] = rows
  if (row === undefined) throw new Error('a change returned no row')
  return row
}
