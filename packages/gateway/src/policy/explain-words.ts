/** The sentences of an explanation: why a rule does not speak, and what follows where it does. */
import type { Approvers, Facts, Rule, ToolFacts, Verdict } from '@toolway/contract'
import type { Endpoint, SchemaMismatch, Matching } from './verdict.ts'

const list = (words: readonly string[] | undefined): string => (words ?? []).join(', ')

export function wordMismatch(rule: Rule, mismatch: SchemaMismatch, tool: ToolFacts, endpoint: Endpoint): string {
  const { match, of } = rule
  switch (mismatch) {
    case 'organization':
      return `It speaks of ${list(match.organizations)}; this is ${endpoint.organization}.`
    case 'toolset':
      return `It holds in the toolset ${of}; this is ${endpoint.toolset === '' ? 'no toolset' : endpoint.toolset}.`
    case 'connection':
      return `It holds for the connection ${of}; this tool is of ${tool.connection}.`
    case 'connector':
      return `It speaks of ${list(match.connectors)}; the connection is ${tool.connector}.`
    case 'effect':
      return `It speaks of effect ${list(match.effects)}; this tool is ${tool.effect}.`
    case 'category':
      return `It speaks of the categories ${list(match.categories)}; this tool has ${tool.category === '' ? 'none' : tool.category}.`
    case 'tool':
      return `Its patterns ${list(match.tools)} fit neither ${tool.name} nor ${tool.joined}.`
  }
}

type Silence = Extract<Matching, { speaks: 'no' }>['because']

export function wordSilence(rule: Rule, because: Silence, { principal }: Facts, failed: string | undefined): string {
  switch (because) {
    case 'member':
      return `It holds for ${rule.of}; the caller is ${principal.email === '' ? 'no member' : principal.email}.`
    case 'key':
      return `It holds for the key ${rule.of}; the caller ${principal.key === '' ? 'has none' : `has ${principal.key}`}.`
    case 'parameter':
      return `There is no argument ${rule.match.parameter}.`
    case 'when':
      return `Its condition is false: ${rule.match.when}`
    case 'failed':
      return `Its condition has no answer (${failed}), and what has none allows nothing.`
  }
}

export const wordApprovers = ({ roles, members, groups, webhooks, self }: Approvers): string =>
  [
    ...(roles === undefined ? [] : [`somebody with the role ${roles.join(' or ')}`]),
    ...(members ?? []),
    ...(groups === undefined ? [] : [`the group ${groups.join(' or ')}`]),
    ...(webhooks === undefined ? [] : [`the webhook ${webhooks.join(' or ')}`]),
    ...(self ? ['the caller'] : []),
  ].join(', ')

/** What follows from one rule that speaks; `verdict` is what it says alone. */
export function wordFollows(rule: Rule, verdict: Verdict, { arguments: args }: Facts): string {
  const changes = verdict.changes.map(
    ({ place, from, to }) => `${place} ${from === undefined ? 'is absent and' : show(from)} becomes ${show(to)}`,
  )
  switch (rule.action) {
    case 'allow':
      return `it lifts ${rule.parameters.lifts.join(', ')}.`
    case 'warn':
      return 'the call is marked on record and goes on.'
    case 'size':
      return 'arguments or results beyond its bounds are refused or cut.'
    case 'rate':
      return `${rule.parameters.calls} calls in ${rule.parameters.per} s for each ${rule.parameters.of} are let through.`
    case 'approve':
      return `it waits for ${wordApprovers(rule.parameters.by)}${rule.parameters.quorum > 1 ? `, ${rule.parameters.quorum} of them` : ''}.`
    case 'block':
      return 'the call is refused.'
    case 'hide':
      return 'the tool is not there for this caller.'
    case 'reject':
      if (verdict.rejected !== undefined) return `it is refused: ${verdict.rejected.place} ${verdict.rejected.problem}.`
      return args === undefined ? 'it depends on the arguments.' : 'it allows this value.'
    case 'lock':
    case 'clamp':
      if (args === undefined) return `it bounds or sets ${rule.parameters.parameter}.`
      return changes.length === 0 ? 'the arguments stay as they are.' : `${changes.join(', ')}.`
  }
}

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** The verdict in a sentence, for an administrator. */
export function wordVerdict({ action, rule, rejected, approvals, changes, arguments: args }: Verdict): string {
  const by = rule === undefined ? '' : ` by ${rule.scope} rule "${rule.name}": ${rule.reason}`
  const listed = args === undefined ? ' as far as can be told without arguments' : ''
  switch (action) {
    case 'allow':
      return changes.length === 0
        ? `It is called as it is${listed}.`
        : `It is called with ${changes.map(({ place, to }) => `${place} = ${show(to)}`).join(', ')}.`
    case 'warn':
      return `It is called and marked${by}`
    case 'approve':
      return `It waits for ${approvals.map((one) => wordApprovers(one.parameters.by)).join('; and for ')}${by}`
    case 'reject':
      return `It is refused${by} (${rejected?.place}: ${rejected?.problem})`
    case 'block':
      return `It is refused${by}`
    case 'hide':
      return `It is neither listed nor found${by}`
  }
}
