/** The operations on rules of an organization: its own to change, the platform's to see. */
import { Fault, type Rule } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { AuditAction, Operation } from '@toolway/contract/admin'
import type { OrgSql } from '../../db/db.ts'
import { listOrganizationRules, type OrganizationRuleRow } from '../../policy/stored/organization-rules.ts'
import { storedOfToolsets } from '../../policy/stored/rules-in-force.ts'
import { listToolsets } from '../../toolsets/toolsets.ts'
import { tagOf } from '../../lib/entity-tag.ts'
import { pageFrom } from '../../lib/page.ts'
import {
  PendingChange,
  operationServers,
  type OperationBase,
  type OperationCall,
  type OrganizationRequest,
  type Served,
} from '../../operations/serve.ts'
import { changeOf, toOrganizationRule, toPlacedRule, writeEach } from './rule-words.ts'
import { idlePatterns, knownPlaces, refuseIdle, type KnownPlace } from './idle-patterns.ts'
import {
  eraseOrganizationRule,
  rewriteOrganizationRule,
  writeOrganizationRule,
  writtenOfOrganizationRule,
  type Writing,
} from './write-organization-rules.ts'

const { serveOrganization } = operationServers<OperationBase>()

const RULES = { table: 'organization_rules' } as const

const unknownRule = () => new Fault('thing.unknown', { thing: 'rule' })

const changeFor = (action: AuditAction) => (row: OrganizationRuleRow) =>
  changeOf(action, row.id, row.scope, row.of ?? undefined, writtenOfOrganizationRule(row))

const responseOf = (row: OrganizationRuleRow, head: OperationCall['head']): shapes.KeptRule => {
  head.set('etag', tagOf(row.updated_at))
  return toOrganizationRule(row)
}

const namesOf = (rules: readonly Rule[]): readonly string[] => rules.map(({ name }) => name)

/** Those of toolsets, which are changed with their toolset. */
const listPlaced = async (sql: OrgSql): Promise<shapes.KeptRule[]> =>
  storedOfToolsets(await listToolsets(sql)).map((stored) => toPlacedRule(stored, 'toolset'))

function writingOf({ parts, organization, origin, principal }: OrganizationRequest<Operation, OperationBase>): Writing {
  const { id: organizationId } = organization
  const platform = namesOf(parts.platformRules(organization))
  return { organizationId, platform, origin, createdBy: principal.id }
}

/** It can be seen here and is not to be changed here. Throws `rule.elsewhere`. */
function refusePlaced(id: string, platform: readonly Rule[]): void {
  const [, toolset] = /^toolsets\.([a-z0-9-]+)\.rules\./.exec(id) ?? []
  if (toolset !== undefined) throw new Fault('rule.elsewhere', { place: `the toolset ${toolset}` })
  if (platform.some((rule) => rule.id === id)) throw new Fault('rule.elsewhere', { place: 'the rules of the platform' })
}

type Snapshots = Pick<OperationBase, 'snapshots'>

/** The tools that patterns of rules are compared with; none where the organization does not answer. */
export const placesIn = async ({ snapshots }: Snapshots, id: string): Promise<readonly KnownPlace[]> => {
  const snapshot = snapshots.find({ id })
  return snapshot === undefined ? [] : knownPlaces([snapshot])
}

export const organizationRuleOperations: readonly Served<OperationBase>[] = [
  serveOrganization(shapes.listOrganizationRules, async ({ read, parts, organization, query }) => {
    const { action, state, scope } = query
    // Read whole: MOST_RULES bounds those of the organization and of the platform, and 500 those of a toolset.
    const own = await read(async (sql) => [
      ...(await listOrganizationRules(sql)).map(toOrganizationRule),
      ...(await listPlaced(sql)),
    ])
    const above = parts.platformRules(organization).map((rule) => toPlacedRule(rule, 'platform'))
    const found = [...above, ...own].filter(
      (rule) =>
        (action === undefined || rule.action === action) &&
        (state === undefined || rule.state === state) &&
        (scope === undefined || rule.scope === scope),
    )
    return pageFrom(found, query, (rule) => rule)
  }),

  serveOrganization(shapes.addOrganizationRule, async (request) => {
    const { change, parts, organization, body, head, query } = request
    const places = query.force === true ? [] : await placesIn(parts, organization.id)
    const row = await change(changeFor('rule.add'), async (sql) => {
      const written = await writeOrganizationRule(sql, body, writingOf(request))
      refuseIdle(places, [body])
      return written
    })
    return new PendingChange(() => responseOf(row, head), RULES)
  }),

  serveOrganization(shapes.addOrganizationRules, async (request) => {
    const { change, parts, organization, body, query } = request
    const places = await placesIn(parts, organization.id)
    const rows = await change(
      (all: readonly OrganizationRuleRow[]) => all.map(changeFor('rule.add')),
      async (sql) => {
        const written = await writeEach(body.rules, (words) => writeOrganizationRule(sql, words, writingOf(request)))
        if (query.force !== true) refuseIdle(places, body.rules)
        return written
      },
    )
    const items = rows.map(toOrganizationRule)
    const idle = places.length === 0 ? [] : idlePatterns(places, items).map(({ pattern }) => pattern)
    return new PendingChange(() => ({ items, idle }), RULES)
  }),

  serveOrganization(shapes.getOrganizationRule, async ({ read, parts, organization, params, head }) => {
    const id = params['rule'] ?? ''
    const row = await read(async (sql) =>
      (await listOrganizationRules(sql)).find((organizationRule) => organizationRule.id === id),
    )
    if (row !== undefined) return responseOf(row, head)
    const placed = (await read(listPlaced)).find((item) => item.id === id)
    if (placed !== undefined) return placed
    const above = parts.platformRules(organization).find((rule) => rule.id === id)
    if (above === undefined) throw unknownRule()
    return toPlacedRule(above, 'platform')
  }),

  serveOrganization(shapes.changeOrganizationRule, async (request) => {
    const { change, parts, organization, params, body, head, ifMatch, query, read } = request
    const id = params['rule'] ?? ''
    const above = parts.platformRules(organization)
    refusePlaced(id, above)
    const before = (await read(listOrganizationRules)).find((item) => item.id === id)
    const places = query.force === true || body.match === undefined ? [] : await placesIn(parts, organization.id)
    const row = await change(changeFor('rule.change'), async (sql) => {
      const written = await rewriteOrganizationRule(sql, id, body, {
        platform: namesOf(above),
        origin: request.origin,
        ifMatch,
      })
      refuseIdle(places, [toOrganizationRule(written)], before && [toOrganizationRule(before)])
      return written
    })
    return new PendingChange(() => responseOf(row, head), RULES)
  }),

  serveOrganization(shapes.removeOrganizationRule, async ({ change, parts, organization, params, ifMatch, origin }) => {
    const id = params['rule'] ?? ''
    refusePlaced(id, parts.platformRules(organization))
    await change(changeFor('rule.remove'), (sql) => eraseOrganizationRule(sql, id, { origin, ifMatch }))
    return new PendingChange(() => undefined, RULES)
  }),
]
