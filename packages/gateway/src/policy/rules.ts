/**
 * Rules of the platform about tools, by name (ledger S3-POLY-01): what is kept, and the memory of it that every view is made from.
 *
 * They belong to no organization, so no organization's transaction reaches them. A call asks no database: a change of a rule
 * makes all views anew.
 */
import { newId, NAME_ACTIONS, type NameAction, type Rule, type RuleId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'
import { createPolicy, NO_POLICY } from './compile.ts'
import type { Policy } from './verdict.ts'

export const RuleRow = z.object({
  id: z.string().transform((id) => id as RuleId),
  tool_name_pattern: z.string(),
  action: z.enum(NAME_ACTIONS),
  reason: z.string(),
  connector_type: z.string().nullable(),
  active: z.boolean(),
  created_by: z.string(),
  created_at: z.date(),
  updated_at: z.date(),
})
export type RuleRow = z.output<typeof RuleRow>

/** The oldest first: among rules that say the same, it is the one that is named. */
export const listRules = (sql: SystemSql) => sql(RuleRow)`
  select id, tool_name_pattern, action, reason, connector_type, active, created_by, created_at, updated_at
    from rules order by created_at, id`

export interface NewRule {
  readonly pattern: string
  readonly action: NameAction
  readonly reason: string
  readonly connector: string | null
  readonly active: boolean
}

export async function addRule(sql: SystemSql, rule: NewRule, createdBy: string): Promise<RuleRow> {
  const { pattern, action, reason, connector, active } = rule
  const [row] = await sql(RuleRow)`
    insert into rules (id, tool_name_pattern, action, reason, connector_type, active, created_by)
    values (${newId('rul')}, ${pattern}, ${action}, ${reason}, ${connector}, ${active}, ${createdBy})
    returning id, tool_name_pattern, action, reason, connector_type, active, created_by, created_at, updated_at`
  if (row === undefined) throw new Error('an insert returned no row')
  return row
}

/** Undefined when there is no such rule. */
export async function changeRule(sql: SystemSql, id: string, rule: NewRule): Promise<RuleRow | undefined> {
  const { pattern, action, reason, connector, active } = rule
  const rows = await sql(RuleRow)`
    update rules
       set tool_name_pattern = ${pattern}, action = ${action}, reason = ${reason}, connector_type = ${connector},
           active = ${active}, updated_at = now()
     where id = ${id}
    returning id, tool_name_pattern, action, reason, connector_type, active, created_by, created_at, updated_at`
  return rows[0]
}

export async function removeRule(sql: SystemSql, id: string): Promise<RuleRow | undefined> {
  const rows = await sql(RuleRow)`
    delete from rules where id = ${id}
    returning id, tool_name_pattern, action, reason, connector_type, active, created_by, created_at, updated_at`
  return rows[0]
}

const ruleOf = ({ id, tool_name_pattern: glob, action, reason, connector_type: connector, active }: RuleRow): Rule => ({
  id,
  name: id.toLowerCase(),
  scope: 'platform',
  of: undefined,
  match: { tools: [glob], ...(connector === null ? {} : { connectors: [connector] }) },
  action,
  parameters: {},
  reason,
  state: active ? 'on' : 'off',
})

export interface Rules {
  /** As last loaded. */
  readonly policy: Policy
  load(): Promise<void>
}

export function createRules({ list }: { list(): Promise<readonly RuleRow[]> }): Rules {
  let policy = NO_POLICY
  let loading: Promise<void> = Promise.resolve()
  return {
    get policy() {
      return policy
    },
    load() {
      // One after the other, so that an older answer never replaces a newer one.
      const run = async () => {
        policy = createPolicy((await list()).map(ruleOf))
      }
      const result = loading.then(run)
      loading = result.catch(() => {})
      return result
    },
  }
}
