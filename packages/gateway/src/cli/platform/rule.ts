/** `toolway rule …`: add, list and remove rules of the platform about tools on the local store. Gateways that run hear of it. */
import type { NameAction } from '@toolway/contract'
import { RulePattern } from '@toolway/contract/admin'
import { addRule, listRules, removeRule, type RuleRow } from '../../policy/rules.ts'
import { recordChange } from '../../records/change.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'
import { ownActor } from '../own-actor.ts'
import { withInstallation } from '../store.ts'

export interface RuleWords {
  readonly reason: string
  readonly action: NameAction
  readonly connector?: string
}

const shown = ({ id, tool_name_pattern, action, reason, connector_type, active, created_by }: RuleRow) => ({
  ...{ id, tool_name_pattern, action, reason, connector_type, active, created_by },
})

export const add = (pattern: string, words: RuleWords, output: Output): Promise<number> => {
  const fits = RulePattern.safeParse(pattern)
  if (!fits.success) throw new CommandFault(`The pattern "${pattern}" ${fits.error.issues[0]?.message}.`, EXIT.usage)
  const reason = words.reason.trim()
  if (reason === '' || reason.length > 500)
    throw new CommandFault('The --reason is one sentence of at most 500 characters.', EXIT.usage)
  return withInstallation(async ({ db }) => {
    const actor = ownActor()
    const row = await db.system(async (sql) => {
      const rule = { pattern, action: words.action, reason, connector: words.connector ?? null, active: true }
      const added = await addRule(sql, rule, actor.id)
      await recordChange(sql, actor, undefined, { action: 'rule.add', resource: 'rule', id: added.id, detail: rule })
      return added
    })
    const what = row.action === 'block' ? 'blocked' : 'marked on record'
    output.result(shown(row), [`${row.id}: tools like ${pattern} are ${what} from now on.`])
    return EXIT.ok
  })
}

export const list = (output: Output): Promise<number> =>
  withInstallation(async ({ db }) => {
    const rows = await db.system(listRules)
    output.result(
      rows.map(shown),
      rows.length === 0
        ? ['No rules yet: `toolway rule add --help`.']
        : table(
            ['ID', 'ACTION', 'TOOLS', 'OF', 'ACTIVE', 'REASON'],
            rows.map(({ id, action, tool_name_pattern: pattern, connector_type: connector, active, reason }) => [
              ...[id, action, pattern, connector ?? 'any'],
              ...[active ? 'yes' : 'no', reason],
            ]),
          ),
    )
    return EXIT.ok
  })

export const remove = (id: string, output: Output): Promise<number> =>
  withInstallation(async ({ db }) => {
    const row = await db.system(async (sql) => {
      const removed = await removeRule(sql, id)
      if (removed === undefined) throw new CommandFault(`There is no rule "${id}"; \`toolway rule list\` shows them.`)
      const { action, tool_name_pattern: pattern } = removed
      const detail = { action, pattern }
      await recordChange(sql, ownActor(), undefined, { action: 'rule.remove', resource: 'rule', id, detail })
      return removed
    })
    output.result({ removed: row.id }, [`Removed the rule on ${row.tool_name_pattern}.`])
    return EXIT.ok
  })
