/**
 * Whether one rule speaks of one call: what can be known of a tool is asked once, the rest for each call.
 *
 * A condition that has no answer, because it cannot be read or asks for what is not there, never lets a call through: a rule that
 * restricts then speaks, and an exception does not.
 */
import type { Rule, ToolFacts } from '@toolway/contract'
import { patternOf } from '../lib/pattern.ts'
import { behaviourOf } from './actions/actions.ts'
import { conditionReadsOf, requiredArgument } from './condition-reads.ts'
import { createCondition, type Condition } from './condition.ts'
import { isPresent, pathOf } from '../lib/parameter-path.ts'
import type { Endpoint, Facts, MatchedNames, SchemaMismatch, ReadRule, Matching } from './verdict.ts'

const YES: Matching = { speaks: 'yes' }
const UNKNOWN: Matching = { speaks: 'unknown' }

const NO: Matching = { speaks: 'no', because: 'when' }
const NO_PARAMETER: Matching = { speaks: 'no', because: 'parameter' }

/** The part of its scope by which a rule belongs to another caller; undefined where it may apply to this one. */
export function otherCaller({ scope, of }: Rule, principal: Facts['principal']): 'member' | 'key' | undefined {
  if (scope === 'member' && of !== principal.email) return 'member'
  if (scope === 'key' && (of === '' || (of !== principal.keyId && of !== principal.key))) return 'key'
  return undefined
}

function answerOf(
  condition: Condition,
  { principal, context, arguments: args }: Facts,
  tool: ToolFacts,
): boolean | string {
  try {
    return condition.holds({ principal, tool, context, args: args ?? {} })
  } catch (thrown) {
    return (thrown as Error).message.split('\n')[0] ?? 'it could not be evaluated'
  }
}

/** Whether a rule applies where its condition has no answer. */
const restricts = (rule: Rule): boolean => rule.action !== 'allow'

/**
 * A server states its own name and the earlier ones, so one of these with `__` could pass for the tool of another connection, also
 * where a `*` stands for the `__`: exceptions know such a name only behind the alias.
 */
export function matchedNames({ name, joined, others }: Pick<ToolFacts, 'name' | 'joined' | 'others'>): MatchedNames {
  const made = [joined, ...(others?.derived ?? [])].map((text) => text.toLowerCase())
  const stated = [name, ...(others?.earlier ?? [])].map((text) => text.toLowerCase())
  const plain = stated.filter((text) => !text.includes('__'))
  const chosen = (others?.chosen ?? []).map((text) => text.toLowerCase())
  return { sure: [...plain, ...made], all: [...stated, ...made, ...chosen] }
}

const CLAIMED = 'the client states its own name, but an exception requires a registered OAuth client'

const readsClient = (when: string): boolean =>
  conditionReadsOf(when).reads.some(
    ({ root, path }) => root === 'principal' && (path.length === 0 || path[0] === 'client'),
  )

/** `conditions` are those that others have, by their text: what several rules ask is one question. */
export function readRule(rule: Rule, conditions: Map<string, Condition> = new Map()): ReadRule {
  const { match, scope, of } = rule
  const everything = match.tools.includes('*')
  const tools = match.tools.map((glob) => patternOf(glob.toLowerCase()))
  const categories = match.categories?.map((glob) => patternOf(glob.toLowerCase()))
  const present = match.parameter === undefined ? undefined : pathOf(match.parameter)
  let problem: string | undefined
  const tryOrNote = <T>(make: () => T): T | undefined => {
    try {
      return make()
    } catch (thrown) {
      problem ??= (thrown as Error).message.split('\n')[0]
      return undefined
    }
  }
  const { when } = match
  const condition = when === undefined ? undefined : (conditions.get(when) ?? tryOrNote(() => createCondition(when)))
  if (when !== undefined && condition !== undefined) conditions.set(when, condition)
  // Nearly all calls are decided by what they do not say: that is asked before anything is evaluated.
  const required = condition === undefined ? undefined : requiredArgument(condition.text)
  const isPersonal = scope === 'member' || scope === 'key'
  const compiled = tryOrNote(() => behaviourOf(rule.action).compile?.(rule.parameters))
  const needsRegistered = rule.action === 'allow' && when !== undefined && readsClient(when)
  const unread = when !== undefined && condition === undefined ? problem : undefined

  function elsewhere(endpoint: Endpoint): SchemaMismatch | undefined {
    if (match.organizations?.includes(endpoint.organization) === false) return 'organization'
    return scope === 'toolset' && of !== endpoint.toolset ? 'toolset' : undefined
  }

  function otherTool(tool: ToolFacts, names: MatchedNames): SchemaMismatch | undefined {
    if (scope === 'connection' && of !== tool.connection) return 'connection'
    if (match.connectors?.includes(tool.connector) === false) return 'connector'
    if (match.effects?.some((effect) => effect === tool.effect) === false) return 'effect'
    if (categories?.some((fits) => fits(tool.category.toLowerCase())) === false) return 'category'
    if (everything) return undefined
    return tools.some((fits) => names[restricts(rule) ? 'all' : 'sure'].some(fits)) ? undefined : 'tool'
  }

  const noAnswer = (failed: string): Matching =>
    restricts(rule) ? { speaks: 'yes', failed } : { speaks: 'no', because: 'failed', failed }

  function matchingOf(facts: Facts, tool: ToolFacts, answers?: Map<Condition, boolean | string>): Matching {
    const { principal, arguments: args } = facts
    const other = isPersonal ? otherCaller(rule, principal) : undefined
    if (other !== undefined) return { speaks: 'no', because: other }
    if (unread !== undefined) return noAnswer(unread)
    if (needsRegistered && !principal.clientRegistered) return noAnswer(CLAIMED)
    if (args === undefined && (present !== undefined || condition?.readsArguments === true)) return UNKNOWN
    if (present !== undefined && !isPresent(args ?? {}, present)) return NO_PARAMETER
    if (condition === undefined) return YES
    if (required !== undefined && args !== undefined && !Object.hasOwn(args, required)) return NO
    let answer = answers?.get(condition)
    if (answer === undefined) {
      answer = answerOf(condition, facts, tool)
      answers?.set(condition, answer)
    }
    if (typeof answer === 'string') return noAnswer(answer)
    return answer ? YES : NO
  }

  return {
    rule,
    problem,
    condition,
    path:
      'parameter' in rule.parameters && rule.parameters.parameter !== undefined
        ? pathOf(rule.parameters.parameter)
        : undefined,
    compiled,
    varies: isPersonal || condition?.readsCaller === true,
    boundToEndpoint: match.organizations !== undefined || scope === 'toolset',
    elsewhere,
    otherTool,
    mismatch: (tool, endpoint) => elsewhere(endpoint) ?? otherTool(tool, matchedNames(tool)),
    speaking: matchingOf,
  }
}
