/**
 * Rules by flags of a command line: `--block 'git__*'`, `--clamp 'search:limit<=50'`, `--rate 'git__*:20/60'`. The flags are those of
 * the actions in the contract; a file can say more. Pure: the result is a rule as it is written, and is checked like any other.
 */
import { RULE_ACTIONS, ruleActionOf, valueOf } from '@toolway/contract'
import { CommandFault, EXIT } from '../../cli/terminal/output.ts'

/** Flags by their name: those of the actions (`contract/rule-actions`), and those that every rule has. */
export interface RuleFlags {
  readonly [flag: string]: unknown
  readonly name?: string
  readonly reason?: string
  readonly when?: string
  readonly effect?: readonly string[]
  readonly connector?: readonly string[]
  readonly shadow?: boolean
}

/** One rule as it is written; not checked yet. */
export type Written = Record<string, unknown>

interface RuleOptions {
  readonly tools: readonly string[]
  readonly parameters: Written
}

const usage = (message: string) => new CommandFault(message, EXIT.usage)

/** Actions that have a flag, the strictest first. */
const WITH_FLAG = RULE_ACTIONS.toReversed().flatMap((action) => {
  const { flag } = ruleActionOf(action)
  return flag === undefined ? [] : [{ action, flag }]
})
type WithFlag = (typeof WITH_FLAG)[number]

/** Flag and help of every action that has a short form. */
export const ACTION_OPTIONS: readonly (readonly [flags: string, about: string])[] = WITH_FLAG.flatMap(
  ({ action, flag: { value, about, more = [] } }) => [
    [`--${action} ${value}`, about] as const,
    ...more.map((flag) => [`--${flag.name} ${flag.value}`, flag.about] as const),
  ],
)

/** Undefined where no flag says an action. Throws a CommandFault of wrong use. */
export function ruleOfFlags(flags: RuleFlags): Written | undefined {
  const named = WITH_FLAG.filter(({ action }) => flags[action] !== undefined)
  const [only, ...others] = named
  if (only === undefined) return undefined
  if (others.length > 0)
    throw usage(`Use one action per rule, not --${named.map((item) => item.action).join(' and --')}.`)
  // A flag that would have no effect is refused, because the user expects one.
  for (const { action, flag } of WITH_FLAG)
    for (const { name } of flag.more ?? [])
      if (flags[name] !== undefined && action !== only.action) throw usage(`--${name} requires --${action}.`)
  const { action } = only
  const { tools, parameters } = saidOf(only, flags)
  const { reason, when, effect, connector, name = nameOf(action, tools) } = flags
  if (reason === undefined)
    throw usage('Add --reason: one sentence for callers who are blocked and for people who review the rule.')
  return {
    name,
    action,
    reason,
    parameters,
    ...(flags.shadow === true ? { state: 'shadow' } : {}),
    match: {
      tools,
      ...(effect === undefined ? {} : { effects: effect }),
      ...(connector === undefined ? {} : { connectors: connector }),
      ...(when === undefined ? {} : { when }),
    },
  }
}

function saidOf({ action, flag }: WithFlag, flags: RuleFlags): RuleOptions {
  const more: Written = {}
  for (const { name, missing } of flag.more ?? []) {
    const value = flags[name]
    if (value === undefined && missing !== undefined) throw usage(missing)
    if (value !== undefined) more[name] = typeof value === 'string' ? valueOf(value) : value
  }
  const value = flags[action]
  if (flag.read === undefined) return { tools: value as readonly string[], parameters: more }
  const read = flag.read(String(value))
  if (read === undefined) throw usage(`--${action} expects ${flag.reads}.`)
  return { tools: [read.tool], parameters: { ...read.parameters, ...more } }
}

/** `block-git-delete` for `--block 'git__delete_*'`. */
function nameOf(action: string, [tool = 'tools']: readonly string[]): string {
  const plain = tool
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return `${action}-${plain === '' ? 'all' : plain}`.slice(0, 64).replace(/-$/, '')
}
