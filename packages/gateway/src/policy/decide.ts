/**
 * The one decision: the verdict of the rules on a tool for a principal, with or without arguments (ledger U-06).
 *
 * Pure. Lists, calls, searches, explanations and replays all use it, so that a listed tool can be called and an explanation is
 * true of a call. Exceptions first, then the actions on arguments in their order; the strictest outcome holds, and of several
 * rules with the same outcome the outermost is named. The effect of each action is in `actions/`.
 */
import type { Rule, RuleAction, ToolFacts } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import type { Condition } from './condition.ts'
import type { Rejection } from './actions/action.ts'
import { behaviourOf, ENFORCED, MILDER, ON_ARGUMENTS, SHAPING, STRICTER } from './actions/actions.ts'
import type { AmbiguousName } from './argument-names.ts'
import {
  refOf,
  type Change,
  type Facts,
  type FindAmbiguous,
  type PlacedRule,
  type Shadow,
  type Verdict,
} from './verdict.ts'

const NOTHING: readonly never[] = []
const NO_ARGUMENTS: JsonObject = {}

/** Matching rules, by their action. */
type Sorted = { [Action in Rule['action']]?: PlacedRule[] }

interface Rejected extends NonNullable<Verdict['rejected']> {
  readonly rule: Rule
}

export function decide(
  rules: readonly PlacedRule[],
  tool: ToolFacts,
  facts: Facts,
  findAmbiguous?: FindAmbiguous,
): Verdict {
  const listing = facts.arguments === undefined
  const { matching, shadowing } = matchingOf(rules, tool, facts)
  const sorted: Sorted = {}
  for (const rule of matching) (sorted[rule.rule.action] ??= []).push(rule)

  const changes: Change[] = []
  let args = facts.arguments ?? NO_ARGUMENTS
  let rejected: Rejected | undefined = rejectedName(findAmbiguous?.(facts))
  if (!listing && rejected === undefined)
    for (const behaviour of ON_ARGUMENTS)
      for (const rule of sorted[behaviour.action] ?? NOTHING) {
        const found: Rejection | undefined = rejected === undefined ? behaviour.refuse?.(rule, args, tool) : undefined
        if (found !== undefined) rejected = { ...found, rule: rule.rule }
        args = behaviour.change?.(rule, args, changes) ?? args
      }
  const decisive = firstOf(sorted, STRICTER) ?? rejected?.rule ?? firstOf(sorted, MILDER)
  const action = decisive === rejected?.rule && decisive !== undefined ? 'reject' : decisive?.action
  return {
    action: action === undefined ? 'allow' : (action as Verdict['action']),
    rule: decisive === undefined ? undefined : refOf(decisive),
    rejected:
      action === 'reject' && rejected !== undefined
        ? { place: rejected.place, problem: rejected.problem, readAs: rejected.readAs }
        : undefined,
    arguments: listing ? undefined : args,
    changes,
    warnings: sorted.warn?.map(({ rule }) => refOf(rule)) ?? NOTHING,
    approvals: rulesOf<'approve'>(sorted.approve),
    sizes: rulesOf<'size'>(sorted.size),
    obligations: allOf(sorted, ENFORCED),
    shapes: listing ? allOf(sorted, SHAPING) : NOTHING,
    shadows:
      shadowing.length === 0 ? NOTHING : shadowing.flatMap((rule) => shadowOf(rule, matching, tool, facts.arguments)),
  }
}

/** A name that a server may read as another one is refused before any value is looked at. */
const rejectedName = (found: AmbiguousName | undefined): Rejected | undefined =>
  found && { ...found, problem: `some servers read this name as "${found.name}"`, readAs: found.name }

const rulesOf = <Action extends Rule['action']>(placed: readonly PlacedRule[] | undefined): readonly Rule<Action>[] =>
  placed === undefined ? NOTHING : placed.map(({ rule }) => rule as unknown as Rule<Action>)

const firstOf = (sorted: Sorted, actions: readonly RuleAction[]): Rule | undefined => {
  for (const action of actions) if (sorted[action] !== undefined) return sorted[action][0]?.rule
  return undefined
}

function allOf(sorted: Sorted, actions: readonly RuleAction[]): readonly Rule[] {
  let found: readonly Rule[] = NOTHING
  for (const action of actions) if (sorted[action] !== undefined) found = [...found, ...rulesOf(sorted[action])]
  return found
}

/** Those that match and are not lifted, in their order; those that only watch apart. */
function matchingOf(rules: readonly PlacedRule[], tool: ToolFacts, facts: Facts) {
  const matching: PlacedRule[] = []
  const shadowing: PlacedRule[] = []
  const lifts: Rule<'allow'>[] = []
  const answers = new Map<Condition, boolean | string>()
  for (const item of rules) {
    const { rule } = item
    const { speaks } = item.speaking(facts, tool, answers)
    if (speaks === 'no') continue
    // Before there are arguments, an exception may come to hold and a restriction may not: what could be allowed is shown.
    if (rule.action === 'allow' && rule.state === 'on') lifts.push(rule)
    if (speaks === 'unknown') continue
    if (rule.state === 'shadow') shadowing.push(item)
    else if (rule.action !== 'allow') matching.push(item)
  }
  if (lifts.length === 0) return { matching, shadowing }
  const stands = ({ rule }: PlacedRule) => !lifts.some((exception) => liftsIt(exception, rule))
  return { matching: matching.filter(stands), shadowing: shadowing.filter(stands) }
}

/** An exception of the platform lifts any rule that it names, one of an organization only the organization's. */
export const liftsIt = ({ scope, parameters }: Rule<'allow'>, rule: Rule): boolean =>
  parameters.lifts.includes(rule.name) && (scope === 'platform' || rule.scope !== 'platform')

/** The outcome that a shadow rule would have had; undefined where it would have changed nothing. */
function shadowOf(
  item: PlacedRule,
  matching: readonly PlacedRule[],
  tool: ToolFacts,
  args: JsonObject | undefined,
): Shadow[] {
  const { rule } = item
  const would = { rule: refOf(rule), would: rule.action }
  if (rule.action === 'allow') return matching.some((stored) => liftsIt(rule, stored.rule)) ? [would] : []
  if (args === undefined) return []
  const behaviour = behaviourOf(rule.action)
  if (behaviour.change !== undefined) {
    const changes: Change[] = []
    behaviour.change(item, args, changes)
    return changes.length === 0 ? [] : [would]
  }
  if (behaviour.refuse === undefined) return [would]
  const found = behaviour.refuse(item, args, tool)
  return found === undefined ? [] : [{ ...would, problem: found.problem }]
}
