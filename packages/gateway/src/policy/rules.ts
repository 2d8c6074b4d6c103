/**
 * Rules of the platform about tools, as a source system knows them: block or warn, by one pattern of names and perhaps one kind of
 * connection (ledger S3-POLY-01). A view of the rules that are kept; those that say more are not in it.
 */
import { NAME_ACTIONS, newId, type NameAction, type RuleId } from '@toolway/contract'
import type { SystemSql } from '../db/db.ts'
import {
  addPlatformRule,
  changePlatformRule,
  listPlatformRules,
  removePlatformRule,
  type PlatformRuleRow,
  type WrittenRule,
} from './stored/platform-rules.ts'

export interface RuleRow {
  readonly id: RuleId
  readonly tool_name_pattern: string
  readonly action: NameAction
  readonly reason: string
  readonly connector_type: string | null
  readonly active: boolean
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
}

const isNamed = (action: string): action is NameAction => NAME_ACTIONS.some((nameAction) => nameAction === action)
const onlyText = (list: unknown): string | undefined =>
  Array.isArray(list) && list.length === 1 && typeof list[0] === 'string' ? list[0] : undefined

/** Undefined where a rule says more than this view has words for. */
function inView(row: PlatformRuleRow): RuleRow | undefined {
  const { tools, connectors, ...more } = row.match
  const pattern = onlyText(tools)
  const connector = connectors === undefined ? null : onlyText(connectors)
  if (!isNamed(row.action) || pattern === undefined || connector === undefined) return undefined
  if (Object.keys(more).length > 0 || row.state === 'shadow' || row.origin === 'file') return undefined
  const { id, action, reason, state, created_by, created_at, updated_at } = row
  return {
    ...{ id, action, reason, created_by, created_at, updated_at },
    ...{ tool_name_pattern: pattern, connector_type: connector, active: state === 'on' },
  }
}

/** The oldest first. */
export const listRules = async (sql: SystemSql): Promise<RuleRow[]> =>
  (await listPlatformRules(sql)).flatMap((row) => inView(row) ?? [])

export interface NewRule {
  readonly pattern: string
  readonly action: NameAction
  readonly reason: string
  readonly connector: string | null
  readonly active: boolean
}

const wordsOf = ({ pattern, action, reason, connector, active }: NewRule, name: string): WrittenRule => ({
  name,
  match: { tools: [pattern], ...(connector === null ? {} : { connectors: [connector] }) },
  action,
  parameters: {},
  reason,
  state: active ? 'on' : 'off',
})

/** A rule that comes without a name has one that is made of its id. */
const nameOf = (id: RuleId): string => id.toLowerCase().replaceAll('_', '-')

export async function addRule(sql: SystemSql, rule: NewRule, createdBy: string): Promise<RuleRow> {
  const id = newId('rul')
  const added = await addPlatformRule(sql, wordsOf(rule, nameOf(id)), { id, createdBy, origin: 'administration' })
  const shown = added && inView(added)
  if (shown === undefined) throw new Error('an insert returned no row')
  return shown
}

/** Undefined when there is no such rule. */
export async function changeRule(sql: SystemSql, id: string, rule: NewRule): Promise<RuleRow | undefined> {
  const platformRule = (await listPlatformRules(sql)).find((row) => row.id === id)
  if (platformRule === undefined || inView(platformRule) === undefined) return undefined
  const changed = await changePlatformRule(sql, id, wordsOf(rule, platformRule.name))
  return changed && inView(changed)
}

export async function removeRule(sql: SystemSql, id: string): Promise<RuleRow | undefined> {
  const rule = (await listRules(sql)).find((row) => row.id === id)
  if (rule === undefined) return undefined
  await removePlatformRule(sql, id)
  return rule
}
