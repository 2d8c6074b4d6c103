/** `toolway policy …`: rules of an organization, or of the platform. */
import { EFFECTS, RULE_STATES, type ApprovalPreset, type RuleState } from '@toolway/contract'
import {
  addOrganizationRules,
  addPlatformRules,
  changeOrganizationRule,
  changePlatformRule,
  getSettings,
  listOrganizationRules,
  listPlatformRules,
  removeOrganizationRule,
  removePlatformRule,
  type FullRuleChange,
  type KeptRule,
  type NewOrganizationRule,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { nearestNames } from '../../lib/nearest-names.ts'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { CommandFault, EXIT, table } from '../../cli/terminal/output.ts'
import { listAll, type Transport } from '../../cli/transport/transport.ts'
import type { FileRule } from '../../cli/policy/rule-file.ts'
import { ACTION_OPTIONS, ruleOfFlags, type RuleFlags } from './rule-flags.command.ts'
import { explain } from './explain.command.ts'
import { test } from './test-rules.command.ts'
import { replay, shadow } from './trials.command.ts'

interface ScopeOptions {
  readonly organization: string
  /** Of the whole installation, and not of one organization. */
  readonly platform?: boolean
}
interface RuleArgument extends ScopeOptions {
  readonly rule: string
}

/** The owner of a new rule whose scope is smaller than the organization. */
interface ScopeFlags {
  readonly toolset?: string
  readonly connection?: string
  readonly member?: string
  readonly key?: string
}

const usage = (message: string) => new CommandFault(message, EXIT.usage)
const forced = new Option('--force', 'accept patterns that match no known tool, for tools that do not exist yet')
const forceQuery = ({ force = false }: { readonly force?: boolean }) => (force ? { force: 'true' as const } : {})
const named = new Argument('<rule>', 'name or ID of the rule')
const onPlatform = new Option('--platform', 'a platform rule, which applies to every organization')

const rulesOf = (transport: Transport, { organization, platform = false }: ScopeOptions): Promise<KeptRule[]> =>
  platform
    ? listAll(transport, listPlatformRules)
    : listAll(transport, listOrganizationRules, { params: { organization } })

const toolsOf = ({ match }: KeptRule): string => {
  const { tools } = match
  return Array.isArray(tools) ? tools.map(String).join(', ') : '*'
}

/** Sentences for a list without rules: the approvals of the organization's setting still ask. */
async function emptyLine({ call }: Transport, { organization, platform = false }: ScopeOptions): Promise<string> {
  if (platform) return 'No platform rules yet. Each organization has its own rules and its own setting for approvals.'
  const { approvals } = await call(getSettings, { params: { organization } })
  return `No rules yet: every member can call every tool that is turned on. ${STILL[approvals]}`
}

const STILL: Readonly<Record<ApprovalPreset, string>> = {
  off: 'No call needs an approval.',
  none: 'No call needs an approval.',
  'ask-destructive':
    'Destructive tools and tools whose effect is unknown still ask for an approval first (setting `approvals`, see `toolway org change --help`).',
  'ask-writes':
    'Every tool that is not known to be read-only still asks for an approval first (setting `approvals`, see `toolway org change --help`).',
}

const list = describeCommand({
  name: 'list',
  about: 'list the rules of an organization, including platform rules',
  options: [new Option('--platform', 'only platform rules')],
  examples: ['toolway policy list', 'toolway policy list -o acme'],
  async call(transport, words: ScopeOptions) {
    const rules = await rulesOf(transport, words)
    return { rules, empty: rules.length === 0 ? await emptyLine(transport, words) : '' }
  },
  print: ({ rules, empty }) => ({
    value: rules,
    lines:
      rules.length === 0
        ? [empty, 'To add a rule, see `toolway policy add --help`.']
        : table(
            ['NAME', 'SCOPE', 'ACTION', 'STATE', 'TOOLS', 'REASON'],
            rules.map((rule) => [
              ...[rule.name, rule.of === null ? rule.scope : `${rule.scope} ${rule.of}`, rule.action],
              ...[rule.problem === null ? rule.state : 'unreadable', toolsOf(rule), rule.problem ?? rule.reason],
            ]),
          ),
  }),
})

function scopeOf(flags: ScopeFlags): Partial<Pick<NewOrganizationRule, 'scope' | 'of'>> {
  const scopes = (['toolset', 'connection', 'member', 'key'] as const).filter((scope) => flags[scope] !== undefined)
  const [scope, ...others] = scopes
  if (others.length > 0) throw usage(`A rule has only one scope: --${scopes.join(' and --')} cannot be combined.`)
  return scope === undefined ? {} : { scope, of: flags[scope] ?? '' }
}

type Adding = ScopeOptions & RuleFlags & ScopeFlags & { readonly file?: string; readonly force?: boolean }

/** The rules of the file, or the one that the flags say. */
async function rulesToAdd({ file, platform = false, force: _, ...flags }: Adding): Promise<FileRule[]> {
  const written = ruleOfFlags(flags)
  if (file !== undefined && written !== undefined) throw usage('Use a file or options, not both.')
  if (file !== undefined) return (await import('../../cli/policy/rule-file.ts')).readRuleFile(file, platform)
  if (written === undefined)
    throw usage("Choose an action: --block 'git__*', --clamp 'search:limit<=50', … or specify a file.")
  // The operation reads it by the shape of a rule.
  return [written as unknown as FileRule]
}

async function addAll({ call }: Transport, words: Adding): Promise<{ items: KeptRule[]; idle: readonly string[] }> {
  const { organization, platform = false } = words
  const query = forceQuery(words)
  const scope = scopeOf(words)
  if (platform && scope.scope !== undefined) throw usage(`A platform rule cannot have a ${scope.scope}.`)
  const rules = await rulesToAdd(words)
  if (platform) return call(addPlatformRules, { query, body: { rules } })
  const body = { rules: rules.map((rule) => ({ ...rule, ...scope })) }
  return call(addOrganizationRules, { params: { organization }, query, body })
}

const add = describeCommand({
  name: 'add',
  about:
    'add a rule from options, or rules from a file, effective immediately. Some settings need a file: sizes, approvers, values and patterns to reject',
  arguments: [new Argument('[file]', 'YAML or JSON: a rule, or a list of them; - is standard input')],
  options: [
    ...ACTION_OPTIONS.map(([flags, help]) => new Option(flags, help)),
    new Option('--when <condition>', 'condition in CEL over principal, tool, args and context'),
    new Option('--effect <effects...>', 'only for tools with this effect').choices(EFFECTS),
    new Option('--connector <connectors...>', 'only for connections of this kind'),
    new Option('--name <name>', 'name (default: derived from the action and the tools)'),
    new Option('--reason <text>', 'reason shown to callers who are blocked and to people who review the rule'),
    new Option('--shadow', 'only log what the rule would have done'),
    new Option('--toolset <slug>', 'only for this toolset'),
    new Option('--connection <alias>', 'only for this connection'),
    new Option('--member <email>', 'only for this member'),
    new Option('--key <key>', 'only for the key with this name or ID'),
    forced,
    onPlatform,
  ],
  examples: [
    `toolway policy add --block 'git__*_delete_*' --reason 'Agents must not delete anything'`,
    `toolway policy add --clamp 'search_assets:limit<=50' --default 20 --reason 'Small pages'`,
    `toolway policy add --rate 'mail__send:20/3600' --member maria@acme.test --reason 'No mass mail'`,
    `toolway policy add --platform --block '*_delete_*' --reason 'Agents must not delete anything'`,
    'toolway policy add rules.yaml -o acme',
  ],
  call: addAll,
  print({ items, idle }, { platform = false, organization }) {
    const where = platform ? 'in every organization' : `in ${organization}`
    return {
      value: items.length === 1 ? items[0] : items,
      lines: [
        ...items.map(({ name, action, state, id }) =>
          state === 'on'
            ? `${name} (${action}, ${id}) is in effect ${where} from now on.`
            : `${name} (${action}, ${id}) was added in the state "${state}".`,
        ),
        ...idle.map((pattern) => `No known tool matches ${pattern} yet; \`toolway tools\` lists the tools.`),
      ],
    }
  },
})

/** By name or ID. Throws with the names that may have been meant. */
async function find(transport: Transport, words: RuleArgument): Promise<KeptRule> {
  const rules = await rulesOf(transport, words)
  const found = rules.filter(({ id, name }) => id === words.rule || name === words.rule)
  const [only, ...others] = found
  if (only === undefined) throw unknownRule(rules, words)
  if (others.length > 0)
    throw usage(
      `Several rules are named "${words.rule}": use the ID of one of them, ${found.map(({ id }) => id).join(' or ')}.`,
    )
  return only
}

function unknownRule(rules: readonly KeptRule[], { rule, platform = false, organization }: RuleArgument): CommandFault {
  const names = rules.map(({ name }) => name)
  const near = nearestNames(rule, names)
  const guess = near.length === 0 ? '' : ` Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`
  const where = platform ? 'among the platform rules' : `in the organization ${organization}`
  return new CommandFault(`There is no rule "${rule}" ${where}.${guess} \`toolway policy list\` lists the rules.`)
}

/** One that may be changed where the words say. */
async function findOwn(transport: Transport, words: RuleArgument): Promise<KeptRule> {
  const rule = await find(transport, words)
  if (rule.scope === 'platform' && words.platform !== true)
    throw new CommandFault(`"${rule.name}" is a platform rule: use --platform to change it for every organization.`)
  return rule
}

const show = describeCommand({
  name: 'show',
  about: 'show a rule as YAML',
  arguments: [named],
  options: [onPlatform],
  examples: ['toolway policy show no-deleting'],
  async call(transport, words: RuleArgument) {
    const rule = await find(transport, words)
    const { yamlOf } = await import('../../cli/policy/yaml-file.ts')
    return { rule, text: yamlOf(rule) }
  },
  print: ({ rule, text }) => ({ value: rule, lines: text.split('\n') }),
})

const rewrite = (
  { call }: Transport,
  { organization, platform = false, ...words }: ScopeOptions & { readonly force?: boolean },
  id: string,
  body: FullRuleChange,
) =>
  platform
    ? call(changePlatformRule, { params: { rule: id }, query: forceQuery(words), body })
    : call(changeOrganizationRule, { params: { organization, rule: id }, query: forceQuery(words), body })

interface Changing extends RuleArgument {
  readonly name?: string
  readonly reason?: string
  readonly state?: RuleState
  readonly tools?: readonly string[]
  readonly when?: string
  readonly parameters?: string
  readonly force?: boolean
}

const change = describeCommand({
  name: 'change',
  about: 'change a rule; omitted options keep their values',
  arguments: [named],
  options: [
    new Option('--name <name>', 'new name'),
    new Option('--reason <text>', 'new reason'),
    new Option('--state <state>', 'state: on, shadow (only logs) or off').choices(RULE_STATES),
    new Option('--tools <tools...>', 'new patterns for tool names'),
    new Option('--when <condition>', 'new condition'),
    new Option('--parameters <json>', `parameters to change, as in '{"max": 20}'`),
    forced,
    onPlatform,
  ],
  examples: [
    `toolway policy change clamp-search-assets --parameters '{"max": 20}'`,
    'toolway policy change no-deleting --state shadow',
  ],
  async call(transport, words: Changing) {
    const own = await findOwn(transport, words)
    return rewrite(transport, words, own.id, changeOf(own, words))
  },
  print: (rule) => ({ value: rule, lines: [`${rule.name} was changed (${rule.state}).`] }),
})

function changeOf(stored: KeptRule, { name, reason, state, tools, when, parameters }: Changing): FullRuleChange {
  const match = {
    ...stored.match,
    ...(tools === undefined ? {} : { tools: [...tools] }),
    ...(when === undefined ? {} : { when }),
  }
  const changes = {
    ...{ name, reason, state },
    match: tools === undefined && when === undefined ? undefined : match,
    parameters: parameters === undefined ? undefined : { ...stored.parameters, ...objectOf(parameters) },
  }
  const next = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  if (Object.keys(next).length === 0) throw usage('Specify what to change: --reason, --tools, --when, --state, …')
  return next
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Said below.
  }
  throw usage(
    `--parameters must be a JSON object, as in '{"max": 20}'; parameters that it does not contain keep their values.`,
  )
}

const remove = describeCommand({
  name: 'remove',
  about: 'remove a rule',
  arguments: [named],
  options: [onPlatform],
  examples: ['toolway policy remove no-deleting'],
  async call(transport, words: RuleArgument) {
    const own = await findOwn(transport, words)
    const { organization, platform = false } = words
    await (platform
      ? transport.call(removePlatformRule, { params: { rule: own.id } })
      : transport.call(removeOrganizationRule, { params: { organization, rule: own.id } }))
    return own
  },
  print: (rule) => ({
    value: { removed: rule.id },
    lines: [`Removed ${rule.name} (${rule.action} ${toolsOf(rule)}).`],
  }),
})

const switchCommand = (name: string, state: RuleState, about: string) =>
  describeCommand({
    ...{ name, about },
    arguments: [named],
    options: [onPlatform],
    examples: [`toolway policy ${name} no-deleting`],
    async call(transport, words: RuleArgument) {
      const { id } = await findOwn(transport, words)
      return rewrite(transport, words, id, { state })
    },
    print: (rule) => ({
      value: rule,
      lines: [rule.state === 'on' ? `${rule.name} is in effect from now on.` : `${rule.name} is ${rule.state}.`],
    }),
  })

export const policyCommand = (finish: Finish) =>
  groupOf(
    'policy',
    'manage rules: which tools can be called, by whom, how and how often; test them before turning them on',
    [
      ...[list, add, show, change, remove],
      switchCommand('enable', 'on', 'turn a rule on'),
      switchCommand('disable', 'off', 'turn a rule off without removing it'),
      ...[explain, shadow, replay, test],
    ],
    finish,
  ).alias('rules')
