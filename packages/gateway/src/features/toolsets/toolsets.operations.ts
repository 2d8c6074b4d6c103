/** The operations on toolsets. */
import { Fault, Slug, type Rule, type ToolsetSettings } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import * as shapes from '@toolway/contract/admin'
import { meterOf, type Meter } from '../../call/discovery/meter.ts'
import type { OrgSql } from '../../db/db.ts'
import { nextTurn } from '../../lib/next-turn.ts'
import {
  findToolset,
  listToolsets,
  putToolset,
  removeToolset,
  type NewToolset,
  type ToolsetRow,
} from '../../toolsets/toolsets.ts'
import { listOrganizationRules } from '../../policy/stored/organization-rules.ts'
import { SUPPLIED, withSupplied, type NamedToolset } from '../../toolsets/supplied-toolsets.ts'
import { refuseIdle, placesIn, refuseListed, knownTo } from '../rules/index.ts'
import { refuseDeclared, type Origin } from '../../lib/origin.ts'
import {
  PendingChange,
  operationServers,
  type OperationBase,
  type OrganizationRequest,
  type Served,
} from '../../operations/serve.ts'
import { eachInTurn } from '../../lib/unreadable-rows.ts'

const { serveOrganization } = operationServers<OperationBase>()

/** With what it comes to at the moment; nothing where the organization does not answer. */
function toToolset(
  { parts, organization }: Pick<OrganizationRequest<Operation, OperationBase>, 'parts' | 'organization'>,
  { slug, title, settings, origin }: NamedToolset,
): shapes.Toolset {
  const toolListing = parts.snapshots.find({ id: organization.id })?.toolListing(slug, undefined, 'execute')
  const { exceeds, ...meter } = toolListing === undefined ? NOTHING : meterOf(toolListing)
  return { slug, title, settings, origin, ...meter, exceeds: [...exceeds] }
}

const NOTHING: Meter = {
  tools: 0,
  listed: 0,
  definition_tokens: { direct: 0, paged: 0, 'two-tier': 0, search: 0 },
  exceeds: [],
}

/** Throws `thing.declared` where it stands in the file. */
async function findOwn(sql: OrgSql, slug: string, origin: Origin): Promise<ToolsetRow | undefined> {
  const toolset = await findToolset(sql, slug)
  if (toolset !== undefined) refuseDeclared({ thing: 'toolset', name: slug, origin: toolset.origin }, origin)
  return toolset
}

/** Rules that stand in a toolset are checked as those that stand alone. Throws `body.shape`. */
async function refuseRules(sql: OrgSql, rules: ToolsetSettings['rules'], platform: readonly Rule[]): Promise<void> {
  if (rules === undefined) return
  const above = platform.map(({ name }) => name)
  refuseListed(rules, 'toolset', await knownTo(sql, await listOrganizationRules(sql), above))
}

export const toolsetOperations: readonly Served<OperationBase>[] = [
  serveOrganization(shapes.listToolsets, async (request) => ({
    items: await eachInTurn(withSupplied(await request.read(listToolsets)), async (item) => {
      // With 100,000 tools each takes long to count: other requests are served in between.
      await nextTurn()
      return toToolset(request, item)
    }),
  })),

  serveOrganization(shapes.getToolset, async (request) => {
    const all = withSupplied(await request.read(listToolsets))
    const found = all.find(({ slug }) => slug === request.params['toolset'])
    if (found === undefined) throw new Fault('thing.unknown', { thing: 'toolset' })
    return toToolset(request, found)
  }),

  serveOrganization(shapes.putToolset, async (request) => {
    const { change, parts, organization, params, body, origin, query } = request
    const slug = Slug.safeParse(params['toolset'])
    if (!slug.success)
      throw new Fault('body.shape', {
        place: '/toolset',
        problem: slug.error.issues[0]?.message ?? 'is not a valid slug',
      })
    const { title, ...settings } = body
    const { rules } = settings
    const places = query.force === true || rules === undefined ? [] : await placesIn(parts, organization.id)
    const row = await change(
      (put: NewToolset) => ({ action: 'toolset.put', resource: 'toolset', id: put.slug, detail: { ...settings } }),
      async (sql) => {
        const own = await findOwn(sql, slug.data, origin)
        await refuseRules(sql, rules, parts.platformRules(organization))
        refuseIdle(places, rules ?? [], own?.settings.rules)
        const named = title ?? own?.title ?? slug.data
        const next = { organizationId: organization.id, slug: slug.data, title: named, settings, origin }
        await putToolset(sql, next)
        return next
      },
    )
    return new PendingChange(() => toToolset(request, row))
  }),

  serveOrganization(shapes.removeToolset, async ({ change, params, origin }) => {
    await change(
      (slug: string) => ({ action: 'toolset.remove', resource: 'toolset', id: slug }),
      async (sql) => {
        const slug = params['toolset'] ?? ''
        const own = await findOwn(sql, slug, origin)
        if (own === undefined && SUPPLIED.some((toolset) => toolset.slug === slug))
          throw new Fault('toolset.supplied', { toolset: slug })
        if (own === undefined) throw new Fault('thing.unknown', { thing: 'toolset' })
        await removeToolset(sql, own.slug)
        return own.slug
      },
    )
    return new PendingChange(() => undefined)
  }),
]
