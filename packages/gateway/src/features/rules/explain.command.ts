/** `toolway policy explain`: why a call would end as it would, rule by rule. */
import { explainPolicy, listAllTools, type ExplainedRule, type Explanation } from '@toolway/contract/admin'
import { Option } from 'commander'
import { nearestNames } from '../../lib/nearest-names.ts'
import { countWithNoun } from '../../lib/count-with-noun.ts'
import { describeCommand } from '../../cli/command.ts'
import { CommandFault, EXIT } from '../../cli/terminal/output.ts'
import { listAll, Refusal, type Transport } from '../../cli/transport/transport.ts'

interface Explaining {
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

export const explain = describeCommand({
  name: 'explain',
  about: 'explain whether a call would be allowed: which rule decides, why, and what would change it',
  options: [
    new Option('--tool <name>', 'the tool, by any name that `toolway tools` or a client shows').makeOptionMandatory(),
    new Option('--as <email>', 'email of the calling member'),
    new Option('--key <name>', 'name or ID of the calling key'),
    new Option('--toolset <slug>', 'toolset of the call (default: the key’s toolset, otherwise the toolset "default")'),
    new Option(
      '--arguments <json>',
      'arguments of the call, a JSON object; without them, rules about arguments remain undecided',
    ),
    new Option('--client <name>', 'name of the client'),
    new Option('--address <address>', 'address that the call comes from'),
    new Option('--time <time>', 'time of the call, such as 2026-12-24T18:00:00Z (default: now)'),
    new Option('--all', 'also list the rules that do not match, and why'),
  ],
  examples: [
    'toolway policy explain --tool git__delete_branch --as maria@acme.example',
    `toolway policy explain --tool db__query --key ci --arguments '{"limit": 500}'`,
  ],
  call(transport, words: Explaining) {
    const { organization, tool, as, key, toolset, client, address, time, arguments: text } = words
    const body = { tool, as, key, toolset, client, address, time, arguments: argumentsOf(text) }
    return transport
      .call(explainPolicy, { params: { organization }, body })
      .catch((thrown: unknown) => refuse(transport, words, thrown))
  },
  print: (explanation, { all = false }) => ({ value: explanation, lines: linesOf(explanation, all) }),
})

/** A tool that is not there is refused with the names that may have been meant. */
async function refuse(transport: Transport, { organization, tool }: Explaining, thrown: unknown): Promise<never> {
  if (!(thrown instanceof Refusal && thrown.is('thing.unknown'))) throw thrown
  const tools = await listAll(transport, listAllTools, { params: { organization } })
  const names = [...new Set(tools.flatMap(({ joined_name: joined, rule_name: ruled }) => [joined, ruled]))]
  if (names.includes(tool)) throw thrown
  const near = nearestNames(tool, names)
  const guess = near.length === 0 ? '`toolway tools` lists the tools.' : `Did you mean ${near.join(' or ')}?`
  throw new CommandFault(`No connection has a tool "${tool}". ${guess}`)
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
  throw new CommandFault(`--arguments must be a JSON object, as in '{"limit": 500}'.`, EXIT.usage)
}

function linesOf(explanation: Explanation, all: boolean): string[] {
  const { tool, caller, toolset, before, rules, verdict, sends, changes } = explanation
  const who = caller.email || caller.key || 'an unknown member'
  const groups = caller.groups.length === 0 ? 'in no group' : `in ${caller.groups.join(', ')}`
  const stops = before.filter((gate) => gate.stops)
  const shown = all ? rules : rules.filter(({ speaks }) => speaks !== 'no')
  const silent = rules.length - shown.length
  return [
    `${tool.joined} (${tool.effectFrom === 'unknown' ? 'effect unknown, treated as write' : tool.effect}, ${tool.connector}) as ${who} (${caller.role}, ${groups}) in the toolset ${toolset}`,
    '',
    ...(stops.length === 0
      ? ['None of the checks before the rules blocks the call.']
      : stops.map(({ what, why }) => `stopped  ${what}: ${why}`)),
    '',
    ...(rules.length === 0 ? ['No rules are active.'] : shown.flatMap(ruleLines)),
    ...(silent === 0 ? [] : [`${countWithNoun(silent, 'rule does', 'rules do')} not match; --all shows why.`]),
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
  ...(follows === null ? [] : [`    outcome: ${follows}`]),
  ...passes.map((way) => `    passes with ${way}`),
]

const readWord = ({ what, value }: ExplainedRule['reads'][number]): string =>
  `${what} ${value === undefined ? 'is absent' : `= ${JSON.stringify(value).slice(0, 100)}`}`
