/**
 * The sentences of an explanation: why a rule does not match, and the verdict. The sentence about a matching rule comes from its
 * action.
 */
import type { Facts, Rule, ToolFacts, Verdict } from '@toolway/contract'
import { behaviourOf } from './actions/actions.ts'
import type { Endpoint, SchemaMismatch, Matching } from './verdict.ts'

const list = (words: readonly string[] | undefined): string => (words ?? []).join(', ')

export function wordMismatch(rule: Rule, mismatch: SchemaMismatch, tool: ToolFacts, endpoint: Endpoint): string {
  const { match, of } = rule
  switch (mismatch) {
    case 'organization':
      return `It matches ${list(match.organizations)}; this is ${endpoint.organization}.`
    case 'toolset':
      return `It applies in the toolset ${of}; this is ${endpoint.toolset === '' ? 'no toolset' : endpoint.toolset}.`
    case 'connection':
      return `It applies to the connection ${of}; this tool belongs to ${tool.connection}.`
    case 'connector':
      return `It matches ${list(match.connectors)}; the connection is ${tool.connector}.`
    case 'effect':
      return `It matches the effect ${list(match.effects)}; this tool is ${tool.effect}${tool.effectFrom === 'unknown' ? ' (its effect is unknown)' : ''}.`
    case 'category':
      return `It matches the categories ${list(match.categories)}; this tool has ${tool.category === '' ? 'none' : tool.category}.`
    case 'tool':
      return `Its patterns ${list(match.tools)} match neither ${tool.name} nor ${tool.joined}.`
  }
}

type Silence = Extract<Matching, { speaks: 'no' }>['because']

export function wordSilence(rule: Rule, because: Silence, { principal }: Facts, failed: string | undefined): string {
  switch (because) {
    case 'member':
      return `It applies to ${rule.of}; the caller is ${principal.email === '' ? 'not a member' : principal.email}.`
    case 'key':
      return `It applies to the key ${rule.of}; the caller ${principal.key === '' ? 'has none' : `has ${principal.key}`}.`
    case 'parameter':
      return `There is no argument ${rule.match.parameter}.`
    case 'when':
      return `Its condition is false: ${rule.match.when}`
    case 'failed':
      return `Its condition could not be evaluated (${failed}), so it allows nothing.`
  }
}

/** The verdict in a sentence, for an administrator. */
export function wordVerdict(verdict: Verdict): string {
  const { action, rule } = verdict
  const by = rule === undefined ? '' : ` by ${rule.scope} rule "${rule.name}": ${rule.reason}`
  return behaviourOf(action).says?.(verdict, by) ?? action
}
