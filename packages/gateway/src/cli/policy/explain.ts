/** `toolway policy explain`: why a call would end as it would, rule by rule. */
import type { ExplainedRule, Explanation } from '@toolway/contract/admin'
import { explainCall } from '../../admin/policy/explain-call.ts'
import { toolsOf } from '../../admin/policy/tools-of.ts'
import { nearestNames } from '../../lib/nearest.ts'
import { CommandFault, EXIT, type Output } from '../terminal/output.ts'
import { withPolicy } from './policy-store.ts'

export interface ExplainWords {
  readonly organization: string
  readonly tool: string
  readonly as?: string
  readonly key?: string
  readonly toolset?: string
  readonly client?: string
  readonly address?: string
  readonly time?: string
  readonly arguments?: string
  readonly all?: boolean
}

export const explain = ({ organization, as, key, all = false, ...words }: ExplainWords, output: Output) =>
  withPolicy(organization, async ({ snapshot, callers, groups }) => {
    const { joined, names } = toolsOf(snapshot)
    if (joined(words.tool) === undefined) throw unknownTool(words.tool, names)
    const told = explainCall({
      ...{ snapshot, caller: callers.named(as, key), groups },
      ...words,
      arguments: argumentsOf(words.arguments),
    })
    output.result(told, linesOf(told, all))
    return EXIT.ok
  })

function unknownTool(tool: string, names: readonly string[]): CommandFault {
  const near = nearestNames(tool, names)
  const guess = near.length === 0 ? '`toolway tools` lists them.' : `Did you mean ${near.join(' or ')}?`
  return new CommandFault(`No connection has a tool "${tool}". ${guess}`)
}

function argumentsOf(text: string | undefined): (Explanation['sends'] & {}) | undefined {
  if (text === undefined) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Said below.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as NonNullable<Explanation['sends']>
  throw new CommandFault(`The --arguments are no JSON object, as in '{"limit": 500}'.`, EXIT.usage)
}

function linesOf(told: Explanation, all: boolean): string[] {
  const { tool, caller, toolset, before, rules, verdict, sends, changes } = told
  const who = caller.email || caller.key || 'a member of whom nothing is known'
  const groups = caller.groups.length === 0 ? 'in no group' : `in ${caller.groups.join(', ')}`
  const stops = before.filter((gate) => gate.stops)
  const shown = all ? rules : rules.filter(({ speaks }) => speaks !== 'no')
  const silent = rules.length - shown.length
  return [
    `${tool.joined} (${tool.effect}, ${tool.connector}) as ${who} (${caller.role}, ${groups}) in the toolset ${toolset}`,
    '',
    ...(stops.length === 0
      ? ['Nothing stops it before the rules.']
      : stops.map(({ what, why }) => `stopped  ${what}: ${why}`)),
    '',
    ...(rules.length === 0 ? ['No rules are in force.'] : shown.flatMap(ruleLines)),
    ...(silent === 0 ? [] : [`${silent} ${silent === 1 ? 'rule does' : 'rules do'} not speak of it; --all says why.`]),
    '',
    `Verdict: ${verdict.says}`,
    ...verdict.passes.map((way) => `  passes with ${way}`),
    ...changes.map(({ place, how, to, rule }) => `  ${place} ${how} to ${JSON.stringify(to)} by "${rule}"`),
    ...(sends === null ? [] : [`Sends: ${JSON.stringify(sends)}`]),
  ]
}

const SIGNS = { yes: '+', no: '-', lifted: '/', unknown: '?' } as const

const ruleLines = ({
  speaks,
  action,
  name,
  scope,
  of,
  state,
  why,
  reads,
  follows,
  passes,
}: ExplainedRule): string[] => [
  `${SIGNS[speaks]} ${action} "${name}" (${scope}${of === null ? '' : ` ${of}`}${state === 'on' ? '' : `, ${state}`}): ${why}`,
  ...(reads.length === 0 ? [] : [`    read ${reads.map(readWord).join(', ')}`]),
  ...(follows === null ? [] : [`    then ${follows}`]),
  ...passes.map((way) => `    passes with ${way}`),
]

const readWord = ({ what, value }: ExplainedRule['reads'][number]): string =>
  `${what} ${value === undefined ? 'is absent' : `= ${JSON.stringify(value).slice(0, 100)}`}`
