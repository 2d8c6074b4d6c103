/** The operations on toolsets. */
import { Fault, Slug, type Rule, type ToolsetSettings } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { OrgSql } from '../db/db.ts'
import { listToolsets, putToolset, removeToolset, type NewToolset, type ToolsetRow } from '../toolsets/toolsets.ts'
import { listOrganizationRules } from '../policy/kept/organization-rules.ts'
import { platformRulesFor } from './policy/organization-rules.ts'
import { refuseListed } from './policy/rule-words.ts'
import { knownTo } from './policy/write-organization-rules.ts'
import { serveOrganization, type Served } from './serve.ts'

const toToolset = ({ slug, title, settings, origin }: ToolsetRow): shapes.Toolset => ({ slug, title, settings, origin })

/** Throws `thing.declared` where it stands in the file. */
async function findOwn(sql: OrgSql, slug: string): Promise<ToolsetRow | undefined> {
  const held = (await listToolsets(sql)).find((one) => one.slug === slug)
  if (held?.origin === 'file') throw new Fault('thing.declared', { thing: 'toolset' })
  return held
}

/** Rules that stand in a toolset are checked as those that stand alone. Throws `body.shape`. */
async function refuseRules(sql: OrgSql, rules: ToolsetSettings['rules'], platform: readonly Rule[]): Promise<void> {
  if (rules === undefined) return
  const above = platform.map(({ name }) => name)
  refuseListed(rules, 'toolset', await knownTo(sql, await listOrganizationRules(sql), above))
}

export const toolsetOperations: readonly Served[] = [
  serveOrganization(shapes.listToolsets, async ({ look }) => ({ items: (await look(listToolsets)).map(toToolset) })),

  serveOrganization(shapes.putToolset, async ({ change, parts, organization, params, body }) => {
    const slug = Slug.safeParse(params['toolset'])
    if (!slug.success)
      throw new Fault('body.shape', { place: '/toolset', problem: slug.error.issues[0]?.message ?? 'is no slug' })
    const { title, ...settings } = body
    const row = await change(
      (put: NewToolset) => ({ action: 'toolset.put', resource: 'toolset', id: put.slug, detail: { ...settings } }),
      async (sql) => {
        const held = await findOwn(sql, slug.data)
        await refuseRules(sql, settings.rules, platformRulesFor(parts, organization.id, organization.slug))
        const named = title ?? held?.title ?? slug.data
        const next = {
          organizationId: organization.id,
          slug: slug.data,
          title: named,
          settings,
          origin: 'administration',
        }
        await putToolset(sql, next)
        return next
      },
    )
    await parts.snapshots.refresh(organization.id)
    return { slug: row.slug, title: row.title, settings: row.settings, origin: row.origin }
  }),

  serveOrganization(shapes.removeToolset, async ({ change, parts, organization, params }) => {
    await change(
      (slug: string) => ({ action: 'toolset.remove', resource: 'toolset', id: slug }),
      async (sql) => {
        const held = await findOwn(sql, params['toolset'] ?? '')
        if (held === undefined) throw new Fault('thing.unknown', { thing: 'toolset' })
        await removeToolset(sql, held.slug)
        return held.slug
      },
    )
    await parts.snapshots.refresh(organization.id)
    return undefined
  }),
]
