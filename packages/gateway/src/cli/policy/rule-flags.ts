/**
 * Rules in a few words of a command line: `--block 'git__*'`, `--clamp 'search:limit<=50'`, `--rate 'git__*:20/60'`. Whoever wants
 * more writes a file. Pure: from words to what a rule is written as, which is then checked like any other.
 */
import { CommandFault, EXIT } from '../terminal/output.ts'

export interface RuleFlags {
  readonly block?: readonly string[]
  readonly hide?: readonly string[]
  readonly warn?: readonly string[]
  readonly approve?: readonly string[]
  readonly clamp?: string
  readonly reject?: string
  readonly lock?: string
  readonly rate?: string
  readonly allow?: readonly string[]
  readonly lifts?: readonly string[]
  readonly name?: string
  readonly reason?: string
  readonly when?: string
  readonly effect?: readonly string[]
  readonly connector?: readonly string[]
  readonly shadow?: boolean
  /** Of a clamp: sent where nothing is said. */
  readonly default?: string
}

/** One rule as it is written; not checked yet. */
export type Written = Record<string, unknown>

interface Said {
  readonly action: string
  readonly tools: readonly string[]
  readonly parameters: Written
}

const usage = (message: string) => new CommandFault(message, EXIT.usage)

const PLAIN = ['block', 'hide', 'warn', 'approve'] as const
const ACTIONS = [...PLAIN, 'clamp', 'reject', 'lock', 'rate', 'allow'] as const

/** Undefined where no flag says an action. Throws a CommandFault of wrong use. */
export function ruleOfFlags(flags: RuleFlags): Written | undefined {
  const named = ACTIONS.filter((action) => flags[action] !== undefined)
  const [action, ...others] = named
  if (action === undefined) return undefined
  if (others.length > 0) throw usage(`Say one action for one rule: not --${named.join(' and --')}.`)
  // What would go nowhere is refused: whoever says it means it to have an effect.
  if (flags.default !== undefined && action !== 'clamp') throw usage('--default is for --clamp.')
  if (flags.lifts !== undefined && action !== 'allow') throw usage('--lifts is for --allow.')
  const { tools, parameters } = saidOf(action, flags)
  const { reason, when, effect, connector, name = nameOf(action, tools) } = flags
  if (reason === undefined)
    throw usage('Say --reason: one sentence for whoever is refused, and for whoever asks later.')
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

function saidOf(action: (typeof ACTIONS)[number], flags: RuleFlags): Said {
  if (action === 'clamp') return { action, ...boundOf('clamp', flags.clamp ?? '', flags.default) }
  if (action === 'reject') return { action, ...boundOf('reject', flags.reject ?? '', undefined) }
  if (action === 'lock') return { action, ...lockOf(flags.lock ?? '') }
  if (action === 'rate') return { action, ...rateOf(flags.rate ?? '') }
  if (action === 'allow' && flags.lifts === undefined)
    throw usage('An exception names the rules that it lifts: --allow PATTERN --lifts NAME.')
  return { action, tools: flags[action] ?? [], parameters: action === 'allow' ? { lifts: flags.lifts } : {} }
}

/** `search_assets:limit<=50`, `…>=1`, `…=1..50`. */
const BOUND = /^([^:]+):(.+?)\s*(?:(<=|>=)\s*(-?\d+(?:\.\d+)?)|=\s*(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?))$/

function boundOf(flag: string, text: string, otherwise: string | undefined): Omit<Said, 'action'> {
  const [, tool, parameter, sign, value, low, high] = BOUND.exec(text) ?? []
  if (tool === undefined || parameter === undefined)
    throw usage(`--${flag} reads TOOL:PARAMETER<=NUMBER, …>=NUMBER or …=LOW..HIGH, as in 'search_assets:limit<=50'.`)
  const bounds =
    low === undefined ? { [sign === '<=' ? 'max' : 'min']: Number(value) } : { min: Number(low), max: Number(high) }
  return {
    tools: [tool],
    parameters: { parameter, ...bounds, ...(otherwise === undefined ? {} : { default: valueOf(otherwise) }) },
  }
}

/** `search:region=eu` always sends it; `search:region?=eu` where nothing is said. */
const LOCK = /^([^:]+):(.+?)(\?)?=([^]*)$/

function lockOf(text: string): Omit<Said, 'action'> {
  const [, tool, parameter, asked, value] = LOCK.exec(text) ?? []
  if (tool === undefined || parameter === undefined || value === undefined)
    throw usage("--lock reads TOOL:PARAMETER=VALUE, or TOOL:PARAMETER?=VALUE for a default, as in 'search:region=eu'.")
  return {
    tools: [tool],
    parameters: { parameter, value: valueOf(value), as: asked === undefined ? 'fixed' : 'default' },
  }
}

/** `git__*:20/60`: so many calls in so many seconds; `…/session` and `…/organization` say who shares them. */
const RATE = /^([^:]+):(\d+)\/(\d+)(?:\/(caller|session|organization))?$/

function rateOf(text: string): Omit<Said, 'action'> {
  const [, tool, calls, per, of] = RATE.exec(text) ?? []
  if (tool === undefined)
    throw usage("--rate reads TOOLS:CALLS/SECONDS, as in 'git__*:20/60' or 'git__*:100/3600/organization'.")
  return { tools: [tool], parameters: { calls: Number(calls), per: Number(per), ...(of === undefined ? {} : { of }) } }
}

/** JSON where it is JSON, else the text itself. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** `block-git-delete` for `--block 'git__delete_*'`. */
function nameOf(action: string, [tool = 'tools']: readonly string[]): string {
  const plain = tool
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return `${action}-${plain === '' ? 'all' : plain}`.slice(0, 64).replace(/-$/, '')
}
