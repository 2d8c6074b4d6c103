/** Writing rules of an organization: checked before they are kept, and never of what is another organization's. */
import { Fault, type OrganizationId } from '@toolway/contract'
import type { FullRuleChange, InnerScope, NewOrganizationRule } from '@toolway/contract/admin'
import { SETTING_RULES } from '../../call/approvals/preset.ts'
import type { OrgSql } from '../../db/db.ts'
import { nearestNames } from '../../lib/nearest-names.ts'
import type { Known } from '../../policy/stored/check-rule.ts'
import {
  addOrganizationRule,
  changeOrganizationRule,
  findPlace,
  listOrganizationRules,
  listPlaces,
  lockOrganizationRule,
  removeOrganizationRule,
  type OrganizationRuleRow,
  type RulePlace,
} from '../../policy/stored/organization-rules.ts'
import { writtenOf, type WrittenRule } from '../../policy/stored/platform-rules.ts'
import { storedOfToolsets } from '../../policy/stored/rules-in-force.ts'
import { isToolset } from '../../toolsets/supplied-toolsets.ts'
import { listToolsets } from '../../toolsets/toolsets.ts'
import { refuseStale } from '../../lib/entity-tag.ts'
import { refuseDeclared } from '../../lib/origin.ts'
import type { Origin } from '../../lib/origin.ts'
import { withRuleChange, MOST_RULES, refuseProblems } from './rule-words.ts'

/**
 * Returns the rules that an exception of an organization may name, and those that it may not: `platform` are the names of the
 * platform's rules.
 */
export async function knownTo(
  sql: OrgSql,
  rows: readonly OrganizationRuleRow[],
  platform: readonly string[],
): Promise<Known[]> {
  const placed = storedOfToolsets(await listToolsets(sql))
  return [
    ...rows.map(({ name, scope }): Known => ({ name, scope })),
    ...placed.map(({ name }): Known => ({ name: String(name), scope: 'toolset' })),
    ...platform.map((name): Known => ({ name, scope: 'platform' })),
    // The rules behind the organization's setting, which an exception may lift whether or not they are on.
    ...SETTING_RULES.map((name): Known => ({ name, scope: 'connection' })),
  ]
}

const unknownRule = () => new Fault('thing.unknown', { thing: 'rule' })
const takenName = (name: string) => new Fault('thing.taken', { thing: 'rule', name })

/** Where the rule is to stand. Throws `body.shape`, with the name that may have been meant. */
async function placeOf(sql: OrgSql, scope: InnerScope, of: string | undefined): Promise<RulePlace> {
  const refuse = (problem: string) => new Fault('body.shape', { place: '/of', problem })
  if (scope === 'organization') {
    if (of !== undefined) throw refuse('is only for rules of a toolset, a connection, a member or a key')
    return { scope }
  }
  if (of === undefined) throw refuse(`must specify the ${scope}`)
  const rulePlace = await findPlace(sql, scope, of)
  if (rulePlace !== undefined) return rulePlace
  if (scope === 'toolset' && isToolset([], of))
    throw refuse(
      of === 'default'
        ? 'is the toolset of all tools: create the rule for the organization instead'
        : 'is a built-in toolset: create your own toolset with that name first, then its rules',
    )
  const names = await listPlaces(sql, scope)
  if (names.filter((name) => name === of).length > 1)
    throw refuse('is the name of several keys: use the ID of one of them')
  const near = nearestNames(of, names)
  const guess = near.length === 0 ? '' : ` (did you mean "${near.join('" or "')}"?)`
  throw refuse(`is not a ${scope} of this organization${guess}`)
}

export interface Writing {
  readonly organizationId: OrganizationId
  /** Names of the platform's rules, which nothing here lifts. */
  readonly platform: readonly string[]
  readonly origin: Origin
  readonly createdBy: string
}

interface Locking extends Pick<Writing, 'origin'> {
  readonly ifMatch?: string | undefined
}

/** The row of that id, as it is now. Throws `thing.unknown`. */
async function read(sql: OrgSql, id: string): Promise<OrganizationRuleRow> {
  const row = (await listOrganizationRules(sql)).find((organizationRule) => organizationRule.id === id)
  if (row === undefined) throw unknownRule()
  return row
}

/** Throws `body.shape`, `thing.taken` and `rule.limit`. */
export async function writeOrganizationRule(
  sql: OrgSql,
  { scope, of, ...words }: NewOrganizationRule,
  { organizationId, platform, origin, createdBy }: Writing,
): Promise<OrganizationRuleRow> {
  const rows = await listOrganizationRules(sql)
  if (rows.length >= MOST_RULES) throw new Fault('rule.limit', { limit: MOST_RULES })
  const rulePlace = await placeOf(sql, scope, of)
  refuseProblems(words, scope, await knownTo(sql, rows, platform))
  const id = await addOrganizationRule(sql, {
    organizationId,
    place: rulePlace,
    rule: writtenOf(words),
    origin,
    createdBy,
  })
  if (id === undefined) throw takenName(words.name)
  return read(sql, id)
}

/** One that may be changed here. Throws `thing.unknown`, `thing.declared` and `request.stale`. */
async function lockOwn(sql: OrgSql, id: string, { origin, ifMatch }: Locking): Promise<OrganizationRuleRow> {
  const organizationRule = await lockOrganizationRule(sql, id)
  if (organizationRule === undefined) throw unknownRule()
  refuseDeclared({ thing: 'rule', name: organizationRule.name, origin: organizationRule.origin }, origin)
  refuseStale('rule', organizationRule.updated_at, ifMatch)
  return organizationRule
}

export const writtenOfOrganizationRule = ({ name, words, state }: OrganizationRuleRow): WrittenRule => ({
  ...{ name, match: words.match ?? {}, action: words.action ?? '', parameters: words.parameters ?? {} },
  ...{ reason: words.reason ?? '', state },
})

/** Throws what `lockOwn` throws, and `body.shape` and `thing.taken`. */
export async function rewriteOrganizationRule(
  sql: OrgSql,
  id: string,
  change: FullRuleChange,
  { platform, ...locking }: Pick<Writing, 'platform'> & Locking,
): Promise<OrganizationRuleRow> {
  const own = await lockOwn(sql, id, locking)
  const rows = await listOrganizationRules(sql)
  const next = withRuleChange(writtenOfOrganizationRule(own), change, own.scope, await knownTo(sql, rows, platform))
  const beside = rows.filter((row) => row.scope === own.scope && row.of === own.of && row.id !== id)
  if (beside.some(({ name }) => name === next.name)) throw takenName(next.name)
  await changeOrganizationRule(sql, id, next)
  return read(sql, id)
}

/** Throws what `lockOwn` throws. */
export async function eraseOrganizationRule(sql: OrgSql, id: string, locking: Locking): Promise<OrganizationRuleRow> {
  const own = await lockOwn(sql, id, locking)
  await removeOrganizationRule(sql, id)
  return own
}
