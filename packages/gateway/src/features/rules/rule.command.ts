/** `toolway rule …`: add, list and remove rules of the platform about tools by name. */
import { CONNECTORS, NAME_ACTIONS, type NameAction } from '@toolway/contract'
import { addRule, listRules, removeRule, type Rule } from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { CommandFault, table } from '../../cli/terminal/output.ts'
import { listAll } from '../../cli/transport/transport.ts'

interface Adding {
  readonly pattern: string
  readonly reason: string
  readonly action: NameAction
  readonly connector?: (typeof CONNECTORS)[number]
}

const shownRule = ({ id, tool_name_pattern, action, reason, connector_type, is_active: active, created_by }: Rule) => ({
  ...{ id, tool_name_pattern, action, reason, connector_type, active, created_by },
})

const add = describeCommand({
  name: 'add',
  about: 'add a rule, effective immediately',
  arguments: [new Argument('<pattern>', 'the tool’s own name or <alias>__<tool>, where * matches any characters')],
  options: [
    new Option('--reason <text>', 'reason shown to the caller').makeOptionMandatory(),
    new Option('--action <action>', 'action').choices(NAME_ACTIONS).default('block'),
    new Option('--connector <connector>', 'only for connections of this kind').choices(CONNECTORS),
  ],
  examples: [
    `toolway rule add '*_delete_*' --reason 'Agents must not delete anything'`,
    `toolway rule add 'shell__*' --action warn --reason 'Under review'`,
  ],
  call: ({ call }, { pattern: tool_name_pattern, action, reason, connector: connector_type }: Adding) =>
    call(addRule, { body: { tool_name_pattern, action, reason, connector_type } }),
  print(rule) {
    const what = rule.action === 'block' ? 'blocked' : 'flagged in the audit log'
    return {
      value: shownRule(rule),
      lines: [`${rule.id}: tools matching ${rule.tool_name_pattern} are ${what} from now on.`],
    }
  },
})

const list = describeCommand({
  name: 'list',
  about: 'list the rules',
  examples: ['toolway rule list'],
  call: (transport) => listAll(transport, listRules),
  print: (rules) => ({
    value: rules.map(shownRule),
    lines:
      rules.length === 0
        ? [
            'No platform rules about tools yet. Each organization has its own rules and its own setting for approvals (`toolway policy list`).',
            'To add a rule, see `toolway rule add --help`.',
          ]
        : table(
            ['ID', 'ACTION', 'TOOLS', 'CONNECTOR', 'ACTIVE', 'REASON'],
            rules.map(({ id, action, tool_name_pattern: pattern, connector_type: connector, is_active, reason }) => [
              ...[id, action, pattern, connector ?? 'any'],
              ...[is_active ? 'yes' : 'no', reason],
            ]),
          ),
  }),
})

const remove = describeCommand({
  name: 'remove',
  about: 'remove a rule',
  arguments: [new Argument('<id>', 'rule ID, as shown by `toolway rule list`')],
  examples: ['toolway rule remove rul_01jd0000000000000000000000'],
  async call(transport, { id }: { id: string }) {
    const found = (await listAll(transport, listRules)).find((rule) => rule.id === id)
    if (found === undefined) throw new CommandFault(`There is no rule "${id}"; \`toolway rule list\` lists the rules.`)
    await transport.call(removeRule, { params: { rule: id } })
    return found
  },
  print: ({ id, tool_name_pattern: pattern }) => ({
    value: { removed: id },
    lines: [`Removed the rule on ${pattern}.`],
  }),
})

export const ruleCommand = (finish: Finish) =>
  groupOf(
    'rule',
    'block tools by name in every organization, or flag their calls; `toolway policy` offers all other actions',
    [add, list, remove],
    finish,
  )
