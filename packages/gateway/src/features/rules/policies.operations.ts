/** The operations on rules of the platform about tools (ledger S3-POLY-01, -03). */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { addRule, changeRule, listRules, removeRule, type RuleRow } from '../../policy/rules.ts'
import { listPlatformRules } from '../../policy/stored/platform-rules.ts'
import { MOST_RULES } from './rule-words.ts'
import { operationServers, type Served } from '../../operations/serve.ts'
import type { RuleParts } from './platform-rules.operations.ts'
import { pageFrom } from '../../lib/page.ts'

const { servePlatform } = operationServers<RuleParts>()

const toRule = (row: RuleRow): shapes.Rule => ({
  id: row.id,
  tool_name_pattern: row.tool_name_pattern,
  action: row.action,
  reason: row.reason,
  connector_type: row.connector_type,
  is_active: row.active,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

const unknownRule = () => new Fault('thing.unknown', { thing: 'rule' })

const detailOf = ({ tool_name_pattern: pattern, action, connector_type: connector, active, reason }: RuleRow) => ({
  pattern,
  action,
  connector,
  active,
  reason,
})

export const ruleOperations: readonly Served<RuleParts>[] = [
  servePlatform(shapes.listRules, async ({ read, query }) => {
    const { action, is_active: active } = query
    // Read whole: they are among the rules of the platform, of which there are MOST_RULES at most.
    const found = (await read(listRules)).filter(
      (row) => (action === undefined || row.action === action) && (active === undefined || row.active === active),
    )
    return pageFrom(found, query, toRule)
  }),

  servePlatform(shapes.addRule, async ({ change, parts, principal, body }) => {
    const { tool_name_pattern: pattern, action, reason, connector_type: connector, is_active: active } = body
    const row = await change(
      (added: RuleRow) => ({ action: 'rule.add', resource: 'rule', id: added.id, detail: detailOf(added) }),
      async (sql) => {
        if ((await listPlatformRules(sql)).length >= MOST_RULES) throw new Fault('rule.limit', { limit: MOST_RULES })
        return addRule(sql, { pattern, action, reason, connector, active }, principal.id)
      },
    )
    await parts.rules.refresh()
    return toRule(row)
  }),

  servePlatform(shapes.changeRule, async ({ change, parts, params, body }) => {
    const row = await change(
      (changed: RuleRow) => ({ action: 'rule.change', resource: 'rule', id: changed.id, detail: detailOf(changed) }),
      async (sql) => {
        const rule = (await listRules(sql)).find(({ id }) => id === params['rule'])
        if (rule === undefined) throw unknownRule()
        const changed = await changeRule(sql, rule.id, {
          pattern: body.tool_name_pattern ?? rule.tool_name_pattern,
          action: body.action ?? rule.action,
          reason: body.reason ?? rule.reason,
          connector: body.connector_type === undefined ? rule.connector_type : body.connector_type,
          active: body.is_active ?? rule.active,
        })
        if (changed === undefined) throw unknownRule()
        return changed
      },
    )
    await parts.rules.refresh()
    return toRule(row)
  }),

  servePlatform(shapes.removeRule, async ({ change, parts, params }) => {
    await change(
      (removed: RuleRow) => ({ action: 'rule.remove', resource: 'rule', id: removed.id, detail: detailOf(removed) }),
      async (sql) => {
        const removed = await removeRule(sql, params['rule'] ?? '')
        if (removed === undefined) throw unknownRule()
        return removed
      },
    )
    await parts.rules.refresh()
    return undefined
  }),
]
